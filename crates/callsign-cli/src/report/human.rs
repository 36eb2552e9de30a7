//! `--format human`: each finding with an excerpt of the file it is in, then a summary.

use std::fmt::Write as _;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Origin as FileOrigin, Renderer, Snippet};
use anstyle::Style;
use callsign::audit::Severity;

use super::{LocatedFinding, Report, ReportFormat, count_of};
use crate::catalogues::Origin;
use crate::command::Verbosity;
use crate::failure::Failure;
use crate::locate::Located;
use crate::output::{self, DIM, GOOD, HELP, count, escaped, is_visible};

/// With more findings than this, excerpts would bury the list; `-v` shows them all the same.
const MOST_EXCERPTS: usize = 10;
/// Excerpts of one finding; the places beyond are named in its sentence already.
const MOST_PLACES: usize = 6;

pub(crate) struct Human {
    pub(crate) verbosity: Verbosity,
    pub(crate) colored: bool,
}

impl ReportFormat for Human {
    fn render(&self, report: &Report<'_>) -> Result<String, Failure> {
        // Room for most sentences: a text of this size is costly to move while it grows.
        let mut out = String::with_capacity(512 + 192 * report.findings.len());
        let excerpts = self.findings(&report.findings, &mut out);
        self.summary(report, &mut out);
        if !self.verbosity.quiet {
            self.hints(report, excerpts, &mut out);
        }
        Ok(out)
    }
}

impl Human {
    /// The findings: each with its excerpts, or in short lists if there are many. Whether they have their excerpts.
    pub(super) fn findings(&self, findings: &[LocatedFinding<'_>], out: &mut String) -> bool {
        let excerpts = self.verbosity.verbose || findings.len() <= MOST_EXCERPTS;
        if excerpts {
            for located in findings {
                out.push_str(&self.excerpt(located));
                out.push_str("\n\n");
            }
        } else {
            self.lists(findings, out);
        }
        excerpts
    }

    /// `1 error, 2 warnings`; empty if there are none.
    pub(super) fn counts(&self, findings: &[LocatedFinding<'_>]) -> String {
        let kinds =
            [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "note")];
        let counts = kinds.into_iter().filter_map(|(severity, what)| {
            let number = count_of(findings, severity);
            let style = self.severity_style(severity);
            (number > 0).then(|| format!("{style}{}{style:#}", count(number, what)))
        });
        counts.collect::<Vec<_>>().join(", ")
    }

    /// The style where there are colours, else none.
    pub(super) fn style(&self, style: Style) -> Style {
        if self.colored { style } else { Style::new() }
    }

    fn severity_style(&self, severity: Severity) -> Style {
        self.style(match severity {
            Severity::Error => output::ERROR,
            Severity::Warning => output::WARNING,
            Severity::Info => output::INFO,
        })
    }

    /// A finding in full: sentence, excerpts with carets, what to do.
    fn excerpt(&self, LocatedFinding { finding, places }: &LocatedFinding<'_>) -> String {
        let level = match finding.severity() {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let shown: Vec<Excerpt> = places.iter().take(MOST_PLACES).filter_map(Excerpt::of).collect();
        let title = level.primary_title(finding.message()).id(finding.code().code);
        let group =
            shown.iter().enumerate().fold(Group::with_title(title), |group, (index, excerpt)| {
                let kind =
                    if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
                excerpt.add_to(group, kind)
            });
        let group = match finding.help() {
            Some(help) => group.element(Level::HELP.message(help)),
            None => group,
        };
        let renderer = if self.colored { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }

    /// Each code once, and under it a line for each finding.
    fn lists(&self, findings: &[LocatedFinding<'_>], out: &mut String) {
        let one_list = |a: &LocatedFinding<'_>, b: &LocatedFinding<'_>| {
            let of = |located: &LocatedFinding<'_>| {
                (located.finding.code().code, located.finding.severity())
            };
            of(a) == of(b)
        };
        let mut paths = Paths::default();
        for list in findings.chunk_by(one_list) {
            let Some(LocatedFinding { finding, .. }) = list.first() else { continue };
            let (severity, code, name) =
                (finding.severity(), finding.code().code, finding.code().name);
            let (style, dim) = (self.severity_style(severity), self.style(DIM));
            let times = count(list.len(), "finding");
            let _ = writeln!(out, "{style}{severity}[{code}]{style:#}: {name}, {times}");
            let (begin, end) = (format!("  {dim}"), format!("{dim:#}  "));
            let widest = list.iter().map(|located| width(located, &mut paths)).max().unwrap_or(0);
            for located in list {
                out.push_str(&begin);
                if let Some(Located { file, place }) = located.places.first() {
                    let _ = write!(out, "{}:{place}", paths.shown(file.path()).0);
                }
                out.extend(std::iter::repeat_n(' ', widest - width(located, &mut paths)));
                for part in [&*end, located.finding.message(), "\n"] {
                    out.push_str(part);
                }
            }
            out.push('\n');
        }
    }

    fn summary(&self, report: &Report<'_>, out: &mut String) {
        if report.servers.is_empty() {
            out.push_str("no servers are configured and enabled: nothing to check\n");
            return;
        }
        let (checked, servers) = (report.checked(), report.servers.len());
        let (tools, scheme) = (count(report.tool_count(), "tool"), report.scheme.id());
        let _ = writeln!(
            out,
            "checked {checked} of {} with {tools}, names by `{scheme}`{}",
            count(servers, "server"),
            cached(report)
        );
        let counts = self.counts(&report.findings);
        match counts.is_empty() {
            true if !report.off.is_empty() => {
                let _ = writeln!(out, "nothing found; switched off: {}", report.off.join(", "));
            }
            true if checked > 0 && checked == servers => {
                let good = self.style(GOOD);
                let _ =
                    writeln!(out, "{good}every tool has one name and every name one tool{good:#}");
            }
            true => {}
            false => {
                let _ = writeln!(out, "{counts}");
            }
        }
    }

    /// What to type next.
    fn hints(&self, report: &Report<'_>, excerpts: bool, out: &mut String) {
        let help = self.style(HELP);
        let mut hint = |command: &str, does: &str| {
            let _ = writeln!(out, "{help}{command}{help:#} {does}");
        };
        if let Some(first) = report.findings.first() {
            let code = first.finding.code().code;
            hint(&format!("callsign explain {code}"), "says what it means and what to do");
        }
        if !excerpts {
            hint("callsign check -v", "shows each in its file, with what to do");
        }
        let unchecked = report.servers.iter().any(|known| known.origin == Origin::Unchecked);
        if unchecked && !report.asked && report.checked() > 0 {
            hint("callsign check --live", "asks the servers themselves");
        }
    }
}

/// Old answers are no fresh ones, and a reader must see which they got.
fn cached(report: &Report<'_>) -> String {
    let cached = report.servers.iter().filter(|known| known.origin == Origin::Cached).count();
    match cached {
        0 => String::new(),
        _ => format!("; {} as last asked", count(cached, "server")),
    }
}

/// Machines write files of one line: one longer than this, in bytes, is named and not shown.
const LONGEST_LINE: usize = 4096;

/// One line of a file, and the part of it that is meant.
struct Excerpt {
    path: String,
    /// `None` for a line that is too long to show.
    line: Option<String>,
    number: usize,
    column: usize,
    span: std::ops::Range<usize>,
}

impl Excerpt {
    /// Cuts the line out of the file. Values that may be secret are starred, and what could steer a terminal is replaced.
    fn of(Located { file, place }: &Located<'_>) -> Option<Self> {
        let text = file.shown_text();
        let start = text.get(..place.span.start)?.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let end = text.get(start..)?.find(['\n', '\r']).map_or(text.len(), |at| start + at);
        let meant_end = place.span.end.clamp(place.span.start, end);
        let mut excerpt = Self {
            path: escaped(&file.path().to_string_lossy()),
            line: None,
            number: place.line,
            column: place.column,
            span: 0..0,
        };
        if end - start <= LONGEST_LINE {
            let before = harmless(text.get(start..place.span.start)?);
            let meant = harmless(text.get(place.span.start..meant_end)?);
            excerpt.span = before.len()..before.len() + meant.len();
            excerpt.line = Some(before + &meant + &harmless(text.get(meant_end..end)?));
        }
        Some(excerpt)
    }

    fn add_to<'a>(&'a self, group: Group<'a>, kind: AnnotationKind) -> Group<'a> {
        match &self.line {
            Some(line) => group.element(
                Snippet::source(line)
                    .path(&self.path)
                    .line_start(self.number)
                    .annotation(kind.span(self.span.clone())),
            ),
            None => group
                .element(FileOrigin::path(&self.path).line(self.number).char_column(self.column)),
        }
    }
}

/// Marks what could steer a terminal or can't be seen, one character for one, so that carets stay in place.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if c == '\t' || is_visible(c) { c } else { '\u{fffd}' }).collect()
}

/// Files' paths as they are shown. Most findings of a report are in one file.
#[derive(Default)]
struct Paths<'a> {
    last: Option<(&'a Path, String, usize)>,
}

impl<'a> Paths<'a> {
    /// A file's path, and how many characters it has.
    fn shown(&mut self, path: &'a Path) -> (&str, usize) {
        let last = self.last.take().filter(|(before, ..)| std::ptr::eq(*before, path));
        let (_, shown, width) = self.last.insert(last.unwrap_or_else(|| {
            let shown = escaped(&path.to_string_lossy());
            let width = shown.chars().count();
            (path, shown, width)
        }));
        (shown, *width)
    }
}

/// How many characters `path:line:column` has; none for a finding without a place.
fn width<'a>(located: &LocatedFinding<'a>, paths: &mut Paths<'a>) -> usize {
    let digits = |number: usize| number.checked_ilog10().map_or(1, |digits| digits as usize + 1);
    located.places.first().map_or(0, |Located { file, place }| {
        paths.shown(file.path()).1 + digits(place.line) + digits(place.column) + "::".len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_seen_is_marked() {
        assert_eq!(
            harmless("\u{1b}[1m\u{200b}\u{202e}\u{e0041}\u{7f}\u{9b}"),
            "\u{fffd}[1m\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"
        );
        let seen = "\t\"it's\" \\ é e\u{301} 日本 ไทย हिन्दी 🙂";
        assert_eq!(harmless(seen), seen);
    }
}
