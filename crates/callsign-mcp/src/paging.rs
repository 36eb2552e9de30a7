use std::collections::BTreeSet;

use callsign::catalogue::fields;
use callsign_wire::text::printable;
use callsign_wire::{Connection, Era, RequestError};
use serde_json::value::RawValue;

use crate::failure::Stage;
use crate::limits::Limits;

/// A list under way, page by page.
pub(crate) struct Paging<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) limits: &'a Limits,
    /// `tools`, `prompts`, `resources` or `resources/templates`: the method is `{list}/list`.
    pub(crate) list: &'static str,
    /// The page asked for, counted from 1; also the number of pages once the list is complete.
    pub(crate) page: usize,
}

/// Why a list is not complete.
pub(crate) enum Incomplete {
    /// The request failed.
    Request(RequestError),
    /// What came is wrong or too much.
    Content(BadList),
}

/// What is wrong with a list whose requests succeeded.
pub(crate) enum BadList {
    /// A page names a cursor that an earlier page named.
    RepeatedCursor {
        /// Counted from 1.
        page: usize,
    },
    /// It exceeds a limit.
    TooMuch {
        /// `pages`, `entries` or `bytes`.
        what: &'static str,
        limit: usize,
    },
    /// An answer is no list.
    Unreadable { reason: String },
}

/// One page: its entries, and the raw cursor of the next one.
struct Page {
    entries: Vec<Box<RawValue>>,
    next: Option<Box<RawValue>>,
}

impl<'a> Paging<'a> {
    pub(crate) fn new(connection: &'a Connection, limits: &'a Limits, list: &'static str) -> Self {
        Self { connection, limits, list, page: 0 }
    }

    pub(crate) fn stage(&self) -> Stage {
        Stage::Listing { list: self.list, page: self.page.max(1) }
    }

    /// Reads the list to its last page.
    pub(crate) async fn complete(&mut self) -> Result<Vec<Box<RawValue>>, Incomplete> {
        let method = format!("{}/list", self.list);
        let mut entries = Vec::new();
        let mut cursors = BTreeSet::new();
        let mut bytes = 0;
        let mut first_page = 0;
        let mut cursor: Option<Box<RawValue>> = None;
        loop {
            self.page += 1;
            let params = cursor.as_ref().map(|cursor| cursor_params(cursor));
            let may_mean_none = cursor.as_ref().is_some_and(|cursor| self.may_mean_none(cursor));
            let result = match self.connection.request(&method, params.as_deref()).await {
                Ok(result) => result,
                Err(RequestError::Refused(_)) if may_mean_none => {
                    return Ok(self.without_page(entries));
                }
                Err(error) => return Err(Incomplete::Request(error)),
            };
            bytes += result.get().len();
            let page = self.read(&result)?;
            if may_mean_none && are_same(&entries[..first_page], &page.entries) {
                return Ok(self.without_page(entries));
            }
            if self.page == 1 {
                first_page = page.entries.len();
            }
            entries.extend(page.entries);
            self.within("bytes", bytes, self.limits.bytes)?;
            self.within("entries", entries.len(), self.limits.entries)?;
            let Some(next) = page.next else { return Ok(entries) };
            if !cursors.insert(next.get().to_owned()) {
                return Err(Incomplete::Content(BadList::RepeatedCursor { page: self.page }));
            }
            self.within("pages", self.page + 1, self.limits.pages)?;
            cursor = Some(next);
        }
    }

    /// The member of the result that holds the entries.
    fn member(&self) -> &'static str {
        if self.list == "resources/templates" { "resourceTemplates" } else { self.list }
    }

    fn within(&self, what: &'static str, count: usize, limit: usize) -> Result<(), Incomplete> {
        if count <= limit {
            return Ok(());
        }
        Err(Incomplete::Content(BadList::TooMuch { what, limit }))
    }

    fn read(&self, result: &RawValue) -> Result<Page, Incomplete> {
        let wrong = |reason: String| {
            let reason = printable(&reason, 200);
            Incomplete::Content(BadList::Unreadable { reason })
        };
        let result = fields(result.get()).map_err(wrong)?;
        let member = self.member();
        let entries = result.get(member).ok_or_else(|| wrong(format!("it has no `{member}`")))?;
        let entries: Vec<&RawValue> = serde_json::from_str(entries)
            .map_err(|error| wrong(format!("its `{member}` is not a list: {error}")))?;
        let next = result.get("nextCursor").filter(|raw| *raw != "null");
        Ok(Page {
            entries: entries.into_iter().map(ToOwned::to_owned).collect(),
            next: next.and_then(|raw| RawValue::from_string(raw.to_owned()).ok()),
        })
    }

    /// An empty string is a cursor like any other in 2026-07-28 (server/utilities/pagination). Before, servers in
    /// languages without "absent" send it to say that there is none; it is tried, and a refusal or the first page over
    /// again is taken for that.
    fn may_mean_none(&self, cursor: &RawValue) -> bool {
        let is_stateless =
            self.connection.spoken().is_some_and(|spoken| spoken.era == Era::Stateless);
        cursor.get() == "\"\"" && !is_stateless
    }

    fn without_page(&mut self, entries: Vec<Box<RawValue>>) -> Vec<Box<RawValue>> {
        self.page -= 1;
        entries
    }
}

/// The cursor goes back as it came, whatever JSON it is.
fn cursor_params(cursor: &RawValue) -> Box<RawValue> {
    let params = format!("{{\"cursor\":{}}}", cursor.get());
    RawValue::from_string(params).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Whether two pages hold the same entries, by what names them: a server may word them anew each time.
fn are_same(page: &[Box<RawValue>], other: &[Box<RawValue>]) -> bool {
    let name = |entry: &RawValue| {
        let object = fields(entry.get()).ok();
        let named =
            object.and_then(|object| object.get("name").or(object.get("uri")).map(str::to_owned));
        named.unwrap_or_else(|| entry.get().to_owned())
    };
    page.iter().map(|entry| name(entry)).eq(other.iter().map(|entry| name(entry)))
}
