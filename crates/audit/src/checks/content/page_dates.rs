//! Dates that a page states for machines, when they contradict each other.

use model::time::{DAY_MS, Timestamp};

use crate::check::prelude::*;
use crate::facts::jsonld::types_of;
use crate::facts::page::Html;
use crate::facts::robots_directives::parse_date;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "page-dates", category: Category::Content, landing: LANDING, checks: &[DISAGREE] };

const LANDING: Landing = Landing {
    title: text("Publication date checker", "Verificador de data de publicação"),
    h1: text("Does your page give search engines one date?", "Sua página informa uma só data aos buscadores?"),
    description: text(
        "Compare the dates in a page's structured data and meta tags: conflicting dates, modified before published, or in the future.",
        "Compare as datas nos dados estruturados e nas meta tags: em conflito, alteração anterior à publicação ou no futuro.",
    ),
    lead: text(
        "Search engines show an article's date only when they are sure of it. If structured data and meta tags disagree, they guess or show none. This tool compares the dates.",
        "Os buscadores só mostram a data de um artigo quando têm certeza dela. Se dados estruturados e meta tags discordam, eles adivinham ou não mostram nenhuma. Esta ferramenta compara as datas.",
    ),
    example: include_str!("page_dates/bad_differ.html"),
};

const DISAGREE: Check = Check {
    code: "date_signals_disagree",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Conflicting dates", "Datas em conflito"),
    why: text(
        "When a page's dates disagree, search engines may show a wrong date or none, and readers can't tell how current the page is.",
        "Quando as datas de uma página discordam, os buscadores podem mostrar uma data errada ou nenhuma, e o leitor não sabe quão atual a página é.",
    ),
    how: text(
        "Write the same dates in structured data, meta tags and text, from one field of the CMS.",
        "Escreva as mesmas datas nos dados estruturados, nas meta tags e no texto, a partir de um só campo do CMS.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/publication-dates",
    rule: text(
        "Fails on the first of these cases: `datePublished` of the first JSON-LD article and `article:published_time` are more than a day apart; `dateModified` and `article:modified_time` are more than a day apart; a modification date is more than a day before the publication date; a publication date is more than a day after the audit. The one-day tolerance covers time zones. Dates that can't be parsed are ignored. Not applicable without an article date; not measured when a JSON-LD block can't be read.",
        "Falha no primeiro destes casos: `datePublished` do primeiro artigo em JSON-LD e `article:published_time` diferem em mais de um dia; `dateModified` e `article:modified_time` diferem em mais de um dia; uma data de alteração é mais de um dia anterior à de publicação; uma data de publicação é mais de um dia posterior à auditoria. A tolerância de um dia cobre fusos horários. Datas ilegíveis são ignoradas. Não se aplica sem uma data de artigo; não é medido quando um bloco JSON-LD é ilegível.",
    ),
    thresholds: &[threshold("apart", 1, "days")],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: |facts| facts.unless_unread(disagree(facts)),
};

/// A date and where it is stated.
#[derive(Debug, Clone)]
struct Stated {
    name: &'static str,
    written: String,
    at: Timestamp,
}

fn stated(name: &'static str, written: &str) -> Option<Stated> {
    Some(Stated { name, written: written.to_owned(), at: parse_date(written)? })
}

/// A date of the first article among the nodes.
fn of_article(html: &Html, property: &'static str) -> Option<Stated> {
    let nodes = html.json_ld.nodes_as_meant();
    let is_article = |kind: &str| kind.ends_with("Article") || kind == "BlogPosting" || kind == "Report";
    let article = nodes.iter().find(|node| types_of(node).any(is_article))?;
    stated(property, article.get(property)?.as_str()?)
}

fn disagree(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let meta = |name: &'static str| stated(name, html.social(name)?);
    let published = [of_article(html, "datePublished"), meta("article:published_time")];
    let modified = [of_article(html, "dateModified"), meta("article:modified_time")];
    let all: Vec<&Stated> = published.iter().chain(&modified).flatten().collect();
    if all.is_empty() {
        return Err(NotMeasured::Absent);
    }
    const APART: Text = text(
        "{first} is {first_date}, but {second} is {second_date}.",
        "{first} é {first_date}, mas {second} é {second_date}.",
    );
    const BACKWARDS: Text = text(
        "{second}, {second_date}, is earlier than {first}, {first_date}.",
        "{second}, {second_date}, é anterior a {first}, {first_date}.",
    );
    const FUTURE: Text =
        text("{first} is {first_date}, a date in the future.", "{first} é {first_date}, uma data no futuro.");
    let now = facts.capture.started_at.0;
    let apart = |pair: &[Option<Stated>; 2]| match pair {
        [Some(a), Some(b)] if (a.at.0 - b.at.0).abs() > DAY_MS => Some((a.clone(), b.clone())),
        _ => None,
    };
    let backwards = || {
        let first = published.iter().flatten().next()?;
        let second = modified.iter().flatten().find(|date| first.at.0 - date.at.0 > DAY_MS)?;
        Some((first.clone(), second.clone()))
    };
    let future = || published.iter().flatten().find(|date| date.at.0 - now > DAY_MS).map(|d| (d.clone(), d.clone()));
    let found = apart(&published)
        .or_else(|| apart(&modified))
        .map(|pair| (APART, pair))
        .or_else(|| Some((BACKWARDS, backwards()?)))
        .or_else(|| Some((FUTURE, future()?)));
    let Some((message, (first, second))) = found else { return PASS };
    let values = [
        ("first", first.name.into()),
        ("first_date", first.written.into()),
        ("second", second.name.into()),
        ("second_date", second.written.into()),
    ];
    let is_date = |key: &str| matches!(key, "article:published_time" | "article:modified_time");
    let metas = html.metas.iter().filter(|meta| meta.social_key().is_some_and(is_date));
    let fix = FixDraft::instruction(FixTarget::Head, DISAGREE.how, &[]);
    problem(message, &values, fix).on(metas.filter_map(|meta| html.element(meta.node))).fail()
}
