//! A stored conversation: refused with a place, or repaired so that a second repair finds nothing and no other byte changed.

#![no_main]

use callsign::history::{Provider, fix};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for provider in [None].into_iter().chain(Provider::ALL.map(Some)) {
        match fix(text, provider) {
            Ok(repair) => {
                let fixed = repair.apply();
                let mut at = 0;
                let mut rebuilt = String::new();
                for edit in &repair.edits {
                    rebuilt.push_str(&text[at..edit.span.start]);
                    rebuilt.push_str(edit.change.replacement());
                    at = edit.span.end;
                }
                rebuilt.push_str(&text[at..]);
                assert_eq!(rebuilt, fixed, "a byte outside of the edits changed");
                let Ok(again) = fix(&fixed, provider) else { unreachable!("the repair is no JSON") };
                assert!(again.is_empty(), "twice is not once: {:?}", again.edits);
                for note in &repair.notes {
                    assert!(!note.remark.to_string().is_empty() && note.times > 0);
                }
            }
            Err(error) => assert!(!error.to_string().is_empty() && !error.remedy().is_empty()),
        }
    }
});
