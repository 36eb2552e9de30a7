//! One way through a text: what is done at each place where a name may begin.

use std::sync::Arc;

use crate::edge::{self, Edge};
use crate::names::{Fate, Name};
use crate::pattern::Verdict;
use crate::plan::Plan;
use crate::reason::Reason;
use crate::scan::{Edit, Left, Scan, Subject};
use crate::set_apart::{LineStart, is_set_apart};
use crate::unquoted::may_stand;

pub(crate) struct Pass<'a> {
    plan: &'a Plan,
    text: &'a [u8],
    line: LineStart,
    pub(crate) scan: Scan,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(plan: &'a Plan, text: &'a [u8]) -> Self {
        Self { plan, text, line: LineStart::default(), scan: Scan::default() }
    }

    /// Decides about a place, and says where to go on. Places come in ascending order.
    pub(crate) fn consider(&mut self, start: usize) -> usize {
        let before = edge::before(self.text, start);
        if before == Edge::Inside {
            return start + 1;
        }
        match self.plan.name_at(self.text, start) {
            Some((end, name, after)) => {
                let whole = before == Edge::Clear && after == Edge::Clear;
                self.name(start, end, name, whole)
            }
            None => self.pattern(start, before == Edge::Clear),
        }
    }

    fn name(&mut self, start: usize, end: usize, name: &Name, whole: bool) -> usize {
        if let Some(end) = new_name_around(name, self.text, start) {
            return end;
        }
        let is_word = (name.is_plain || name.becomes_plain) && !self.is_set_apart(start, end);
        if name.is_plain && (is_word || !whole) {
            self.scan.words += 1;
            return end;
        }
        match &name.fate {
            Fate::Same => {}
            Fate::Stay(reason) => self.leave(start, end, Arc::clone(reason)),
            Fate::Move { .. } if !whole => self.leave(start, end, Arc::new(Reason::Neighbour)),
            Fate::Move { to, .. } if is_word => {
                self.leave(start, end, Arc::new(Reason::Word { spelling: to.to_string() }));
            }
            Fate::Move { tool, to } => {
                self.replace(start, end, Arc::clone(to), Subject::Tool(tool.clone()));
            }
        }
        end
    }

    fn pattern(&mut self, start: usize, whole: bool) -> usize {
        let Some((end, verdict)) = self.plan.patterns.at(self.text, start) else {
            return start + 1;
        };
        match verdict {
            Verdict::Same => {}
            Verdict::Move(to, _) if is_around(&to, self.text, start, end) => {}
            _ if !whole => self.leave(start, end, Arc::new(Reason::Neighbour)),
            Verdict::Stay(reason) => self.leave(start, end, Arc::new(reason)),
            Verdict::Move(to, subject) => self.replace(start, end, to, subject),
        }
        end
    }

    fn is_set_apart(&mut self, start: usize, end: usize) -> bool {
        let line = self.line.of(self.text, start);
        self.plan.with_words || is_set_apart(self.text, line, start, end)
    }

    fn replace(&mut self, start: usize, end: usize, to: Arc<str>, subject: Subject) {
        if may_stand(&to, self.text, start, end) {
            self.scan.edits.push(Edit { start, end, to, subject });
        } else {
            self.leave(start, end, Arc::new(Reason::Unquoted { spelling: to.to_string() }));
        }
    }

    fn leave(&mut self, start: usize, end: usize, reason: Arc<Reason>) {
        self.scan.left.push(Left { start, end, reason });
    }
}

/// The end of a new name that has the old one at `start` in it, if that is what stands there.
fn new_name_around(name: &Name, text: &[u8], start: usize) -> Option<usize> {
    name.inside.iter().find_map(|(offset, new)| whole_at(new, text, start.checked_sub(*offset)?))
}

/// As [`new_name_around`], for a pattern.
fn is_around(new: &str, text: &[u8], start: usize, end: usize) -> bool {
    memchr::memmem::find_iter(new.as_bytes(), &text[start..end]).any(|at| {
        let begin = start.checked_sub(at);
        begin.is_some_and(|begin| begin + new.len() == end && stands_at(new, text, begin))
            || begin.and_then(|begin| whole_at(new, text, begin)).is_some()
    })
}

fn whole_at(new: &str, text: &[u8], start: usize) -> Option<usize> {
    let end = start + new.len();
    (stands_at(new, text, start) && edge::after(text, end) == Edge::Clear).then_some(end)
}

fn stands_at(new: &str, text: &[u8], start: usize) -> bool {
    text.get(start..start + new.len()) == Some(new.as_bytes())
        && edge::before(text, start) == Edge::Clear
}
