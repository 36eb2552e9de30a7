//! What is wrong with a fleet's names, as findings with stable codes.
//!
//! ```
//! use callsign::audit::{Fleet, Server, audit};
//! use callsign::scheme::Qualified;
//! use callsign::{Catalogue, ServerKey, WireName};
//!
//! let server = |key: &str| {
//!     let mut catalogue = Catalogue::default();
//!     catalogue.push_named(WireName::new("request")?);
//!     Ok(Server { key: ServerKey::new(key)?, launch: None, catalogue: Ok(catalogue) })
//! };
//! let servers = vec![server("alpha")?, server("beta")?];
//! let scheme = Qualified::default();
//!
//! let findings = audit(&Fleet::new(&scheme, servers));
//! assert_eq!(findings[0].code().code, "CS001");
//! assert_eq!(findings[0].message(), "tool `request` is advertised by servers `alpha` and `beta`");
//! # Ok::<(), callsign::name::EmptyName>(())
//! ```
//!
//! The audit never guesses and never renames: it says what it sees, with the servers, names and places it is about. The
//! same fleet gives the same findings byte for byte, in whatever order its servers come.
//!
//! Each finding is one file: its page, its facts, its severity, its sentence, and the search for it. The one line below
//! is all that connects it. Its fixtures are `tests/audit/CS…/{invalid,valid}.json`.

mod exposed;
mod finding;
mod fleet;
mod foreign_entry;
mod index;
mod judged_rules;
mod page;
mod policy_rules;
mod proposal;
mod rule_intent;
mod wording;
mod words;

pub use finding::{Code, Entry, Finding, Kind, Place, Severity};
pub use fleet::{Fleet, Launch, Server, Unchecked};
pub use judged_rules::{Decided, JudgedRule, JudgedRules, Reached, RuleAct, RuleLanguage};
pub use policy_rules::{Matches, PolicyRules, reached};

use index::Index;

/// Declares each finding's module and its row in the table.
macro_rules! findings {
    ($($code:ident $module:ident $name:literal;)+) => {
        $(mod $module;)+

        static CODES: &[Code] = &[$(Code {
            code: stringify!($code),
            name: $name,
            severity: $module::SEVERITY,
            page: {
                const SOURCE: &[u8] = include_bytes!(concat!(stringify!($module), ".rs"));
                const LENGTH: usize = page::doc_comment::<0>(SOURCE).1;
                static PAGE: [u8; LENGTH] = page::doc_comment::<LENGTH>(SOURCE).0;
                page::text(&PAGE)
            },
            search: |index, code, found| {
                // Facts are worded as they are found, so that a search need not hold all of its facts at once.
                found.extend($module::search(index).into_iter().map(|facts| Finding::of(code, &facts)));
            },
        }),+];
    };
}

findings! {
    CS001 duplicate_tool "duplicate-tool";
    CS002 exposed_name_collision "exposed-name-collision";
    CS003 invalid_name "invalid-name";
    CS004 name_too_long "name-too-long";
    CS005 near_duplicate "near-duplicate";
    CS007 same_server_twice "same-server-twice";
    CS008 duplicate_within_server "duplicate-within-server";
    CS009 unchecked_server "unchecked-server";
    CS010 confusable_name "confusable-name";
    CS011 ambiguous_separator "ambiguous-separator";
    CS014 ineffective_rule "ineffective-rule";
    CS015 rule_reaches_further "rule-reaches-further";
}

/// Everything that is wrong with the fleet, sorted by code, then by the tools and servers it is about.
///
/// Takes time that grows with the number of tools, n log n at most.
#[must_use]
pub fn audit(fleet: &Fleet<'_>) -> Vec<Finding> {
    audit_for(fleet, |_| true)
}

/// As [`audit`], only the findings of the codes that are `wanted`; the others are not looked for.
#[must_use]
pub fn audit_for(fleet: &Fleet<'_>, wanted: impl Fn(&Code) -> bool) -> Vec<Finding> {
    let index = Index::of(fleet);
    // In most fleets most findings are about a name that several servers have.
    let mut found = Vec::with_capacity(index.tools.by_name.shared().len());
    for code in CODES.iter().filter(|code| wanted(code)) {
        let of_code = found.len();
        (code.search)(&index, code, &mut found);
        found[of_code..].sort_unstable_by(Finding::order);
    }
    found
}

/// Every code, in order.
#[must_use]
pub fn codes() -> &'static [Code] {
    CODES
}

/// The code of that text (`CS001`, in any case) or name (`duplicate-tool`).
#[must_use]
pub fn code(text: &str) -> Option<&'static Code> {
    CODES.iter().find(|code| code.code.eq_ignore_ascii_case(text) || code.name == text)
}
