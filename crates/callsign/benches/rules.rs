//! What deciding costs with 10,000 rules over 1,000 servers of 100 tools each, against the plain transcription of what rules
//! mean that the tests hold decisions against.
//!
//! Limits: deciding 200 times as fast as that; no slower for rules that don't concern the server; compiling in less time than
//! one such decision; 300 bytes a rule, and 100 bytes a tool beside the catalogue; and no more than linear in the length of
//! rules and names.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints and may fail")]

mod limit;
#[allow(dead_code, reason = "the tests ask for more")]
#[path = "../tests/rules/oracle.rs"]
mod oracle;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use callsign::registry::{Registration, Registry, Snapshot};
use callsign::rules::{Effect, Place, Policy, Pool, Rule, Verdict};
use callsign::scheme::ProviderSafe;
use callsign::{Catalogue, ServerKey, WireName};
use divan::Bencher;
use limit::timed;
use oracle::Tool;

const SERVERS: usize = 1_000;
const TOOLS: usize = 100;
const RULES_A_SERVER: usize = 10;

/// The system's allocator, and how many bytes are asked for at the moment.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on as it is; the count beside it touches no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_add(size, Ordering::Relaxed);
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Every fifth key has characters that are substituted, every tenth name is too long.
fn key(server: usize) -> String {
    match server % 5 {
        0 => format!("team.{server}/tools"),
        _ => format!("server-{server}"),
    }
}

fn wire(tool: usize) -> String {
    match tool % 10 {
        0 => format!("operation_number_{tool}_of_many_things_that_take_long_to_say"),
        _ => format!("operation_number_{tool}"),
    }
}

fn fleet() -> Vec<Tool> {
    let tools = |server| (0..TOOLS).map(move |tool| Tool { server: key(server), tool: wire(tool) });
    (0..SERVERS).flat_map(tools).collect()
}

fn registry() -> Arc<Snapshot> {
    let mut registry = Registry::new(ProviderSafe);
    for server in 0..SERVERS {
        let mut catalogue = Catalogue::default();
        (0..TOOLS).for_each(|tool| catalogue.push_named(WireName::new(wire(tool)).unwrap()));
        let server = ServerKey::new(key(server)).unwrap();
        registry.register(server, catalogue, Registration::default()).unwrap();
    }
    registry.snapshot()
}

/// Ten rules a server, as people write them: names, beginnings of names, and whole servers.
fn written(servers: std::ops::Range<usize>) -> Vec<(Effect, String)> {
    let of = |server: usize| {
        (0..RULES_A_SERVER).map(move |at| {
            let raw = oracle::raw(&Tool { server: key(server), tool: wire(at) });
            match at {
                0 => (Effect::Deny, raw),
                1 => (Effect::Ask, raw),
                2 => (Effect::Allow, raw[..raw.len() - 10].to_owned() + "*"),
                3 => (Effect::Deny, raw + "*"),
                4 => (Effect::Allow, format!("mcp__{}__operation_number_5*", key(server))),
                5 if server.is_multiple_of(7) => (Effect::Allow, format!("mcp__{}", key(server))),
                _ => (Effect::Allow, raw),
            }
        })
    };
    servers.flat_map(of).collect()
}

fn rules(servers: std::ops::Range<usize>) -> Vec<Rule> {
    let file: Arc<str> = "settings.json".into();
    let place = |line| Place { file: Arc::clone(&file), line, column: 7 };
    (1..)
        .zip(written(servers))
        .filter_map(|(line, (effect, text))| Some(Rule::spelled(effect, &text)?.at(place(line))))
        .collect()
}

/// Tools of all over the fleet, one of which is granted, one denied, one asked for, and one left alone.
fn calls() -> Vec<Tool> {
    let tool = |server, tool| Tool { server: key(server), tool: wire(tool) };
    vec![tool(500, 55), tool(701, 13), tool(902, 3), tool(3, 1), tool(805, 77)]
}

fn decided(policy: &Policy, pool: &Pool, calls: &[Tool], rounds: usize) -> usize {
    let mut granted = 0;
    for _ in 0..rounds {
        for me in calls {
            let decision = policy.decide(pool, black_box((me.server.as_str(), me.tool.as_str())));
            granted += usize::from(decision.verdict == Verdict::Allow);
        }
    }
    granted
}

/// One decision of each call by the transcription, in the time of one.
struct Plain {
    deny: Vec<String>,
    ask: Vec<String>,
    allow: Vec<String>,
    fleet: Vec<Tool>,
}

impl Plain {
    fn new() -> Self {
        let written = written(0..SERVERS);
        let of = |wanted: Effect| {
            let texts = written.iter().filter(|(effect, _)| *effect == wanted);
            texts.map(|(_, text)| text.clone()).collect()
        };
        let [deny, ask, allow] = Effect::ALL.map(of);
        Self { deny, ask, allow, fleet: fleet() }
    }

    fn decide(&self, me: &Tool) -> &'static str {
        oracle::decide(&self.deny, &self.ask, &self.allow, black_box(me), &self.fleet)
    }

    fn one_decision(&self) -> Duration {
        let calls = calls();
        let all = timed(|| calls.iter().map(|me| self.decide(me).len()).sum::<usize>()).0;
        all / u32::try_from(calls.len()).unwrap()
    }
}

fn main() {
    divan::main();
    if limit::wanted() {
        memory();
        let plain = Plain::new();
        deciding(&plain);
        compiling(&plain);
        other_servers();
        length();
    }
}

fn memory() {
    let in_use = || IN_USE.load(Ordering::Relaxed);
    let before = in_use();
    let policy = Policy::compile(rules(0..SERVERS));
    let count = policy.rules().len();
    bytes("memory: {} bytes a rule, text and place included", (in_use() - before) / count, 300);
    let snapshot = registry();
    let before = in_use();
    let count = snapshot.pool().len();
    bytes("memory: {} bytes a tool beside the catalogue", (in_use() - before) / count, 100);
}

fn bytes(what: &str, found: usize, most: usize) {
    let verdict = if found <= most { "met" } else { "NOT MET" };
    println!("{}, limit {most}: {verdict}", what.replace("{}", &found.to_string()));
}

fn deciding(plain: &Plain) {
    let (policy, snapshot, calls) = (Policy::compile(rules(0..SERVERS)), registry(), calls());
    let pool = snapshot.pool();
    for me in &calls {
        let decision = policy.decide(pool, (me.server.as_str(), me.tool.as_str()));
        assert_eq!(decision.verdict.as_str(), plain.decide(me), "{me:?}");
    }
    let one = u32::try_from(calls.len()).unwrap() * 200;
    let mut ours: Vec<_> =
        (0..15).map(|_| timed(|| decided(&policy, pool, &calls, 200)).0 / one).collect();
    let mut theirs: Vec<_> = (0..5).map(|_| plain.one_decision()).collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    let times = |ours: Duration, theirs: Duration| theirs.as_secs_f64() / ours.as_secs_f64();
    let (least, median) = (times(ours[0], theirs[0]), times(ours[7], theirs[2]));
    let verdict = if least >= 200.0 { "met" } else { "NOT MET" };
    println!(
        "a decision, 10,000 rules, 100,000 tools: {least:.0} times as fast as the plain transcription \
         (median {median:.0}), limit 200: {verdict}"
    );
}

fn compiling(plain: &Plain) {
    limit::ratio(
        "compiling 10,000 rules, against one decision of the plain transcription",
        1.0,
        || {
            let rules = rules(0..SERVERS);
            timed(|| Policy::compile(rules))
        },
        || (plain.one_decision(), ()),
    );
}

fn other_servers() {
    let (snapshot, calls) =
        (registry(), [3, 4, 5, 6].map(|tool| Tool { server: key(7), tool: wire(tool) }));
    let (few, many) = (Policy::compile(rules(0..10)), Policy::compile(rules(0..SERVERS)));
    limit::ratio(
        "a decision with 9,900 rules of other servers, against one without them",
        1.5,
        || timed(|| decided(&many, snapshot.pool(), &calls, 500)),
        || timed(|| decided(&few, snapshot.pool(), &calls, 500)),
    );
}

/// A name and a rule of this many characters, made of what is hardest to read.
fn long(length: usize) -> (Pool, Policy, Tool) {
    let me = Tool { server: "__a.".repeat(length / 4), tool: "_é__".repeat(length / 4) };
    let near = Tool { server: me.server.clone() + "_", tool: me.tool.clone() };
    let pool = Pool::of([&me, &near].map(|tool| (tool.server.as_str(), tool.tool.as_str())));
    let raw = oracle::raw(&me);
    let texts = [raw.replace(['.', 'é'], "_") + "*", raw.replace('.', "_") + "*", raw + "x*"];
    let rules = texts.iter().flat_map(|text| Effect::ALL.map(|effect| Rule::spelled(effect, text)));
    (pool, Policy::compile(rules.flatten().collect()), me)
}

fn length() {
    let (short, longer) = (long(20_000), long(200_000));
    let decide = |(pool, policy, me): &(Pool, Policy, Tool), rounds| {
        timed(|| decided(policy, pool, std::slice::from_ref(me), rounds))
    };
    limit::ratio(
        "one decision on a name and rules of 400,000 characters, against ten on a tenth of that",
        1.5,
        || decide(&longer, 1),
        || decide(&short, 10),
    );
}

#[divan::bench(sample_count = 20)]
fn decide_5_calls_with_10k_rules_over_100k_tools(bencher: Bencher<'_, '_>) {
    let (policy, snapshot, calls) = (Policy::compile(rules(0..SERVERS)), registry(), calls());
    let pool = snapshot.pool();
    bencher.bench(|| decided(&policy, pool, &calls, 1));
}

#[divan::bench(sample_count = 10)]
fn compile_10k_rules(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(|| rules(0..SERVERS)).bench_values(Policy::compile);
}

#[divan::bench(sample_count = 5)]
fn pool_of_100k_tools(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(registry).bench_values(|snapshot| snapshot.pool().len());
}

#[divan::bench(sample_count = 5)]
fn explain_with_10k_rules_over_100k_tools(bencher: Bencher<'_, '_>) {
    let (policy, snapshot, calls) = (Policy::compile(rules(0..SERVERS)), registry(), calls());
    let me = &calls[0];
    bencher.bench(|| policy.explain(snapshot.pool(), (me.server.as_str(), me.tool.as_str())));
}
