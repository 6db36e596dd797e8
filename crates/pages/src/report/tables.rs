//! Headings, links and images of the audited page as tables, for the page and as CSV. A report keeps the outline of the headings,
//! and of links and images their numbers and what findings name of them: the page is not fetched again for more.

use audit::check::Category;
use model::lang::{Lang, Text, text};
use model::report::Report;
use model::summary::PageSummary;
use render::catalog;
use render::format::csv_row;

use super::findings::named;

/// Rows of a table on the page. The file has all.
const ROWS: usize = 12;
/// The same on the page of a very long report, which has room for less.
const ROWS_IN_SHORT: usize = 4;

/// A table of what a report keeps.
pub(super) struct DetailTable {
    /// Its id on the page; its file is called so too.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// How many of them the page has.
    pub(super) count: u32,
    /// The numbers in a sentence, and what the rows are.
    pub(super) sentence: String,
    pub(super) columns: Vec<&'static str>,
    /// All rows that the report keeps.
    rows: Vec<Vec<String>>,
    /// How many of them the page shows.
    most: usize,
}

impl DetailTable {
    /// The rows that the page shows.
    pub(super) fn shown(&self) -> &[Vec<String>] {
        self.rows.get(..self.most).unwrap_or(&self.rows)
    }

    /// The cells of a row, each with the name of its column.
    pub(super) fn named<'r>(&'r self, row: &'r [String]) -> impl Iterator<Item = (&'static str, &'r String)> {
        self.columns.iter().copied().zip(row)
    }

    /// Rows that only the file has.
    pub(super) fn left_out(&self) -> usize {
        self.rows.len() - self.shown().len()
    }

    /// The table as CSV (RFC 4180).
    pub(super) fn csv(&self) -> String {
        let head = csv_row(&self.columns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        self.rows.iter().fold(head, |csv, row| csv + &csv_row(row))
    }
}

/// The tables of a report that have anything to tell; in short on a page with less room (`is_abridged`).
pub(super) fn tables(report: &Report, is_abridged: bool, lang: Lang) -> Vec<DetailTable> {
    let Some(summary) = &report.summary else { return Vec::new() };
    let all = [headings(summary, lang), links(report, summary, lang), images(report, summary, lang)];
    let most = if is_abridged { ROWS_IN_SHORT } else { ROWS };
    all.into_iter().filter(|table| table.count > 0).map(|table| DetailTable { most, ..table }).collect()
}

/// The table of a file name, `headings.csv`.
pub(super) fn table(report: &Report, file: &str, lang: Lang) -> Option<DetailTable> {
    let id = file.strip_suffix(".csv")?;
    tables(report, false, lang).into_iter().find(|table| table.id == id)
}

fn headings(summary: &PageSummary, lang: Lang) -> DetailTable {
    const SENTENCE: Text = text(
        "h1: {h1}, h2: {h2}, h3: {h3}, deeper: {deeper}. A report keeps the first 100.",
        "h1: {h1}, h2: {h2}, h3: {h3}, mais fundos: {deeper}. O relatório guarda os 100 primeiros.",
    );
    let h = &summary.headings;
    let deeper = h.h4.saturating_add(h.h5).saturating_add(h.h6);
    let values = [("h1", h.h1.into()), ("h2", h.h2.into()), ("h3", h.h3.into()), ("deeper", deeper.into())];
    let row = |(at, entry): (usize, &model::summary::OutlineEntry)| {
        vec![(at + 1).to_string(), format!("h{}", entry.level), entry.text.clone()]
    };
    DetailTable {
        id: "headings",
        title: text("Headings", "Títulos h1 a h6").in_lang(lang),
        count: [h.h1, h.h2, h.h3, deeper].into_iter().fold(0, u32::saturating_add),
        sentence: SENTENCE.phrase(&values).in_lang(lang).to_owned(),
        columns: columns(&[text("No.", "Nº"), text("Level", "Nível"), text("Text", "Texto")], lang),
        rows: h.outline.iter().enumerate().map(row).collect(),
        most: ROWS,
    }
}

fn links(report: &Report, summary: &PageSummary, lang: Lang) -> DetailTable {
    const SENTENCE: Text = text(
        "{internal} internal, {external} external, {nofollow} with nofollow, {bare} without text. A report keeps the links that findings name.",
        "Internos: {internal}, externos: {external}, com nofollow: {nofollow}, sem texto: {bare}. O relatório guarda os links que os achados citam.",
    );
    let l = &summary.links;
    let values = [
        ("internal", l.internal.into()),
        ("external", l.external.into()),
        ("nofollow", l.nofollow.into()),
        ("bare", l.without_text.into()),
    ];
    DetailTable {
        id: "links",
        title: text("Links", "Links").in_lang(lang),
        count: l.total,
        sentence: SENTENCE.phrase(&values).in_lang(lang).to_owned(),
        columns: place_columns(lang),
        rows: places(report, Category::Links, lang),
        most: ROWS,
    }
}

fn images(report: &Report, summary: &PageSummary, lang: Lang) -> DetailTable {
    const SENTENCE: Text = text(
        "{bare} without alt, {empty} with an empty alt, {unsized} without dimensions, {lazy} loaded lazily. A report keeps the images that findings name.",
        "Sem alt: {bare}, com alt vazio: {empty}, sem dimensões: {unsized}, com carregamento tardio: {lazy}. O relatório guarda as imagens que os achados citam.",
    );
    let i = &summary.images;
    let values = [
        ("bare", i.without_alt.into()),
        ("empty", i.empty_alt.into()),
        ("unsized", i.without_dimensions.into()),
        ("lazy", i.lazy.into()),
    ];
    DetailTable {
        id: "images",
        title: text("Images", "Imagens").in_lang(lang),
        count: i.total,
        sentence: SENTENCE.phrase(&values).in_lang(lang).to_owned(),
        columns: place_columns(lang),
        rows: places(report, Category::Images, lang),
        most: ROWS,
    }
}

fn columns(names: &[Text], lang: Lang) -> Vec<&'static str> {
    names.iter().map(|name| name.in_lang(lang)).collect()
}

fn place_columns(lang: Lang) -> Vec<&'static str> {
    let names =
        [text("Finding", "Achado"), text("Line", "Linha"), text("Address", "Endereço"), text("Source", "Código")];
    columns(&names, lang)
}

/// What the findings of a subject name: title, line, address, source.
fn places(report: &Report, category: Category, lang: Lang) -> Vec<Vec<String>> {
    let of_subject = report
        .findings
        .iter()
        .filter(|finding| catalog::entry(&finding.code).is_some_and(|(family, _)| family.category == category));
    let rows = of_subject.flat_map(|finding| {
        let title = named(&finding.code, lang).map_or("", |check| check.title);
        finding.evidence.iter().map(move |place| {
            let source = place.snippet.clone().or_else(|| place.selector.clone());
            let line = place.line.map_or_else(String::new, |line| line.to_string());
            vec![title.to_owned(), line, place.url.clone().unwrap_or_default(), source.unwrap_or_default()]
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use audit::example;

    use super::*;

    const PAGE: &str =
        "<!doctype html><title>Rye</title><h1>Rye, \"slow\"</h1><h3>=Flour</h3><a href=/a></a><img src=a.png>";

    #[test]
    fn a_table_has_what_the_report_keeps() {
        let report = audit::report(&example::page(example::PAGE_URL, PAGE));
        let tables = tables(&report, false, Lang::En);
        assert_eq!(
            tables.iter().map(|table| (table.id, table.count)).collect::<Vec<_>>(),
            [("headings", 2), ("links", 1), ("images", 1)]
        );
        assert_eq!(
            tables[0].csv(),
            "No.,Level,Text\r\n1,h1,\"Rye, \"\"slow\"\"\"\r\n2,h3,'=Flour\r\n",
            "no cell is a formula"
        );
        assert!(tables[1].csv().contains("<a href=/a>"), "{}", tables[1].csv());
        assert!(tables[2].sentence.starts_with("1 without alt, 0 with an empty alt"), "{}", tables[2].sentence);
        assert!(table(&report, "links.csv", Lang::En).is_some());
        for unknown in ["links", "patch.csv", ""] {
            assert!(table(&report, unknown, Lang::En).is_none(), "{unknown}");
        }
        let long = PAGE.to_owned() + &"<h2>More</h2>".repeat(80);
        let report = audit::report(&example::page(example::PAGE_URL, long.as_str()));
        let headings = table(&report, "headings.csv", Lang::En).unwrap();
        assert_eq!((headings.shown().len(), headings.left_out()), (ROWS, 82 - ROWS));
    }
}
