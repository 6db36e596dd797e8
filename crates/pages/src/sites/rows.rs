//! Findings of a run as its pages list them, and the plots of its report.

use model::lang::{Lang, Text, text};
use service::sites::{SiteCharts, SiteFindingListed};

use super::{addresses, answer_word, page_path, severity};
use crate::plot::{Plot, number, value};

/// A finding in the list.
pub(super) struct SiteFindingRow {
    pub(super) finding: SiteFindingListed,
    pub(super) class: &'static str,
    pub(super) word: &'static str,
    pub(super) scope: String,
    pub(super) gain: String,
    /// Heading of its addresses.
    pub(super) addresses: String,
    /// Path of the page with all of them.
    pub(super) path: String,
    pub(super) cases: Vec<CaseRow>,
}

/// An address that a finding concerns, with the path of its page in the run.
pub(super) struct CaseRow {
    pub(super) url: String,
    pub(super) path: String,
    /// What is the matter with it, where that differs from address to address.
    pub(super) note: Option<String>,
    /// Pages to change, where these are others: path, address, and what to look for there.
    pub(super) sources: Vec<[String; 3]>,
}

impl SiteFindingRow {
    /// Of the run with this id.
    pub(super) fn of(mut finding: SiteFindingListed, run: &str, lang: Lang) -> Self {
        let (class, word) = severity(finding.severity, lang);
        let scope = match (finding.scope, &finding.template) {
            (_, Some(name)) => {
                const TEMPLATE: Text = text("template {name}", "template {name}");
                TEMPLATE.phrase(&[("name", name.as_str().into())]).in_lang(lang).to_owned()
            }
            ("between_pages", _) => text("across pages", "entre páginas").in_lang(lang).to_owned(),
            ("site", _) => text("whole site", "site inteiro").in_lang(lang).to_owned(),
            _ => text("individual pages", "páginas individuais").in_lang(lang).to_owned(),
        };
        let gain = render::site_report::gain(finding.gain, lang);
        let addresses = addresses(finding.cases.len(), finding.total).in_lang(lang).to_owned();
        let path = format!("{}/{run}/findings/{}?lang={}", super::PATH, finding.code, lang.tag());
        let path_of = |url: &str| page_path(run, url, lang);
        let cases = std::mem::take(&mut finding.cases).into_iter().map(|case| CaseRow {
            path: path_of(&case.url),
            sources: case.pages.into_iter().map(|page| [path_of(&page.url), page.url, page.detail]).collect(),
            note: case.note,
            url: case.url,
        });
        Self { class, word, scope, gain, addresses, path, cases: cases.collect(), finding }
    }
}

/// The distribution of scores, of clicks from the first page, and of answers.
pub(super) fn plots(charts: &SiteCharts, lang: Lang) -> Vec<Plot> {
    const SCORES: Text = text("Pages by score", "Páginas por nota");
    const DEPTHS: Text = text("Pages by clicks from the first page", "Páginas por cliques a partir da primeira página");
    const ANSWERS: Text = text("Addresses by response", "Endereços por resposta");
    let heads = |first: Text, second: Text| vec![first.in_lang(lang), second.in_lang(lang)];
    let row = |(name, count): (String, u32)| (vec![name, number(count.into(), lang)], Some(value(count.into())));
    let pages = text("Pages", "Páginas");
    let scores = charts.scores.iter().cloned().map(row).collect();
    let depths = charts.depths.iter().cloned().map(row).collect();
    let answers = charts.answers.iter();
    let answers = answers.map(|(word, count)| row((answer_word(word).in_lang(lang).to_owned(), *count))).collect();
    vec![
        Plot::by_name("scores", SCORES.in_lang(lang), heads(text("Score", "Nota"), pages), scores),
        Plot::by_name("depths", DEPTHS.in_lang(lang), heads(text("Clicks", "Cliques"), pages), depths),
        Plot::by_name(
            "answers",
            ANSWERS.in_lang(lang),
            heads(text("Response", "Resposta"), text("Addresses", "Endereços")),
            answers,
        ),
    ]
}
