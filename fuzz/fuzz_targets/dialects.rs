//! Any file of rules in every dialect: read or refused with a place, never a panic; its places lie within the text, and
//! every decision is by an entry that is there and covers the tool, or by none.

#![no_main]

use std::path::Path;

use callsign::ToolId;
use callsign_config::HostRules;
use callsign_config::dialect::{self, Fleet};
use libfuzzer_sys::fuzz_target;

/// Names in every format that files of rules have: JSON, YAML, TOML, front matter.
const FILES: [&str; 5] = ["rules.json", "rules.jsonc", "rules.yaml", "rules.toml", "rules.md"];

fn fleet() -> Fleet {
    let tools = [("github", "get_issue"), ("a__b", "c"), ("a", "b__c"), ("my server", "list.files")];
    Fleet::new(tools.into_iter().filter_map(|(server, wire)| ToolId::parse(server, wire).ok()))
}

fuzz_target!(|input: &[u8]| {
    let fleet = fleet();
    let mut read = Vec::new();
    let spoken = dialect::ALL.into_iter().map(Some).chain([None]);
    for spoken in spoken {
        for name in FILES {
            match dialect::parse(Path::new(name), input, spoken) {
                Ok(file) => read.push(file),
                Err(error) => assert!(!error.to_string().is_empty() && !error.remedy().is_empty()),
            }
        }
    }
    for file in &read {
        let length = input.len() + 1;
        for rules in &file.sets {
            for entry in &rules.entries {
                assert!(entry.span.range().end <= length, "an entry outside the text");
            }
            for tool in fleet.tools() {
                let decision = rules.decide(&fleet, tool);
                assert!(decision.by.is_none_or(|by| by < rules.entries.len()));
            }
        }
        for host in HostRules::of(std::slice::from_ref(file), &fleet) {
            let judged = host.judged(&[]);
            assert_eq!(judged.tools.len(), fleet.len());
        }
    }
});
