//! Two tool definitions as a server may send them, divided by the first NUL: read, kept, compared.

#![no_main]

use callsign::Catalogue;
use callsign::catalogue::changed_fields;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (before, after) = text.split_once('\0').unwrap_or((text, text));
    let mut catalogue = Catalogue::default();
    catalogue.push_tool(before);
    catalogue.push_tool(after);
    assert_eq!(catalogue.advertised(), 2);
    for (index, tool) in catalogue.tools().iter().enumerate() {
        let raw = [before, after][catalogue.position(index)];
        assert_eq!(tool.definition(), Some(raw), "kept byte for byte");
        let _ = (tool.description(), tool.schema_problem());
        let spaced = format!(" {raw}\n");
        assert!(changed_fields(Some(raw), Some(&spaced)).is_empty(), "layout is no change");
    }
    let changed = changed_fields(Some(before), Some(after));
    assert!(changed.is_sorted());
    assert_eq!(changed, changed_fields(Some(after), Some(before)), "a difference has no direction");
});
