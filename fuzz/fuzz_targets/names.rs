//! A fleet, one identity a line (`server key`, tab, `wire name`), through every scheme and into a registry.

#![no_main]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use callsign::registry::{Load, Registration, Registry};
use callsign::scheme::{Fold, IDS, PrefixedSafe, Scheme, by_id, is_provider_char};
use callsign::{Catalogue, ServerKey, ToolId};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let identity = |line: &str| line.split_once('\t').and_then(|(s, w)| ToolId::parse(s, w).ok());
    let ids: BTreeSet<ToolId> = text.split('\n').filter_map(identity).take(64).collect();
    for identifier in IDS {
        let Some(scheme) = by_id(identifier, ids.iter().map(|id| (id.server(), id.wire()))) else {
            unreachable!("{identifier} is a scheme")
        };
        every_name_is_legal_or_told(&*scheme, &ids);
        none_is_lost(Arc::from(scheme), &ids, text);
    }
    for fold in [Fold::None, Fold::Hyphens, Fold::Case, Fold::HyphensAndCase] {
        prefixed_safe_is_injective(fold, &ids);
    }
});

fn every_name_is_legal_or_told(scheme: &dyn Scheme, ids: &BTreeSet<ToolId>) {
    for id in ids {
        match scheme.name(id.server(), id.wire()) {
            Ok(name) => {
                assert!(
                    name.len() <= scheme.limit() && name.chars().all(is_provider_char),
                    "{name}"
                );
            }
            Err(error) => {
                assert!(!scheme.is_total(), "{error}");
                assert!(!error.to_string().contains(char::is_control), "{error:?}");
            }
        }
    }
}

fn none_is_lost(scheme: Arc<dyn Scheme>, ids: &BTreeSet<ToolId>, asked: &str) {
    let mut fleet = BTreeMap::<ServerKey, Catalogue>::new();
    for id in ids {
        fleet.entry(id.server().clone()).or_default().push_named(id.wire().clone());
    }
    let mut registry = Registry::with_scheme(scheme);
    let loads = fleet.into_iter().map(|(server, catalogue)| Load {
        server,
        catalogue: Ok(catalogue),
        registration: Registration::default(),
    });
    let loaded = registry.load(loads.collect());
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.len(), if loaded.is_ok() { ids.len() } else { 0 });
    if let Err(miss) = snapshot.resolve(asked) {
        let _ = (miss.to_string(), miss.suggestions());
    }
}

fn prefixed_safe_is_injective(fold: Fold, ids: &BTreeSet<ToolId>) {
    let Some(scheme) = PrefixedSafe::new(48, fold) else { unreachable!("48 is enough") };
    let hyphens = matches!(fold, Fold::Hyphens | Fold::HyphensAndCase);
    let case = matches!(fold, Fold::Case | Fold::HyphensAndCase);
    let mut holders = HashMap::new();
    for id in ids {
        let Ok(name) = scheme.name(id.server(), id.wire()) else { unreachable!("it is total") };
        let seen = if hyphens { name.replace('-', "_") } else { name.to_string() };
        let seen = if case { seen.to_ascii_lowercase() } else { seen };
        if let Some(other) = holders.insert(seen, id) {
            unreachable!("{id} and {other} are both {name}");
        }
    }
}
