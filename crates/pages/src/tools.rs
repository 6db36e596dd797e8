//! The tools for people: all of them, and one landing each.

use askama::Template;
use audit::check::{Category, Family};
use audit::checks::FAMILIES;
use audit::facts::fitting::{LONGEST_DESCRIPTION, WIDEST_TITLE_PX};
use audit::facts::font_metrics::title_px;
use audit::preview::SearchResult;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use model::finding::Finding;
use model::fix::Fix;
use model::lang::{Lang, Text, text};
use service::unknown;

use crate::address::{Addresses, with_lang};
use crate::audit_form::AuditForm;
use crate::card::{Card, CardSubject};
use crate::checks::{CheckLine, line};
use crate::frame::Frame;
use crate::hub_filter::HubFilter;
use crate::pieces::{CodePiece, pieces};
use crate::reader::Reader;
use crate::response::lasting;
use crate::words::{class, severity_word};
use crate::{error, filters};
use api::operation::Resources;
use render::catalog::tool::{self, Worked};
use render::catalog::{self, calls};
use render::edits;
use service::Services;
use service::blocking::off_worker;

#[derive(Template)]
#[template(path = "tools.html")]
struct ToolsPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    filter: HubFilter,
    /// Path of the unfiltered list.
    whole: String,
    count: usize,
    shown: usize,
    groups: Vec<ToolGroup>,
}

/// The tools of a category.
struct ToolGroup {
    id: &'static str,
    title: &'static str,
    tools: Vec<ToolLine>,
}

/// A tool in a list.
struct ToolLine {
    title: &'static str,
    question: &'static str,
    address: String,
    checks: usize,
}

#[derive(Template)]
#[template(path = "tool.html")]
struct ToolPage<'a> {
    frame: Frame<'a>,
    form: &'a AuditForm,
    addresses: Addresses,
    card: Card,
    family: &'static Family,
    h1: &'static str,
    lead: Vec<CodePiece<'static>>,
    category: &'static str,
    hub: String,
    example: Option<Example>,
    result: Option<ExampleResult>,
    checks: Vec<CheckView>,
    calls: [(&'static str, String); 4],
    related: Vec<ToolLine>,
}

/// The worked example.
struct Example {
    source: &'static str,
    findings: Vec<ExampleFinding>,
}

/// A finding of the worked example.
struct ExampleFinding {
    code: String,
    severity: &'static str,
    word: &'static str,
    message: String,
    class: &'static str,
    fix: Option<String>,
}

/// A check of the tool, with what to do.
struct CheckView {
    line: CheckLine,
    rule: Vec<CodePiece<'static>>,
    how: Vec<CodePiece<'static>>,
}

/// A search result and how much room it takes.
struct ExampleResult {
    shown: SearchResult,
    host: String,
    title_px: u32,
    widest_px: u32,
    description_characters: usize,
    longest_characters: usize,
}

/// Title of the list.
const TITLE: Text = text("Free technical SEO tools", "Ferramentas grátis de SEO técnico");

pub(super) async fn hub(State(services): State<Services>, request: Request) -> Response {
    const DESCRIPTION: Text = text(
        "{count} free tools for one page: titles, canonical URLs, robots.txt, structured data, security headers and more, each with an example.",
        "{count} ferramentas grátis para uma página: títulos, URLs canônicas, robots.txt, dados estruturados, cabeçalhos de segurança e mais, com exemplos.",
    );
    let query = request.uri().query();
    let reader = Reader::of(request.headers(), query);
    let lang = reader.lang;
    let addresses = Addresses::new(&services, "/tools", query, lang);
    let description = DESCRIPTION.phrase(&[("count", FAMILIES.len().into())]);
    let title = TITLE.in_lang(lang);
    let subject = CardSubject {
        kind: "CollectionPage",
        title: &[title],
        description: description.in_lang(lang),
        way: &[(title, "/tools".to_owned())],
    };
    let filter = HubFilter::of(query, lang);
    let is_wanted = |family: &&'static Family| {
        let landing = &family.landing;
        let texts = [landing.title, landing.h1, landing.description].map(|text| text.in_lang(lang));
        let codes: Vec<&str> = family.checks.iter().map(|check| check.code).collect();
        filter.takes(family, &[&texts[..], &codes].concat())
    };
    let group = |(category, families): (Category, Vec<&'static Family>)| {
        let families = families.into_iter().filter(is_wanted);
        let tools: Vec<ToolLine> = families.map(|family| tool_line(family, query, lang)).collect();
        let title = category.title().in_lang(lang);
        (!tools.is_empty()).then_some(ToolGroup { id: category.word(), title, tools })
    };
    let groups: Vec<ToolGroup> = catalog::by_category().filter_map(group).collect();
    let page = ToolsPage {
        frame: Frame::new(&services, reader).below("/tools").keeping_query(query),
        card: Card::new(&services, &addresses, lang, &subject),
        addresses,
        count: FAMILIES.len(),
        shown: groups.iter().map(|group| group.tools.len()).sum(),
        whole: with_lang("/tools", query, lang),
        filter,
        groups,
    };
    lasting(&page, lang)
}

/// The slug in the path; an error where it is not UTF-8.
type SlugPath = Result<Path<String>, PathRejection>;

pub(super) async fn show(State(resources): State<Resources>, slug: SlugPath, request: Request) -> Response {
    let services = resources.services.clone();
    let (parts, _) = request.into_parts();
    let query = parts.uri.query().map(str::to_owned);
    let reader = Reader::of(&parts.headers, query.as_deref());
    let slug = slug.map(|Path(slug)| slug).unwrap_or_default();
    let Some(family) = catalog::family(&slug) else {
        return error::page(&services, &unknown::tool(&slug), reader);
    };
    let form = AuditForm::of(&services, &parts, family.slug).await;
    // The first call audits the worked example, which takes CPU time.
    let page_services = services.clone();
    let made = off_worker(move || {
        let worked = resources.examples.of(family);
        form.answer(&page(&page_services, &form, family, worked, query.as_deref(), reader), reader.lang)
    });
    made.await.unwrap_or_else(|error| error::page(&services, &error, reader))
}

fn page<'a>(
    services: &'a Services,
    form: &'a AuditForm,
    family: &'static Family,
    worked: Option<&Worked>,
    query: Option<&str>,
    reader: Reader,
) -> ToolPage<'a> {
    let lang = reader.lang;
    let path = format!("/tools/{}", family.slug);
    let addresses = Addresses::new(services, &path, query, lang);
    let landing = &family.landing;
    let title = landing.title.in_lang(lang);
    let subject = CardSubject {
        kind: "WebPage",
        title: &[title],
        description: landing.description.in_lang(lang),
        way: &[(TITLE.in_lang(lang), "/tools".to_owned()), (title, path)],
    };
    let checks = family.checks.iter().map(|check| CheckView {
        line: line((family, check), query, lang),
        rule: pieces(check.rule.in_lang(lang)),
        how: pieces(check.how.in_lang(lang)),
    });
    let related = FAMILIES.iter().filter(|other| other.category == family.category && other.slug != family.slug);
    ToolPage {
        frame: Frame::new(services, reader).below("/tools"),
        form,
        card: Card::new(services, &addresses, lang, &subject),
        addresses,
        family,
        h1: landing.h1.in_lang(lang),
        lead: pieces(landing.lead.in_lang(lang)),
        category: family.category.title().in_lang(lang),
        hub: with_lang("/tools", query, lang),
        example: worked.filter(|_| !landing.example.is_empty()).map(|worked| Example {
            source: landing.example,
            findings: worked.findings.iter().map(|(found, fix)| finding(found, fix, lang)).collect(),
        }),
        result: worked.filter(|_| tool::shapes_results(family.category)).and_then(result),
        checks: checks.collect(),
        calls: calls::all(services.base_url()),
        related: related.map(|other| tool_line(other, query, lang)).collect(),
    }
}

fn tool_line(family: &'static Family, query: Option<&str>, lang: Lang) -> ToolLine {
    ToolLine {
        title: family.landing.title.in_lang(lang),
        question: family.landing.h1.in_lang(lang),
        address: with_lang(&format!("/tools/{}", family.slug), query, lang),
        checks: family.checks.len(),
    }
}

fn finding(finding: &Finding, fix: &Fix, lang: Lang) -> ExampleFinding {
    ExampleFinding {
        code: finding.code.clone(),
        severity: finding.severity.word(),
        word: severity_word(finding.severity).in_lang(lang),
        message: finding.message.in_lang(lang).to_owned(),
        class: class(fix.class).in_lang(lang),
        fix: edits::ready(fix, lang),
    }
}

fn result(worked: &Worked) -> Option<ExampleResult> {
    let shown = worked.result.clone()?;
    let host = url::Url::parse(&shown.url).ok()?.host_str()?.to_owned();
    Some(ExampleResult {
        title_px: title_px(&shown.title),
        widest_px: WIDEST_TITLE_PX,
        description_characters: shown.description.chars().count(),
        longest_characters: LONGEST_DESCRIPTION,
        host,
        shown,
    })
}
