//! The tables of a site. Names of columns are the same in every language and format.

use std::borrow::Cow;

use model::finding::Severity;
use site::facts::{Edge, PageId, TextId};
use site::{SiteFacts, SiteReport, TemplateView};

use crate::format::csv_row;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// A whole number.
    Whole,
    /// A number with so many decimals as text.
    Decimal(usize),
    /// Yes or no.
    Flag,
}

/// A table: its name, as of its files, and its columns.
#[derive(Debug)]
pub struct SiteTable {
    /// `pages`, `links`, `findings` or `templates`.
    pub name: &'static str,
    /// Name and kind of each column.
    pub columns: &'static [(&'static str, ColumnKind)],
}

/// A value of a table; `None` where there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// Of [`ColumnKind::Text`].
    Text(Option<Cow<'a, str>>),
    /// Of [`ColumnKind::Whole`].
    Whole(Option<i64>),
    /// Of [`ColumnKind::Decimal`].
    Decimal(Option<f64>),
    /// Of [`ColumnKind::Flag`].
    Flag(Option<bool>),
}

use ColumnKind::{Decimal, Flag, Text, Whole};

/// Every address of the run.
pub const PAGES: SiteTable = SiteTable {
    name: "pages",
    columns: &[
        ("url", Text),
        ("answer", Text),
        ("status", Whole),
        ("score", Whole),
        ("depth", Whole),
        ("rank", Decimal(3)),
        ("indexable", Flag),
        ("title", Text),
        ("h1", Text),
        ("lang", Text),
        ("canonical", Text),
        ("links_in", Whole),
        ("links_out", Whole),
        ("template", Text),
    ],
};
/// Every link of every page.
pub const LINKS: SiteTable = SiteTable {
    name: "links",
    columns: &[("source", Text), ("target", Text), ("text", Text), ("nofollow", Flag), ("target_answer", Text)],
};
/// Every finding: of pages, and of the site with the address that a case is about.
pub const FINDINGS: SiteTable = SiteTable {
    name: "findings",
    columns: &[("url", Text), ("severity", Text), ("code", Text), ("message", Text), ("scope", Text)],
};
/// Every template.
pub const TEMPLATES: SiteTable = SiteTable {
    name: "templates",
    columns: &[("template", Text), ("example", Text), ("pages", Whole), ("score", Whole), ("gain", Decimal(1))],
};

impl<'a> Cell<'a> {
    fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(Some(text.into()))
    }

    fn count(count: usize) -> Self {
        Self::Whole(i64::try_from(count).ok())
    }

    /// The text of a cell of a column.
    fn as_csv(&self, kind: ColumnKind) -> Cow<'_, str> {
        match (self, kind) {
            (Self::Text(Some(text)), _) => Cow::Borrowed(text),
            (Self::Whole(Some(number)), _) => number.to_string().into(),
            (Self::Decimal(Some(number)), Decimal(places)) => format!("{number:.places$}").into(),
            (Self::Decimal(Some(number)), _) => number.to_string().into(),
            (Self::Flag(Some(flag)), _) => if *flag { "true" } else { "false" }.into(),
            (Self::Text(None) | Self::Whole(None) | Self::Decimal(None) | Self::Flag(None), _) => Cow::Borrowed(""),
        }
    }
}

impl SiteTable {
    /// The names of the columns as a line of CSV (RFC 4180).
    pub fn csv_header(&self) -> String {
        csv_row(&self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>())
    }

    /// A row as a line of CSV.
    pub fn csv_row(&self, row: &[Cell<'_>]) -> String {
        csv_row(&row.iter().zip(self.columns).map(|(cell, (_, kind))| cell.as_csv(*kind)).collect::<Vec<_>>())
    }
}

/// The table of pages as CSV, with its header.
pub fn page_table(site: &SiteFacts, report: &SiteReport) -> String {
    site.pages().fold(PAGES.csv_header(), |table, (id, _)| table + &PAGES.csv_row(&page_row(site, report, id)))
}

/// The row of [`PAGES`] of a page. Its score is after findings of the site, as everywhere in the report.
pub fn page_row<'a>(site: &'a SiteFacts, report: &SiteReport, id: PageId) -> Vec<Cell<'a>> {
    let Some(page) = site.page(id) else { return Vec::new() };
    let document = site.document(id);
    let of = |field: Option<TextId>| Cell::Text(field.map(|text| site.text(text).into()));
    let number = |number: Option<u32>| Cell::Whole(number.map(i64::from));
    vec![
        Cell::text(site.text(page.url)),
        Cell::text(page.answer.word()),
        number(page.status.map(u32::from)),
        number(report.page_scores.get(&id).copied()),
        number(site.depth(id)),
        Cell::Decimal(document.map(|_| site.rank(id))),
        Cell::Flag(document.map(|_| site.is_indexable(id))),
        of(document.and_then(|document| document.title)),
        of(document.and_then(|document| document.h1)),
        of(document.and_then(|document| document.lang)),
        of(document.and_then(|document| document.canonical)),
        Cell::count(site.source_count(id)),
        Cell::count(site.link_count(id)),
        Cell::Text(site.template_of(id).map(Cow::Borrowed)),
    ]
}

/// The rows of [`LINKS`] of a page, one for each link.
pub fn link_rows(site: &SiteFacts, id: PageId) -> impl Iterator<Item = Vec<Cell<'_>>> {
    let source = site.url(id);
    let row = move |link: Edge| {
        let answer = site.page_of(link.target).and_then(|id| site.page(id)).map(|page| page.answer.word());
        vec![
            Cell::text(source.clone()),
            Cell::text(site.text(link.target)),
            Cell::text(site.text(link.anchor())),
            Cell::Flag(Some(link.nofollow())),
            Cell::Text(answer.map(Cow::Borrowed)),
        ]
    };
    site.links(id).map(row)
}

/// A row of [`FINDINGS`]; the scope is `site` or `page`.
pub fn finding_row<'a>(
    url: &'a str,
    severity: Severity,
    code: &'a str,
    message: &'a str,
    scope: &'a str,
) -> Vec<Cell<'a>> {
    [url, severity.word(), code, message, scope].map(Cell::text).into()
}

/// The rows of [`TEMPLATES`], one for each template.
pub fn template_rows(report: &SiteReport) -> impl Iterator<Item = Vec<Cell<'_>>> {
    let row = |template: &'_ TemplateView| {
        vec![
            Cell::Text(Some(Cow::Owned(template.name.clone()))),
            Cell::Text(Some(Cow::Owned(template.example.clone()))),
            Cell::count(template.pages),
            Cell::Whole(template.score.map(i64::from)),
            Cell::Decimal(Some(template.gain)),
        ]
    };
    report.templates.iter().map(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_as_csv() {
        let row = [Cell::text("a,b"), Cell::Text(None), Cell::count(3), Cell::Whole(None), Cell::Decimal(Some(0.25))];
        assert_eq!(TEMPLATES.csv_row(&row), "\"a,b\",,3,,0.2\r\n");
        assert_eq!(LINKS.csv_row(&[Cell::Flag(Some(true)), Cell::Flag(None)]), "true,\r\n");
        assert_eq!(FINDINGS.csv_header(), "url,severity,code,message,scope\r\n");
    }
}
