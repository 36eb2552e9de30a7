//! Aligned columns.

use anstyle::Style;

use crate::output::{HEADING, escaped};

/// Rows under a heading, each column as wide as its widest cell. The last column is not padded.
pub(crate) struct Table {
    heading: Vec<&'static str>,
    rows: Vec<Vec<(String, Style)>>,
}

impl Table {
    pub(crate) fn new(heading: impl IntoIterator<Item = &'static str>) -> Self {
        Self { heading: heading.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row. Cells are text from outside: they are escaped here.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = (String, Style)>) {
        self.rows.push(cells.into_iter().map(|(text, style)| (escaped(&text), style)).collect());
    }

    pub(crate) fn render(&self) -> String {
        let mut widths: Vec<usize> = self.heading.iter().map(|title| title.len()).collect();
        for row in &self.rows {
            for (width, (text, _)) in widths.iter_mut().zip(row) {
                *width = (*width).max(text.chars().count());
            }
        }
        let mut out = String::new();
        let heading: Vec<_> =
            self.heading.iter().map(|title| ((*title).to_owned(), HEADING)).collect();
        for row in std::iter::once(&heading).chain(&self.rows) {
            push_row(&mut out, row, &widths);
        }
        out
    }
}

fn push_row(out: &mut String, row: &[(String, Style)], widths: &[usize]) {
    let last = row.iter().rposition(|(text, _)| !text.is_empty()).unwrap_or(0);
    for (column, ((text, style), width)) in row.iter().zip(widths).enumerate().take(last + 1) {
        out.push_str(&format!("{style}{text}{style:#}"));
        if column < last {
            let gap = width.saturating_sub(text.chars().count()) + 2;
            out.extend(std::iter::repeat_n(' ', gap));
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_nothing_trails() {
        let mut table = Table::new(["SERVER", "TOOL"]);
        table.row([("a".into(), Style::new()), ("x".into(), Style::new())]);
        table.row([("long-key".into(), Style::new()), ("\u{1b}[31m".into(), Style::new())]);
        table.row([("b".into(), Style::new()), (String::new(), Style::new())]);
        let plain = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(plain, "SERVER    TOOL\na         x\nlong-key  \\u{1b}[31m\nb\n");
    }
}
