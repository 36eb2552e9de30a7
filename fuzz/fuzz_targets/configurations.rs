//! A configuration file in any format: read or refused with a place, never a panic, and every place within the text.

#![no_main]

use std::path::Path;

use callsign_config::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    for name in [".mcp.json", "mcp.jsonc", ".vscode/mcp.json", ".claude.json", "callsign.toml"] {
        match parse(Path::new(name), input) {
            Ok(file) => {
                let text = file.shown_text();
                for server in &file.servers {
                    assert!(
                        text.get(server.place.span.range()).is_some(),
                        "{name}: a key outside the text"
                    );
                    let spans = server.spans.tools.iter().chain(&server.spans.include);
                    for span in spans {
                        assert!(
                            text.get(span.range()).is_some(),
                            "{name}: a tool outside the text"
                        );
                    }
                    let _ = server.expand(Path::new("/"), &|_| None);
                }
            }
            Err(error) => assert!(!error.to_string().is_empty() && !error.remedy().is_empty()),
        }
    }
});
