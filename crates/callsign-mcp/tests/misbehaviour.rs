//! What `fetch` gives for every misbehaviour of the test server, over both transports and in every era where it applies.
//!
//! Each row states the outcome; none may hang. Statements 1 to 6 are those of the protocol's two eras:
//! what a client owes a server of unknown era.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod kit;

use std::time::Duration;

use callsign::registry::{RegisterError, Registration, Registry};
use callsign::scheme::Qualified;
use callsign_mcp::{Era, FetchError, Fetched, Limits, Memory, Note, Stage, fetch};
use futures_util::StreamExt;
use kit::{Over, kit, names, tell, unless_hung};

/// How long a server may be silent that is not meant to be, process start on a busy machine included.
const SOON: Duration = Duration::from_secs(10);
/// The limit of servers that never answer.
const SHORT: Duration = Duration::from_secs(4);
/// Rows tried at once.
const AT_ONCE: usize = 6;

const STDIO: &[Over] = &[Over::Stdio];
const HTTP: &[Over] = &[Over::Http];
const BOTH: &[Over] = &[Over::Stdio, Over::Http];

const ALL: &[&str] = &["legacy", "dual", "modern", "silent-on-discover", "exits-on-discover"];
/// A server that ends at the probe can't be started again from afar.
const ALIVE: &[&str] = &["legacy", "dual", "modern", "silent-on-discover"];
const HANDSHAKE: &[&str] = &["legacy", "silent-on-discover", "exits-on-discover"];
const STATELESS: &[&str] = &["dual", "modern"];

type Outcome = Result<Fetched, FetchError>;

/// One misbehaviour and what becomes of it.
struct Row {
    name: &'static str,
    flags: &'static [&'static str],
    over: &'static [Over],
    eras: &'static [&'static str],
    limits: Limits,
    gives: Gives,
}

enum Gives {
    /// A catalogue with these tools, in this order, of which more is true.
    Tools(&'static [&'static str], fn(&Fetched) -> bool),
    /// An error of this kind whose sentence has this part.
    Fails(&'static str, fn(&FetchError) -> bool),
}

fn row(name: &'static str, flags: &'static [&'static str]) -> Row {
    // Only who is meant to be silent is, however busy the machine.
    let limits = Limits { probe: SOON, probe_http: SOON, ..Limits::default() };
    let gives = Gives::Tools(&["echo"], |_| true);
    Row { name, flags, over: BOTH, eras: ALIVE, limits, gives }
}

/// Takes half a second of silence for that of a server that does not know the question.
fn impatient(limits: &mut Limits) {
    (limits.probe, limits.probe_http) = (Duration::from_millis(500), Duration::from_millis(500));
}

impl Row {
    fn over(self, over: &'static [Over]) -> Self {
        Self { over, ..self }
    }

    fn eras(self, eras: &'static [&'static str]) -> Self {
        Self { eras, ..self }
    }

    fn limits(mut self, change: fn(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    /// Waits no longer than the short limit.
    fn short(mut self) -> Self {
        self.limits.start = SHORT;
        self
    }

    fn tools(self, tools: &'static [&'static str]) -> Self {
        Self { gives: Gives::Tools(tools, |_| true), ..self }
    }

    fn and(self, more: fn(&Fetched) -> bool) -> Self {
        let Gives::Tools(tools, _) = self.gives else { panic!("{} fails", self.name) };
        Self { gives: Gives::Tools(tools, more), ..self }
    }

    fn fails(self, says: &'static str, kind: fn(&FetchError) -> bool) -> Self {
        Self { gives: Gives::Fails(says, kind), ..self }
    }

    async fn try_with(&self, over: Over, era: &'static str) -> Result<(), String> {
        let flags: Vec<&str> =
            ["--era", era].into_iter().chain(self.flags.iter().copied()).collect();
        let kit = kit(over, &flags).await;
        let mut limits = self.limits;
        if era == "silent-on-discover" {
            impatient(&mut limits);
        }
        let outcome = unless_hung(fetch(&kit.spec, &limits, &Memory::none())).await;
        self.judge(&outcome).map_err(|why| format!("{why}: {}", shown(&outcome)))
    }

    fn judge(&self, outcome: &Outcome) -> Result<(), String> {
        match (&self.gives, outcome) {
            (Gives::Tools(tools, _), Ok(fetched)) if names(fetched) != *tools => {
                Err(format!("not the tools {tools:?}"))
            }
            (Gives::Tools(_, more), Ok(fetched)) if !more(fetched) => {
                Err("the tools, and something wrong".to_owned())
            }
            (Gives::Fails(says, kind), Err(error)) => {
                let sentence = error.to_string();
                match (kind(error), sentence.contains(says), error.remedy().is_empty()) {
                    (true, true, false) => Ok(()),
                    (false, ..) => Err("not the right error".to_owned()),
                    _ => Err(format!("does not say {says:?}, or no remedy: {sentence}")),
                }
            }
            (Gives::Tools(..), Ok(_)) => Ok(()),
            _ => Err("not the right outcome".to_owned()),
        }
    }
}

fn shown(outcome: &Outcome) -> String {
    match outcome {
        Ok(fetched) => {
            format!("Ok({:?}, {:?}, {:?})", names(fetched), fetched.era, fetched.notes)
        }
        Err(error) => format!("{error} — {error:?}").chars().take(900).collect(),
    }
}

/// Tries every row over its transports in its eras, and tells all that went wrong.
async fn all(rows: Vec<Row>) {
    let tries = rows.iter().flat_map(|row| {
        row.over.iter().flat_map(move |&over| row.eras.iter().map(move |&era| (row, over, era)))
    });
    let outcomes = futures_util::stream::iter(tries).map(|(row, over, era)| async move {
        let outcome = row.try_with(over, era).await;
        outcome.err().map(|why| (row.name, over, era, why))
    });
    let wrong: Vec<_> =
        outcomes.buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await;
    tell(&wrong);
}

fn broke(error: &FetchError) -> bool {
    matches!(error, FetchError::BrokenOff { .. })
}

fn listing(page: usize) -> Stage {
    Stage::Listing { list: "tools", page }
}

fn ended_early(error: &FetchError, at: Stage, with: &str) -> bool {
    matches!(error, FetchError::ExitedEarly { stage, status, .. }
        if *stage == at && status.as_deref() == Some(with))
}

fn timed_out(error: &FetchError, at: Stage) -> bool {
    matches!(error, FetchError::TimedOut { stage, .. } if *stage == at)
}

#[tokio::test]
async fn good_servers_of_every_era() {
    all(vec![
        // Statement 1: asked to initialize on the same connection once the probe limit has passed, not restarted.
        row("silent on discover", &[])
            .eras(&["silent-on-discover"])
            .and(|fetched| fetched.era == Era::Handshake && fetched.notes.is_empty()),
        // Statement 2: started once more, initialize first.
        row("exits on discover", &[])
            .over(STDIO)
            .eras(&["exits-on-discover"])
            .and(|fetched| fetched.era == Era::Handshake && fetched.notes == [Note::Restarted]),
        row("exits on discover, out of reach", &[])
            .over(HTTP)
            .eras(&["exits-on-discover"])
            .fails("the connection broke before it answered", broke),
        row("handshake only", &[])
            .eras(&["legacy"])
            .and(|fetched| (fetched.era, &*fetched.protocol) == (Era::Handshake, "2025-11-25")),
        row("without handshake", &[])
            .eras(STATELESS)
            .and(|fetched| (fetched.era, &*fetched.protocol) == (Era::Stateless, "2026-07-28")),
        row("an older revision", &["--protocol", "2024-11-05"])
            .eras(&["legacy", "silent-on-discover"])
            .and(|fetched| fetched.protocol == "2024-11-05"),
        row("a revision nobody knows", &["--protocol", "1999-01-01"])
            .eras(&["legacy", "silent-on-discover"])
            .fails("it offers \"1999-01-01\"", |error| {
                matches!(error, FetchError::NoCommonRevision { .. })
            }),
    ])
    .await;
}

#[tokio::test]
async fn servers_that_end() {
    all(vec![
        row("exits at start", &["--exit-at", "start", "--exit-status", "3"])
            .over(STDIO)
            .eras(ALL)
            .fails("it ended before it answered the first message (exit status: 3)", |error| {
                ended_early(error, Stage::Opening, "exit status: 3")
            }),
        row("exits at initialize", &["--exit-at", "initialize"])
            .over(STDIO)
            .eras(HANDSHAKE)
            .fails("it ended before it answered the first message (exit status: 1)", |error| {
                ended_early(error, Stage::Opening, "exit status: 1")
            }),
        row("exits at initialize, from afar", &["--exit-at", "initialize"])
            .over(HTTP)
            .eras(&["legacy", "silent-on-discover"])
            .fails("the connection broke before it answered the first message", broke),
        row("exits at initialize, which it is never asked", &["--exit-at", "initialize"])
            .eras(STATELESS),
        row("exits at the probe", &["--exit-at", "discover"])
            .over(STDIO)
            .eras(&["legacy", "dual", "silent-on-discover"])
            .and(|fetched| fetched.notes == [Note::Restarted]),
        row("exits at the probe and has no handshake", &["--exit-at", "discover"])
            .over(STDIO)
            .eras(&["modern"])
            .fails("it answered with an error at the first message", |error| {
                matches!(error, FetchError::Refused { code: Some(-32022), .. })
            }),
        row("exits at the list", &["--exit-at", "list"])
            .over(STDIO)
            .eras(ALL)
            .fails("it ended while it was asked for its tools (exit status: 1)", |error| {
                ended_early(error, listing(1), "exit status: 1")
            }),
        row("exits at the list, from afar", &["--exit-at", "list"])
            .over(HTTP)
            .fails("the connection broke while it was asked for its tools", broke),
        row(
            "exits between pages",
            &["--tools", "a,b,c", "--page-size", "1", "--exit-after", "2", "--exit-status", "0"],
        )
        .over(STDIO)
        .eras(STATELESS)
        .fails("it ended while it was asked for page 2 of its tools (exit status: 0)", |error| {
            ended_early(error, listing(2), "exit status: 0")
        }),
        row("exits after every answer", &["--exit-after", "1"])
            .over(STDIO)
            .eras(ALL)
            .fails("it ended while it was asked for its tools", |error| {
                ended_early(error, listing(1), "exit status: 1")
            }),
    ])
    .await;
}

#[tokio::test]
async fn servers_that_are_silent_or_slow() {
    all(vec![
        row("never answers initialize", &["--never-answer", "initialize"])
            .over(STDIO)
            .eras(HANDSHAKE)
            .limits(impatient)
            .short()
            .fails("it did not answer the first message within 4 s", |error| {
                timed_out(error, Stage::Opening)
            }),
        row("never answers initialize, from afar", &["--never-answer", "initialize"])
            .over(HTTP)
            .eras(&["legacy", "silent-on-discover"])
            .limits(impatient)
            .short()
            .fails("it did not answer", |error| timed_out(error, Stage::Opening)),
        row("never answers what it is never asked", &["--never-answer", "initialize"])
            .eras(STATELESS),
        row("never answers discover", &["--never-answer", "discover"])
            .limits(impatient)
            .eras(&["legacy", "dual"])
            .and(|fetched| fetched.era == Era::Handshake),
        row("never answers anything", &["--never-answer", "all"])
            .limits(impatient)
            .short()
            .fails("it did not answer the first message within 4 s", |error| {
                timed_out(error, Stage::Opening)
            }),
        row("never answers the list", &["--never-answer", "list"])
            .limits(impatient)
            .short()
            .fails("its list of tools was not complete after 4 s (page 1)", |error| {
                timed_out(error, listing(1))
            }),
        row("never answers the list, started twice", &["--never-answer", "list"])
            .over(STDIO)
            .eras(&["exits-on-discover"])
            .limits(impatient)
            .short()
            .fails("its list of tools was not complete", |error| timed_out(error, listing(1))),
        row("slow", &["--slow", "200"]),
        // Statement 3: an answer to discover that comes after initialize was sent ends in exactly one era.
        row("slower than the probe waits", &["--slow", "1000"]).limits(impatient),
    ])
    .await;
}

#[tokio::test]
async fn servers_that_make_noise() {
    fn small(limits: &mut Limits) {
        limits.message_bytes = 1024 * 1024;
    }
    fn too_long(error: &FetchError) -> bool {
        matches!(error, FetchError::MessageTooLong { limit, .. } if *limit == 1024 * 1024)
    }
    all(vec![
        row("junk lines", &["--junk", "7"]).over(STDIO).eras(ALL).and(|fetched| {
            let noted = fetched.notes.iter().any(|note| {
                matches!(note, Note::Junk { lines, excerpts }
                    if *lines >= 7 && excerpts[0] == "Working directory: .")
            });
            noted && fetched.junk_lines >= 7
        }),
        row("junk in event streams", &["--junk", "7", "--reply", "sse"]).over(HTTP),
        row("a huge line of junk", &["--huge-line", "500000:junk"]).eras(ALIVE),
        row("a line of junk beyond the limit", &["--huge-line", "1100000:junk"])
            .over(STDIO)
            .limits(small)
            .fails("a message longer than 1048576 bytes", too_long),
        row("a huge list", &["--huge-line", "500000:list"]).limits(small),
        row("a list beyond the limit", &["--huge-line", "1100000:list"])
            .limits(small)
            .fails("a message longer than 1048576 bytes", too_long),
        row(
            "a list beyond the limit, in an event",
            &["--huge-line", "1100000:list", "--reply", "sse"],
        )
        .over(HTTP)
        .limits(small)
        .fails("a message longer than 1048576 bytes", too_long),
        row("200 announcements after the handshake", &["--list-changed", "200"]),
        row(
            "200 announcements after the list",
            &["--list-changed", "200:list", "--tools", "a,b", "--page-size", "1"],
        )
        .tools(&["a", "b"]),
        row("logs before the first answer", &["--log-first", "50"]).eras(ALIVE),
        row("words on standard error", &["--stderr", "x"]).over(STDIO).eras(ALL),
    ])
    .await;
}

#[tokio::test]
async fn lists_over_many_pages() {
    fn few(limits: &mut Limits) {
        limits.pages = 20;
    }
    let abc = &["a", "b", "c"];
    all(vec![
        row("three pages", &["--tools", "a,b,c", "--page-size", "1"])
            .tools(abc)
            .and(|fetched| fetched.pages == 3),
        row("the empty cursor", &["--tools", "a,b,c", "--page-size", "1", "--empty-cursor"])
            .tools(abc)
            .and(|fetched| fetched.pages == 3),
        row("an endless list", &["--endless-cursor"])
            .limits(few)
            .fails("its list of tools has more than 20 pages", |error| {
                matches!(error, FetchError::TooMuch { what: "pages", .. })
            }),
        row("an endless list, by its entries", &["--endless-cursor"])
            .limits(|limits| limits.entries = 20)
            .fails("its list of tools has more than 20 entries", |error| {
                matches!(error, FetchError::TooMuch { what: "entries", .. })
            }),
        row("an endless list, by its bytes", &["--endless-cursor"])
            .limits(|limits| limits.bytes = 5000)
            .fails("its list of tools has more than 5000 bytes", |error| {
                matches!(error, FetchError::TooMuch { what: "bytes", .. })
            }),
        row("a circle", &["--tools", "a,b,c", "--page-size", "1", "--repeat-cursor"])
            .fails("goes in a circle: page 2 names a cursor for the second time", |error| {
                matches!(error, FetchError::RepeatedCursor { page: 2, .. })
            }),
    ])
    .await;
}

#[tokio::test]
async fn lists_that_are_none() {
    fn no_list(error: &FetchError) -> bool {
        matches!(error, FetchError::NotAList { list: "tools", .. })
    }
    type Kind = fn(&FetchError) -> bool;
    let says: &[(&str, &str, Kind)] = &[
        ("no-tools", "it has no `tools`", no_list),
        ("tools-null", "its `tools` is not a list", no_list),
        ("tools-object", "its `tools` is not a list", no_list),
        ("result-null", "its answer to the request for its tools can't be read", no_list),
        ("result-list", "its answer to the request for its tools can't be read", no_list),
        // A cursor goes back as it came, whatever it is; this server gives it again.
        ("cursor-number", "page 2 names a cursor for the second time", |error| {
            matches!(error, FetchError::RepeatedCursor { .. })
        }),
    ];
    let kinds: Vec<&str> =
        callsign_testkit::MALFORMED_LISTS.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, says.iter().map(|(kind, ..)| *kind).collect::<Vec<_>>());
    let rows = says.iter().map(|&(kind, says, is)| {
        let flags: &'static [&'static str] = Box::leak(Box::new(["--malformed-list", kind]));
        row(kind, flags).fails(says, is)
    });
    all(rows.collect()).await;
}

#[tokio::test]
async fn answers_that_are_none() {
    fn unreadable(error: &FetchError) -> bool {
        matches!(error, FetchError::Unreadable { stage, .. } if *stage == listing(1))
    }
    all(vec![
        // A piece of a message may be a log as well, so over stdio it ends nothing: the limit does, and says so.
        row("cut in the middle", &["--broken-answer", "cut"])
            .over(STDIO)
            .limits(impatient)
            .short()
            .fails("meanwhile it wrote 1 line that is no message", |error| {
                timed_out(error, listing(1))
                    && error.evidence().unwrap().junk[0].starts_with("{\"jsonrpc\"")
            }),
        row("cut in the middle, from afar", &["--broken-answer", "cut"]).over(HTTP).fails(
            "its answer can't be read while it was asked for its tools: it is not a JSON object",
            unreadable,
        ),
        row("to nobody", &["--broken-answer", "wrong-id"])
            .over(STDIO)
            .limits(impatient)
            .short()
            .fails("meanwhile it gave 1 answer to nothing that was asked", |error| {
                timed_out(error, listing(1)) && error.evidence().unwrap().strays == 1
            }),
        row("to nobody, from afar", &["--broken-answer", "wrong-id"]).over(HTTP).fails(
            "the connection broke while it was asked for its tools: the reply holds no answer",
            broke,
        ),
        row("with no id", &["--broken-answer", "null-id"]).fails(
            "its answer can't be read while it was asked for its tools: its `id` is neither",
            unreadable,
        ),
        row("with nothing in it", &["--broken-answer", "no-result"])
            .fails("its answer can't be read while it was asked for its tools", unreadable),
        row("with two outcomes", &["--broken-answer", "result-and-error"])
            .fails("its answer can't be read while it was asked for its tools", unreadable),
        row("twice", &["--broken-answer", "twice"]).over(STDIO),
        row("twice in a stream", &["--broken-answer", "twice", "--reply", "sse"]).over(HTTP),
        row("twice in one body", &["--broken-answer", "twice"])
            .over(HTTP)
            .fails("it is not a JSON object: trailing characters", unreadable),
        row("in a list", &["--broken-answer", "in-a-list"]),
    ])
    .await;
}

/// Each malformed tool stands between `a` and `b`: it is named with its position and costs neither, or is a tool as far
/// as names go.
#[tokio::test]
async fn malformed_tools_one_by_one() {
    enum Is {
        Named(&'static str),
        Kept(&'static str),
    }
    use Is::{Kept, Named};
    let table = [
        ("no-name", Named("it has no `name`")),
        ("null-name", Named("its `name` is not a string")),
        ("name-number", Named("its `name` is not a string")),
        ("name-object", Named("its `name` is not a string")),
        ("empty-name", Named("its `name` is empty")),
        ("blank-name", Kept("  ")),
        ("control-name", Kept("line\nbreak\u{1b}[31m")),
        ("lone-surrogate-name", Named("its `name` is not a string")),
        ("name-twice", Named("it has `name` twice")),
        ("not-an-object", Named("it is not an object")),
        ("null-tool", Named("it is not an object")),
        ("array-tool", Named("it is not an object")),
        ("no-schema", Kept("no_schema")),
        ("schema-null", Kept("schema_null")),
        ("schema-string", Kept("schema_string")),
        ("schema-array", Kept("schema_array")),
        ("schema-true", Kept("schema_true")),
        ("schema-not-object-type", Kept("schema_not_object_type")),
        ("schema-without-type", Kept("schema_without_type")),
        ("description-number", Kept("description_number")),
        ("annotations-list", Kept("annotations_list")),
        ("header-not-a-token", Kept("header_not_a_token")),
        ("deep-schema", Named("nests deeper than 127 levels")),
    ];
    let kinds: Vec<&str> = callsign_testkit::MALFORMED_TOOLS.iter().map(|tool| tool.kind).collect();
    assert_eq!(kinds, table.iter().map(|(kind, _)| *kind).collect::<Vec<_>>());
    for (kind, is) in table {
        for (over, era) in [
            (Over::Stdio, "legacy"),
            (Over::Http, "legacy"),
            (Over::Stdio, "modern"),
            (Over::Http, "modern"),
        ] {
            let kit = kit(over, &["--era", era, "--tools", "a,b", "--malformed", kind]).await;
            let fetched = fetch(&kit.spec, &Limits::default(), &Memory::none()).await.unwrap();
            let catalogue = &fetched.catalogue;
            assert_eq!(catalogue.advertised(), 3, "{kind}");
            match is {
                Named(reason) => {
                    assert_eq!(names(&fetched), ["a", "b"], "{kind}");
                    let [malformed] = catalogue.malformed() else { panic!("{kind}") };
                    assert_eq!(malformed.position, 1, "{kind}");
                    let said = malformed.reason.to_string();
                    assert!(said.contains(reason), "{kind}: {said}");
                }
                Kept(name) => {
                    assert_eq!(names(&fetched), ["a", name, "b"], "{kind}");
                    let json = callsign_testkit::malformed_tool(kind).unwrap();
                    assert_eq!(catalogue.tools()[1].definition(), Some(json), "{kind}");
                }
            }
            let header = matches!(&fetched.notes[..], [Note::BadHeaderParameter { tool, .. }] if tool.as_str() == "header_not_a_token");
            let expected = kind == "header-not-a-token" && (over, era) == (Over::Http, "modern");
            assert_eq!(header, expected, "{kind} {:?}", fetched.notes);
        }
    }
}

#[tokio::test]
async fn a_name_listed_twice_is_refused_with_both_positions() {
    for (flags, second) in [
        (&["--tools", "a,b,c", "--duplicate", "a"][..], 3),
        (&["--tools", "a,b,c", "--page-size", "2", "--duplicate-next-page", "a"], 3),
    ] {
        for (over, era) in [(Over::Stdio, "legacy"), (Over::Http, "modern")] {
            let flags: Vec<&str> =
                ["--era", era].into_iter().chain(flags.iter().copied()).collect();
            let kit = kit(over, &flags).await;
            let fetched = fetch(&kit.spec, &Limits::default(), &Memory::none()).await.unwrap();
            assert_eq!(names(&fetched).iter().filter(|name| **name == "a").count(), 2);
            let mut registry = Registry::new(Qualified::default());
            let key = kit.spec.key.clone();
            let error =
                registry.register(key, fetched.catalogue, Registration::default()).unwrap_err();
            let RegisterError::DuplicateInListing { duplicates, .. } = &error else {
                panic!("{error:?}")
            };
            assert_eq!(duplicates.len(), 1);
            assert_eq!((duplicates[0].wire.as_str(), duplicates[0].first), ("a", 0));
            assert_eq!(duplicates[0].second, second);
            assert_eq!(registry.snapshot().len(), 0, "the registry is as it was");
        }
    }
}

#[tokio::test]
async fn http_statuses_in_place_of_an_answer() {
    fn row_for(status: &'static str, requests: &'static str) -> Row {
        let flag: &'static str = Box::leak(format!("{status}:{requests}").into_boxed_str());
        let flags: &'static [&'static str] = Box::leak(Box::new(["--http-status", flag]));
        row(flag, flags).over(HTTP)
    }
    fn at(error: &FetchError, stage: Stage) -> bool {
        matches!(error, FetchError::Http { stage: at, .. } if *at == stage)
    }
    let mut rows = Vec::new();
    for (status, says) in [
        ("401", "HTTP status 401 at the first message"),
        ("403", "HTTP status 403 at the first message"),
        ("404", "HTTP status 404 at the first message"),
        ("405", "HTTP status 405 at the first message"),
        ("429", "HTTP status 429 at the first message"),
        ("500", "HTTP status 500 at the first message"),
        ("503", "HTTP status 503 at the first message"),
    ] {
        rows.push(row_for(status, "all").fails(says, |error| at(error, Stage::Opening)));
        // 404 to a request that names a session means that the session is over.
        let listing_eras = if status == "404" { &["modern", "dual"][..] } else { ALIVE };
        rows.push(
            row_for(status, "list")
                .eras(listing_eras)
                .fails("while it was asked for its tools", |error| at(error, listing(1))),
        );
    }
    // What a server that knows handshakes only says to an unknown method.
    for status in ["400", "404", "405", "406", "415", "422"] {
        let era: fn(&Fetched) -> bool = |fetched| fetched.era == Era::Handshake;
        rows.push(row_for(status, "discover").eras(&["legacy", "dual"]).and(era));
    }
    rows.push(
        row_for("404", "list")
            .eras(&["legacy", "silent-on-discover"])
            .fails("it ended the session while it was asked for its tools", |error| {
                matches!(error, FetchError::SessionEnded { .. })
            }),
    );
    all(rows).await;
}

#[tokio::test]
async fn servers_that_are_odd_over_http() {
    all(vec![
        row("answers as plain JSON", &["--reply", "json"]).over(HTTP),
        row("answers as event streams", &["--reply", "sse"]).over(HTTP),
        row("has no stream of its own", &["--no-get"]).over(HTTP),
        row("streams that end too early", &["--reply", "sse", "--drop-stream"])
            .over(HTTP)
            .fails("the connection broke before it answered the first message", broke),
        row("sessions that are forgotten", &["--forget-session-after", "1"])
            .over(HTTP)
            .eras(&["legacy", "silent-on-discover"])
            .fails("it ended the session while it was asked for its tools", |error| {
                *error == FetchError::SessionEnded { stage: listing(1) }
            }),
        row("the first revision", &["--first-revision"])
            .over(HTTP)
            .eras(&["legacy"])
            .fails("it speaks HTTP+SSE, the transport of revision 2024-11-05", |error| {
                *error == FetchError::FirstRevisionSse && error.remedy().contains("/mcp")
            }),
        row("unknown fields everywhere", &["--unknown-fields"]),
        row("numbers beyond 64 bits everywhere", &["--big-numbers"]),
    ])
    .await;
}
