//! The tables of a site as CSV (RFC 4180). Names of columns are the same in every language.

use site::facts::PageId;
use site::{SiteFacts, SiteReport};

use crate::format::csv_row;

/// Columns of the table of pages.
pub const PAGE_COLUMNS: [&str; 14] = [
    "url",
    "answer",
    "status",
    "score",
    "depth",
    "rank",
    "indexable",
    "title",
    "h1",
    "lang",
    "canonical",
    "links_in",
    "links_out",
    "template",
];
/// Columns of the table of links.
pub const LINK_COLUMNS: [&str; 5] = ["source", "target", "text", "nofollow", "target_answer"];
/// Columns of the table of findings: of pages, and of the site with the address that a case is about.
pub const FINDING_COLUMNS: [&str; 5] = ["url", "severity", "code", "message", "scope"];
/// Columns of the table of templates.
pub const TEMPLATE_COLUMNS: [&str; 5] = ["template", "example", "pages", "score", "gain"];

/// The row of a page. Its score is after findings of the site, as everywhere in the report.
pub fn page_row(site: &SiteFacts, report: &SiteReport, id: PageId) -> String {
    let Some(page) = site.page(id) else { return String::new() };
    let document = page.document.as_deref();
    let of = |field: Option<site::facts::TextId>| field.map_or_else(String::new, |text| site.text(text).to_owned());
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    csv_row(&[
        site.text(page.url).to_owned(),
        page.answer.word().to_owned(),
        page.status.map_or_else(String::new, |status| status.to_string()),
        number(report.page_scores.get(&id).copied()),
        number(site.depth(id)),
        if document.is_some() { format!("{:.3}", site.rank(id)) } else { String::new() },
        document.map_or_else(String::new, |_| site.is_indexable(id).to_string()),
        of(document.and_then(|document| document.title)),
        of(document.and_then(|document| document.h1)),
        of(document.and_then(|document| document.lang)),
        of(document.and_then(|document| document.canonical)),
        site.sources(id).len().to_string(),
        site.links(id).len().to_string(),
        site.template_of(id).unwrap_or_default().to_owned(),
    ])
}

/// A row for each link of a page.
pub fn link_rows(site: &SiteFacts, id: PageId) -> String {
    let row = |link: &site::facts::Edge| {
        let answer = site.page_of(link.target).and_then(|id| site.page(id)).map_or("", |page| page.answer.word());
        csv_row(&[
            site.url(id).to_owned(),
            site.text(link.target).to_owned(),
            site.text(link.anchor).to_owned(),
            link.nofollow.to_string(),
            answer.to_owned(),
        ])
    };
    site.links(id).iter().map(row).collect()
}

/// A row for each template.
pub fn template_rows(report: &SiteReport) -> String {
    let row = |template: &site::TemplateView| {
        csv_row(&[
            template.name.clone(),
            template.example.clone(),
            template.pages.to_string(),
            template.score.map_or_else(String::new, |score| score.to_string()),
            format!("{:.1}", template.gain),
        ])
    };
    report.templates.iter().map(row).collect()
}
