//! Aligned columns.

use anstyle::Style;

use crate::output::{HEADING, escaped};

/// Rows under a heading, each column as wide as its widest cell. The last column is not padded, and a column of which no
/// row has anything is left out.
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
        let heading = self.heading.iter().map(|title| ((*title).to_owned(), HEADING)).collect();
        let widths: Vec<Option<usize>> = (0..self.heading.len()).map(|at| self.width(at)).collect();
        let mut out = String::new();
        for row in std::iter::once(&heading).chain(&self.rows) {
            push_row(&mut out, row, &widths);
        }
        out
    }

    /// The width of a column, or nothing if it is empty.
    fn width(&self, column: usize) -> Option<usize> {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let widest =
            cells.map(|(text, _)| text.chars().count()).max().filter(|width| *width > 0)?;
        Some(widest.max(self.heading.get(column)?.len()))
    }
}

fn push_row(out: &mut String, row: &[(String, Style)], widths: &[Option<usize>]) {
    let shown = row.iter().zip(widths).filter_map(|(cell, width)| Some((cell, (*width)?)));
    let mut gap = 0;
    for ((text, style), width) in shown {
        if !text.is_empty() {
            out.extend(std::iter::repeat_n(' ', gap));
            out.push_str(&format!("{style}{text}{style:#}"));
            gap = 0;
        }
        gap += width.saturating_sub(text.chars().count()) + 2;
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

    #[test]
    fn a_column_without_content_is_left_out() {
        let mut table = Table::new(["A", "EMPTY", "B", "C"]);
        let row = |texts: [&str; 4]| texts.map(|text| (text.to_owned(), Style::new()));
        table.row(row(["1", "", "", "4"]));
        table.row(row(["1", "", "wide", "4"]));
        let plain = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(plain, "A  B     C\n1        4\n1  wide  4\n");
    }
}
