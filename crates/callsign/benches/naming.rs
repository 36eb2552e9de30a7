//! What a name costs, against `format!` of a string of the same parts.
//!
//! Limits: 3 times for a name that is legal as it stands, 15 times for one that has to be substituted, cut and hashed.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints and may fail")]

mod limit;

use std::hint::black_box;

use callsign::scheme::{PrefixedSafe, ProviderSafe, Qualified, Scheme};
use callsign::{ServerKey, WireName};
use divan::Bencher;

type Part = (&'static str, &'static str);

const LEGAL: Part = ("github", "create_pull_request");
const ILLEGAL: Part = ("google.workspace", "calendar.events/update");
const LONG: Part = (
    "enterprise-configuration-management-database",
    "update_configuration_item_owner_email_and_notify_subscribers",
);

fn parts((server, wire): Part) -> (ServerKey, WireName) {
    (ServerKey::new(server).unwrap(), WireName::new(wire).unwrap())
}

fn main() {
    divan::main();
    if limit::wanted() {
        for (what, part, limit) in
            [("legal", LEGAL, 3.0), ("illegal", ILLEGAL, 15.0), ("long", LONG, 15.0)]
        {
            against_format(what, &ProviderSafe, part, limit);
            against_format(what, &PrefixedSafe::default(), part, limit);
        }
        against_format("legal", &Qualified::default(), LEGAL, 3.0);
    }
}

fn against_format(what: &str, scheme: &dyn Scheme, part: Part, limit: f64) {
    const NAMES: usize = 20_000;
    let (server, wire) = parts(part);
    let prefix = if scheme.id() == "prefixed-safe" { "" } else { "mcp__" };
    limit::ratio(
        &format!("{}, {what}, against format!", scheme.id()),
        limit,
        || {
            limit::timed(|| {
                for _ in 0..NAMES {
                    drop(black_box(scheme.name(black_box(&server), black_box(&wire))));
                }
            })
        },
        || {
            limit::timed(|| {
                for _ in 0..NAMES {
                    drop(black_box(format!(
                        "{prefix}{}__{}",
                        black_box(&server),
                        black_box(&wire)
                    )));
                }
            })
        },
    );
}

#[divan::bench(args = [LEGAL, ILLEGAL, LONG])]
fn provider_safe(bencher: Bencher<'_, '_>, part: Part) {
    let (server, wire) = parts(part);
    bencher.bench(|| ProviderSafe.name(black_box(&server), black_box(&wire)));
}

#[divan::bench(args = [LEGAL, ILLEGAL, LONG])]
fn prefixed_safe(bencher: Bencher<'_, '_>, part: Part) {
    let (server, wire) = parts(part);
    let scheme = PrefixedSafe::default();
    bencher.bench(|| scheme.name(black_box(&server), black_box(&wire)));
}

#[divan::bench(args = [LEGAL, ILLEGAL, LONG])]
fn qualified(bencher: Bencher<'_, '_>, part: Part) {
    let (server, wire) = parts(part);
    bencher.bench(|| Qualified::default().name(black_box(&server), black_box(&wire)));
}

#[divan::bench(args = [LEGAL, ILLEGAL, LONG])]
fn plain_format(bencher: Bencher<'_, '_>, part: Part) {
    let (server, wire) = parts(part);
    bencher.bench(|| format!("mcp__{}__{}", black_box(&server), black_box(&wire)));
}
