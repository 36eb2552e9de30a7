//! The lists: which tools stand on which page, and how pages are asked for.

use std::path::Path;

use crate::behaviour::Behaviour;
use crate::huge_line::{HugeLine, HugePlace};
use crate::json_text::{self, Object};
use crate::rpc_error::RpcError;

/// One page of a list: raw items and the cursor of the next page.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) items: Vec<String>,
    pub(crate) next: Option<String>,
}

impl Behaviour {
    /// The page of tools that `cursor` asks for.
    pub(crate) fn tool_page(&self, cursor: Option<&str>) -> Result<Page, RpcError> {
        let pages = self.tool_pages();
        if self.paging.repeating {
            return repeating(&pages, cursor);
        }
        let index = self.page_index(cursor)?;
        let last = index + 1 >= pages.len();
        let items = match pages.get(index) {
            Some(page) => page.clone(),
            None if self.paging.endless => vec![self.ordinary_tool(&format!("endless_{index}"))],
            None => return Err(unknown_cursor(cursor)),
        };
        let more = !last || self.paging.endless;
        Ok(Page { items, next: more.then(|| self.cursor_of(index + 1)) })
    }

    /// Whether a call of this name is answered: it is listed somewhere, or would be with enough pages.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        let endless = self.paging.endless && name.starts_with("endless_");
        let ordinary = self.tool_names().iter().any(|known| known == name);
        endless || ordinary || self.tool_pages().concat().iter().any(|tool| is_named(tool, name))
    }

    fn tool_pages(&self) -> Vec<Vec<String>> {
        let tools = self.tools();
        let size = self.paging.size.unwrap_or(tools.len()).max(1);
        let mut pages: Vec<Vec<String>> = tools.chunks(size).map(<[_]>::to_vec).collect();
        for name in &self.catalogue.duplicates {
            let page = page_of(&pages, name);
            put(&mut pages, page, self.second_definition(name));
        }
        for name in &self.catalogue.duplicates_next_page {
            let page = page_of(&pages, name) + 1;
            put(&mut pages, page, self.second_definition(name));
        }
        pages
    }

    /// Every tool in its order: ordinary ones, definitions, and the malformed ones after the first.
    fn tools(&self) -> Vec<String> {
        let names = self.tool_names();
        let mut tools: Vec<String> = names.iter().map(|name| self.ordinary_tool(name)).collect();
        let padding = HugeLine::padding(self.noise.huge_line, HugePlace::List);
        if let (Some(padding), Some(name), Some(first)) =
            (padding, names.first(), tools.first_mut())
        {
            *first = self.described_tool(name, &padding);
        }
        tools.extend(self.catalogue.definitions.iter().map(|json| json_text::one_line(json)));
        let second = 1.min(tools.len());
        tools.splice(second..second, self.catalogue.malformed.iter().cloned());
        tools
    }

    fn tool_names(&self) -> Vec<String> {
        if let Some(file) = &self.catalogue.tools_file {
            return names_in(file);
        }
        if self.catalogue.tools.is_empty() && self.catalogue.definitions.is_empty() {
            return vec!["echo".into()];
        }
        self.catalogue.tools.clone()
    }

    fn ordinary_tool(&self, name: &str) -> String {
        self.described_tool(name, "Answers with its server, its name and its arguments.")
    }

    fn second_definition(&self, name: &str) -> String {
        self.described_tool(name, "Another definition of the same name.")
    }

    fn described_tool(&self, name: &str, description: &str) -> String {
        let extras = self.extras();
        let text = Object::new().text("type", "string").fields(&extras).json();
        let count = Object::new().text("type", "integer").fields(self.limits()).json();
        let properties = Object::new().raw("text", &text).raw("count", &count).json();
        let schema = Object::new()
            .text("type", "object")
            .raw("properties", &properties)
            .fields(&extras)
            .json();
        let annotations = Object::new().raw("readOnlyHint", "true").fields(&extras).json();
        Object::new()
            .text("name", name)
            .text("title", &format!("Title of {name}"))
            .text("description", description)
            .raw("inputSchema", &schema)
            .raw("annotations", &annotations)
            .fields(&extras)
            .json()
    }

    fn limits(&self) -> &'static str {
        if self.catalogue.big_numbers {
            r#""minimum":-9223372036854775809,"maximum":18446744073709551616"#
        } else {
            ""
        }
    }

    fn cursor_of(&self, index: usize) -> String {
        if self.paging.empty_cursor && index == 1 { String::new() } else { format!("page:{index}") }
    }

    fn page_index(&self, cursor: Option<&str>) -> Result<usize, RpcError> {
        match cursor {
            None => Ok(0),
            Some("") if self.paging.empty_cursor => Ok(1),
            Some(text) => text
                .strip_prefix("page:")
                .and_then(|index| index.parse().ok())
                .ok_or_else(|| unknown_cursor(cursor)),
        }
    }
}

/// The first page, then the second one (or the first, if there is no other) again and again under one cursor.
fn repeating(pages: &[Vec<String>], cursor: Option<&str>) -> Result<Page, RpcError> {
    let items = match cursor {
        None => pages.first(),
        Some("again") => pages.get(1).or(pages.first()),
        Some(_) => return Err(unknown_cursor(cursor)),
    };
    Ok(Page { items: items.cloned().unwrap_or_default(), next: Some("again".into()) })
}

fn unknown_cursor(cursor: Option<&str>) -> RpcError {
    RpcError::invalid_params(format!("unknown cursor: {}", cursor.unwrap_or_default()))
}

fn is_named(tool: &str, name: &str) -> bool {
    json_text::text_field(tool, "name").as_deref() == Some(name)
}

fn page_of(pages: &[Vec<String>], name: &str) -> usize {
    pages.iter().position(|page| page.iter().any(|tool| is_named(tool, name))).unwrap_or(0)
}

fn put(pages: &mut Vec<Vec<String>>, index: usize, tool: String) {
    while pages.len() <= index {
        pages.push(Vec::new());
    }
    pages[index].push(tool);
}

/// The names in a file, one a line. A file that is not there yet lists nothing.
pub(crate) fn names_in(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::trim).filter(|name| !name.is_empty()).map(Into::into).collect()
}
