//! What the audited page declares, as rows of a table.

use std::collections::BTreeMap;

use model::lang::{Lang, Text, text};
use model::report::Report;
use url::Url;

use super::shown::SHOWN;
use crate::frame::decimal;
use render::format::{BUILT_WITH, built_with};
use render::shown;

/// What a page may declare.
pub(super) struct PageFact {
    pub(super) name: &'static str,
    /// `None` where the page declares nothing.
    pub(super) value: Option<String>,
    /// What is said then.
    pub(super) none: &'static str,
}

/// What the page declares; empty of one that could not be read.
pub(super) fn facts(report: &Report, lang: Lang) -> Vec<PageFact> {
    const DESCRIPTION: Text = text("Description", "Descrição");
    const CHARSET: Text = text("Charset", "Codificação");
    let feminine = [DESCRIPTION, CHARSET].map(|name| name.in_lang(lang));
    let fact = |(name, value): (&'static str, Option<String>)| {
        let none = text("none", if feminine.contains(&name) { "nenhuma" } else { "nenhum" });
        PageFact { name, value, none: none.in_lang(lang) }
    };
    let Some(s) = &report.summary else { return Vec::new() };
    let t = |en: &'static str, pt: &'static str| text(en, pt).in_lang(lang);
    let host = Url::parse(&s.final_url).ok().and_then(|url| url.host_str().map(shown::host));
    let sitemap = s.sitemap.url.clone().unwrap_or_else(|| sitemap_text(&s.sitemap.state).in_lang(lang).to_owned());
    let mut rows = vec![
        ("Status", s.status.map(|status| status.to_string())),
        (t("Host", "Host"), host),
        (t("Content type", "Tipo de conteúdo"), s.content_type.clone()),
        (t("Title", "Título"), s.title.clone()),
        (DESCRIPTION.in_lang(lang), s.meta_description.clone()),
        ("Canonical", s.canonical.clone()),
        ("Robots", s.robots.clone()),
        ("Viewport", s.viewport.clone()),
        (CHARSET.in_lang(lang), s.charset.clone()),
        (t("Language", "Idioma"), s.lang.clone()),
        ("Favicon", s.favicon.clone()),
        ("h1", (!s.h1s.is_empty()).then(|| s.h1s.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(" · "))),
        (t("Words", "Palavras"), Some(decimal(s.words, lang))),
        (t("Images", "Imagens"), Some(images(s.images.total, s.images.without_alt, lang))),
        (t("Links", "Links"), Some(links(s.links.internal, s.links.external, s.links.without_text, lang))),
        ("JSON-LD", json_ld(&s.json_ld_types, s.json_ld_errors, lang)),
        ("robots.txt", Some(robots(s.robots_txt.allowed, &s.robots_txt.state, s.robots_txt.rule.as_deref(), lang))),
        (t("AI crawlers blocked", "Robôs de IA bloqueados"), refused(&s.robots_txt.ai_crawlers)),
        ("Sitemap", Some(sitemap)),
    ];
    // Most systems can be told not to show: none found says nothing.
    rows.extend(built_with(report).map(|systems| (BUILT_WITH.in_lang(lang), Some(systems))));
    rows.into_iter().map(fact).collect()
}

/// The types of the structured data. A page whose blocks can't be read declares some, so "none" would contradict the
/// finding.
fn json_ld(types: &[String], errors: u32, lang: Lang) -> Option<String> {
    const UNREADABLE: Text =
        text("{count} {count|block|blocks}, not valid JSON", "{count} {count|bloco|blocos}, JSON inválido");
    if types.is_empty() && errors > 0 {
        return Some(UNREADABLE.phrase(&[("count", errors.into())]).in_lang(lang).to_owned());
    }
    (!types.is_empty()).then(|| types.join(", "))
}

/// Crawlers that robots.txt keeps out.
fn refused(crawlers: &BTreeMap<String, bool>) -> Option<String> {
    let refused: Vec<&str> =
        crawlers.iter().filter(|(_, is_allowed)| !**is_allowed).map(|(name, _)| name.as_str()).collect();
    (!refused.is_empty()).then(|| refused.join(", "))
}

fn images(total: u32, without_alt: u32, lang: Lang) -> String {
    if total == 0 {
        return "0".to_owned();
    }
    let sentence = text("{total} ({without} without alt)", "{total} ({without} sem alt)");
    sentence.phrase(&[("total", total.into()), ("without", without_alt.into())]).in_lang(lang).to_owned()
}

fn links(internal: u32, external: u32, without_text: u32, lang: Lang) -> String {
    let sentence = text(
        "{internal} internal, {external} external, {without} without text",
        "internos: {internal}, externos: {external}, sem texto: {without}",
    );
    let values = [("internal", internal.into()), ("external", external.into()), ("without", without_text.into())];
    sentence.phrase(&values).in_lang(lang).to_owned()
}

fn robots(allowed: Option<bool>, state: &str, rule: Option<&str>, lang: Lang) -> String {
    let verdict = match allowed {
        Some(true) => text("allowed", "permitida"),
        Some(false) => text("blocked", "bloqueada"),
        None => text("unknown", "desconhecida"),
    };
    let verdict = verdict.in_lang(lang);
    match rule {
        Some(rule) => format!("{verdict} ({rule})"),
        None => format!("{verdict} ({})", robots_text(state).in_lang(lang)),
    }
}

/// The state of robots.txt, in words.
fn robots_text(state: &str) -> Text {
    match state {
        "found" => text("no rule applies", "nenhuma regra se aplica"),
        "missing" => text("missing", "não existe"),
        "invalid" => text("the response is an HTML page", "a resposta é uma página HTML"),
        "notAsked" => text("not requested", "não foi consultado"),
        _ => text("could not be read", "não pôde ser lido"),
    }
}

/// Whether a sitemap lists the page, in words.
fn sitemap_text(state: &str) -> Text {
    match state {
        "found" => text("lists the page", "lista a página"),
        "absent" => text("does not list the page", "não lista a página"),
        "missing" => text("missing", "não existe"),
        "invalid" => text("has a syntax error", "tem um erro de sintaxe"),
        "notAsked" => text("none requested", "nenhum foi consultado"),
        "tooLarge" => text("too large to be read whole", "grande demais para ser lido inteiro"),
        _ => text("could not be read", "não pôde ser lido"),
    }
}

#[cfg(test)]
mod tests {
    use audit::example;

    use super::*;

    #[test]
    fn what_is_not_declared_is_said_in_the_gender_of_its_name() {
        let report = audit::report(&example::page(example::PAGE_URL, "<title>Bread</title>"));
        let facts = facts(&report, Lang::PtBr);
        let of = |name: &str| facts.iter().find(|fact| fact.name == name).unwrap();
        assert_eq!((of("Descrição").value.as_deref(), of("Descrição").none), (None, "nenhuma"));
        assert_eq!((of("Canonical").value.as_deref(), of("Canonical").none), (None, "nenhum"));
        assert_eq!(of("Título").value.as_deref(), Some("Bread"));
    }

    #[test]
    fn data_that_cannot_be_read_is_declared() {
        let types = ["Person".to_owned(), "Recipe".to_owned()];
        assert_eq!(json_ld(&[], 0, Lang::En), None);
        assert_eq!(json_ld(&types, 1, Lang::En).as_deref(), Some("Person, Recipe"));
        assert_eq!(json_ld(&[], 1, Lang::En).as_deref(), Some("1 block, not valid JSON"));
        assert_eq!(json_ld(&[], 2, Lang::PtBr).as_deref(), Some("2 blocos, JSON inválido"));
    }
}
