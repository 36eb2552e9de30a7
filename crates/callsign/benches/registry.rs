//! What a registry of 1,000 servers with 100 tools each costs, against a `HashMap` of the standard library that holds the
//! same names and tools.
//!
//! Limits: registering 4 times the insertion into the map, resolving no more than its look-up, and 200 bytes a tool beside
//! the definitions themselves.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints and may fail")]

mod limit;

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use callsign::registry::{Registration, Registry, Snapshot};
use callsign::scheme::Qualified;
use callsign::{Catalogue, ServerKey, Tool};
use divan::Bencher;

const SERVERS: usize = 1_000;
const TOOLS: usize = 100;

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

fn definition(tool: usize) -> String {
    format!(
        r#"{{"name":"operation_number_{tool}","description":"Does one of many things","inputSchema":{{"type":"object"}}}}"#
    )
}

fn catalogues() -> Vec<(ServerKey, Catalogue)> {
    let server = |server: usize| {
        let mut catalogue = Catalogue::default();
        for tool in 0..TOOLS {
            catalogue.push_tool(&definition(tool));
        }
        (ServerKey::new(format!("server-{server}")).unwrap(), catalogue)
    };
    (0..SERVERS).map(server).collect()
}

fn pairs() -> Vec<(String, Tool)> {
    let server = |(server, catalogue): (ServerKey, Catalogue)| {
        let name = |tool: &Tool| (format!("mcp__{server}__{}", tool.wire()), tool.clone());
        catalogue.tools().iter().map(name).collect::<Vec<_>>()
    };
    catalogues().into_iter().flat_map(server).collect()
}

fn registry(catalogues: Vec<(ServerKey, Catalogue)>) -> Registry {
    let mut registry = Registry::new(Qualified::default());
    for (server, catalogue) in catalogues {
        registry.register(server, catalogue, Registration::default()).unwrap();
    }
    registry
}

fn map(pairs: Vec<(String, Tool)>) -> HashMap<String, Tool> {
    let mut map = HashMap::new();
    for (name, tool) in pairs {
        map.insert(name, tool);
    }
    map
}

/// Every name once, in an order that jumps about.
fn asked() -> Vec<String> {
    let pairs = pairs();
    let step = 61_803; // No common factor with the number of names.
    (0..pairs.len()).map(|at| pairs[at * step % pairs.len()].0.clone()).collect()
}

fn resolved(snapshot: &Snapshot, asked: &[String]) -> usize {
    asked
        .iter()
        .filter_map(|name| snapshot.resolve(black_box(name)).ok())
        .map(|e| e.wire().len())
        .sum()
}

fn looked_up(map: &HashMap<String, Tool>, asked: &[String]) -> usize {
    asked.iter().filter_map(|name| map.get(black_box(name))).map(|tool| tool.wire().len()).sum()
}

fn main() {
    divan::main();
    if limit::wanted() {
        memory();
        registering();
        resolving();
    }
}

fn memory() {
    let before = IN_USE.load(Ordering::Relaxed);
    let registry = registry(catalogues());
    let used = IN_USE.load(Ordering::Relaxed) - before;
    let own: usize =
        registry.snapshot().entries().filter_map(|e| Some(e.tool().definition()?.len())).sum();
    let a_tool = (used - own) / (SERVERS * TOOLS);
    let verdict = if a_tool <= 200 { "met" } else { "NOT MET" };
    println!("memory: {a_tool} bytes a tool beside its definition, limit 200: {verdict}");
}

fn registering() {
    limit::ratio(
        "registering 100,000 tools, against inserting them into a HashMap",
        4.0,
        || {
            let catalogues = catalogues();
            limit::timed(|| registry(catalogues))
        },
        || {
            let pairs = pairs();
            limit::timed(|| map(pairs))
        },
    );
}

fn resolving() {
    let (snapshot, map, asked) = (registry(catalogues()).snapshot(), map(pairs()), asked());
    limit::ratio(
        "resolving a name among 100,000, against HashMap::get",
        1.0,
        || limit::timed(|| resolved(&snapshot, &asked)),
        || limit::timed(|| looked_up(&map, &asked)),
    );
}

#[divan::bench(sample_count = 10)]
fn register_100k(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(catalogues).bench_values(registry);
}

#[divan::bench(sample_count = 10)]
fn insert_100k_into_hash_map(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(pairs).bench_values(map);
}

#[divan::bench(sample_count = 20)]
fn resolve_100k_names(bencher: Bencher<'_, '_>) {
    let (snapshot, asked): (Arc<Snapshot>, _) = (registry(catalogues()).snapshot(), asked());
    bencher.bench(|| resolved(&snapshot, &asked));
}

#[divan::bench(sample_count = 20)]
fn get_100k_names_of_hash_map(bencher: Bencher<'_, '_>) {
    let (map, asked) = (map(pairs()), asked());
    bencher.bench(|| looked_up(&map, &asked));
}

/// The help on a miss looks at every name: what a model that asks for nonsense costs.
#[divan::bench(sample_count = 5)]
fn miss_among_100k(bencher: Bencher<'_, '_>) {
    let snapshot = registry(catalogues()).snapshot();
    bencher.bench(|| snapshot.resolve(black_box("mcp__server-77__operation_nunber_5")).is_err());
}

#[divan::bench(sample_count = 5)]
fn replace_one_of_1000_servers_while_a_snapshot_is_held(bencher: Bencher<'_, '_>) {
    let mut all = catalogues();
    let (server, catalogue) = all[500].clone();
    let mut registry = registry(std::mem::take(&mut all));
    bencher.with_inputs(|| catalogue.clone()).bench_local_values(|catalogue| {
        let held = registry.snapshot();
        (registry.replace(&server, catalogue).unwrap(), held)
    });
}
