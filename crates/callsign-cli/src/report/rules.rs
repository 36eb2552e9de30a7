//! What `rules check` found: the findings, and every entry with what it matches.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anstyle::Style;
use callsign::audit::{JudgedRule, JudgedRules, Reached, Severity};
use callsign_config::HostRules;
use callsign_config::dialect::{Fact, Profile};
use serde::Serialize;

use super::human::Human;
use super::json::{self, Names};
use super::{LocatedFinding, count_of};
use crate::catalogues::{Known, Origin};
use crate::failure::Failure;
use crate::locate::Location;
use crate::output::{self, DIM, ERROR, GOOD, HEADING, HELP, NAME, WARNING, count};
use crate::table::Table;

/// What `rules check` found.
#[derive(Debug)]
pub(crate) struct RulesReport<'a> {
    /// Sorted by key.
    pub(crate) servers: &'a [Known<'a>],
    /// Whether the servers themselves were asked.
    pub(crate) asked: bool,
    /// The rules by language, and the same as the audit sees them.
    pub(crate) in_force: &'a [HostRules<'a>],
    pub(crate) judged: &'a [JudgedRules<'a>],
    pub(crate) findings: Vec<LocatedFinding<'a>>,
}

impl RulesReport<'_> {
    /// Servers whose tools are known.
    pub(crate) fn checked(&self) -> usize {
        self.servers.iter().filter(|known| known.origin != Origin::Unchecked).count()
    }

    pub(crate) fn entries(&self) -> usize {
        self.judged.iter().map(|judged| judged.entries.len()).sum()
    }

    fn tools(&self) -> usize {
        self.judged.first().map_or(0, |judged| judged.tools.len())
    }

    fn files(&self) -> usize {
        let entries = self.judged.iter().flat_map(|judged| &judged.entries);
        let dropped = self.judged.iter().flat_map(|judged| &judged.dropped);
        let files = entries.map(|entry| &entry.place.file);
        files.chain(dropped.map(|(place, _)| &place.file)).collect::<BTreeSet<_>>().len()
    }
}

/// The tools that an entry reaches, in the order of the fleet, and their servers, each once.
fn reach<'j>(judged: &'j JudgedRules<'_>, entry: &JudgedRule) -> (usize, Vec<&'j str>) {
    let reached = match &entry.reached {
        Reached::Tools(tools) => tools.as_slice(),
        _ => &[],
    };
    let ids = reached.iter().filter_map(|&at| judged.tools.get(at as usize));
    let servers: BTreeSet<&str> = ids.map(|id| id.server().as_str()).collect();
    (reached.len(), servers.into_iter().collect())
}

/// What an entry comes to, in one word.
fn status(entry: &JudgedRule) -> &'static str {
    match &entry.reached {
        Reached::Tools(tools) if tools.is_empty() => "unmatched",
        Reached::Tools(_) => "matches",
        Reached::Refused { .. } => "ambiguous",
        Reached::Never(_) => "never",
        Reached::Unreadable(_) => "unreadable",
        Reached::Unknown(_) => "unknown",
        Reached::Dropped => "dropped",
        Reached::Foreign => "foreign",
    }
}

/// The facts of a language, each with its label.
fn facts(profile: &Profile) -> [(&'static str, Fact); 5] {
    [
        ("compared", profile.compared),
        ("wildcards", profile.wildcards),
        ("precedence", profile.precedence),
        ("empty", profile.empty),
        ("unknown_entry", profile.unknown_entry),
    ]
}

impl Human {
    pub(crate) fn rules(&self, report: &RulesReport<'_>) -> String {
        let mut out = String::new();
        let excerpts = self.findings(&report.findings, &mut out);
        for (host, judged) in report.in_force.iter().zip(report.judged) {
            self.language(host.dialect().profile(), judged, &mut out);
        }
        self.rules_summary(report, &mut out);
        if !self.verbosity.quiet && !report.findings.is_empty() {
            let help = self.style(HELP);
            let code = report.findings.first().map_or("", |first| first.finding.code().code);
            let _ = writeln!(
                out,
                "{help}callsign explain {code}{help:#} says what it means and what to do"
            );
            if !excerpts {
                let _ = writeln!(
                    out,
                    "{help}callsign rules check -v{help:#} shows each in its file, with what to do"
                );
            }
        }
        out
    }

    /// One language's entries as a table, and what is not known of it.
    fn language(&self, profile: &Profile, judged: &JudgedRules<'_>, out: &mut String) {
        let (heading, dim) = (self.style(HEADING), self.style(DIM));
        let _ = writeln!(out, "{heading}{}{heading:#} {dim}({}){dim:#}", profile.host, profile.id);
        let mut table = Table::new(["RULE", "DOES", "TOOLS", "SERVERS", "PLACE"]);
        for entry in &judged.entries {
            table.row(row(judged, entry));
        }
        let text = table.render();
        out.push_str(&match self.colored {
            true => text,
            false => anstream::adapter::strip_str(&text).to_string(),
        });
        for (label, fact) in facts(profile) {
            if self.verbosity.verbose || matches!(fact, Fact::Unknown(_)) {
                let label = label.replace('_', " ");
                let _ = writeln!(out, "{dim}{label}: {}{dim:#}", fact.words());
            }
        }
        out.push('\n');
    }

    fn rules_summary(&self, report: &RulesReport<'_>, out: &mut String) {
        let (files, entries) = (count(report.files(), "file"), count(report.entries(), "rule"));
        let (tools, servers) = (count(report.tools(), "tool"), report.servers.len());
        let checked = report.checked();
        let _ = writeln!(
            out,
            "held {entries} of {files} against {tools} of {checked} of {}",
            count(servers, "server")
        );
        let counts = self.counts(&report.findings);
        if !counts.is_empty() {
            let _ = writeln!(out, "{counts}");
        } else if report.entries() > 0 && checked == servers {
            let good = self.style(GOOD);
            let _ = writeln!(out, "{good}every rule matches what it names{good:#}");
        }
    }
}

/// How many servers a row names.
const SHOWN: usize = 3;

fn row(judged: &JudgedRules<'_>, entry: &JudgedRule) -> [(String, Style); 5] {
    let (tools, servers) = reach(judged, entry);
    let shown = servers.get(..SHOWN).unwrap_or(&servers).join(", ");
    let servers = match servers.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    };
    let (tools, style) = match (status(entry), entry.does.restricts()) {
        ("matches", _) => (tools.to_string(), Style::new()),
        ("foreign", _) => ("not MCP".to_owned(), DIM),
        ("unmatched", true) => ("0".to_owned(), ERROR),
        ("unmatched", false) => ("0".to_owned(), WARNING),
        (other, true) => (other.to_owned(), ERROR),
        (other, false) => (other.to_owned(), WARNING),
    };
    [
        (entry.text.clone(), NAME),
        (entry.does.as_str().to_owned(), Style::new()),
        (tools, style),
        (servers, Style::new()),
        (entry.place.to_string(), DIM),
    ]
}

/// The document of `--format json`.
pub(crate) fn json(report: &RulesReport<'_>) -> Result<String, Failure> {
    let names = Names::default();
    let languages = report.in_force.iter().zip(report.judged);
    let document = Document {
        version: 1,
        servers: report.servers.iter().map(json::server).collect(),
        languages: report.in_force.iter().map(|host| language(host.dialect().profile())).collect(),
        rules: languages
            .flat_map(|(host, judged)| {
                let id = host.dialect().profile().id;
                judged.entries.iter().map(move |entry| rule(id, judged, entry))
            })
            .collect(),
        findings: report.findings.iter().map(|located| json::finding(located, &names)).collect(),
        summary: Summary {
            files: report.files(),
            rules: report.entries(),
            servers: report.servers.len(),
            checked: report.checked(),
            tools: report.tools(),
            errors: count_of(&report.findings, Severity::Error),
            warnings: count_of(&report.findings, Severity::Warning),
        },
    };
    output::json(&document)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    servers: Vec<json::Server<'a>>,
    languages: Vec<Language>,
    rules: Vec<Rule<'a>>,
    findings: Vec<json::Finding<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Language {
    id: &'static str,
    host: &'static str,
    compared: Option<&'static str>,
    wildcards: Option<&'static str>,
    precedence: Option<&'static str>,
    empty: Option<&'static str>,
    unknown_entry: Option<&'static str>,
}

fn language(profile: &Profile) -> Language {
    let known = |fact| match fact {
        Fact::Established(text) => Some(text),
        Fact::Unknown(_) => None,
    };
    Language {
        id: profile.id,
        host: profile.host,
        compared: known(profile.compared),
        wildcards: known(profile.wildcards),
        precedence: known(profile.precedence),
        empty: known(profile.empty),
        unknown_entry: known(profile.unknown_entry),
    }
}

#[derive(Serialize)]
struct Rule<'a> {
    language: &'static str,
    list: &'a str,
    text: &'a str,
    does: &'static str,
    status: &'static str,
    tools: usize,
    servers: Vec<&'a str>,
    reason: Option<&'a str>,
    location: Location,
}

fn rule<'a>(
    language: &'static str,
    judged: &'a JudgedRules<'_>,
    entry: &'a JudgedRule,
) -> Rule<'a> {
    let (tools, servers) = reach(judged, entry);
    Rule {
        language,
        list: &entry.list,
        text: &entry.text,
        does: entry.does.as_str(),
        status: status(entry),
        tools,
        servers,
        reason: match &entry.reached {
            Reached::Never(why) | Reached::Unreadable(why) | Reached::Unknown(why) => Some(why),
            _ => None,
        },
        location: Location {
            file: entry.place.file.to_string(),
            line: entry.place.line as usize,
            column: entry.place.column as usize,
        },
    }
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    rules: usize,
    servers: usize,
    checked: usize,
    tools: usize,
    errors: usize,
    warnings: usize,
}
