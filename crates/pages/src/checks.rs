//! The catalog of checks for people: all of them, and one page each.

use askama::Template;
use audit::check::{Category, Family};
use audit::report::CATALOG_VERSION;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use model::fix::FixTarget;
use model::lang::{Lang, Text, text};
use service::unknown;

use crate::address::{Addresses, with_lang};
use crate::audit_form::AuditForm;
use crate::card::{Card, CardSubject};
use crate::frame::Frame;
use crate::hub_filter::HubFilter;
use crate::pieces::{CodePiece, pieces};
use crate::reader::Reader;
use crate::response::lasting;
use crate::words::{class, severity_word};
use crate::{error, filters};
use render::catalog::check::Explained;
use render::catalog::{self, CatalogEntry};
use service::Services;
use service::blocking::off_worker;

#[derive(Template)]
#[template(path = "checks.html")]
struct ChecksPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    count: usize,
    filter: HubFilter,
    /// Path of the unfiltered list.
    whole: String,
    shown: usize,
    version: &'static str,
    groups: Vec<CheckGroup>,
}

/// The checks of a category.
struct CheckGroup {
    id: &'static str,
    title: &'static str,
    checks: Vec<CheckLine>,
}

/// A check in a list.
pub(super) struct CheckLine {
    pub(super) code: &'static str,
    pub(super) severity: &'static str,
    pub(super) word: &'static str,
    pub(super) title: &'static str,
    pub(super) address: String,
}

#[derive(Template)]
#[template(path = "check.html")]
struct CheckPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    form: &'a AuditForm,
    check: Explained,
    /// The severity for a person.
    word: &'static str,
    points: u32,
    why: Vec<CodePiece<'static>>,
    rule: Vec<CodePiece<'static>>,
    how: Vec<CodePiece<'static>>,
    class: &'static str,
    place: &'static str,
    category: &'static str,
    hub: String,
    tool: String,
    tool_name: &'static str,
    others: Vec<CheckLine>,
}

/// Title of the list.
pub(super) const TITLE: Text = text("All checks of the audit", "Todas as verificações da auditoria");

pub(super) async fn hub(State(services): State<Services>, request: Request) -> Response {
    const DESCRIPTION: Text = text(
        "The {count} checks of the technical SEO audit by subject: what each looks for, its exact rule, why it matters and how to fix it.",
        "As {count} verificações da auditoria técnica de SEO por assunto: o que cada uma procura, a regra exata, por que importa e como corrigir.",
    );
    let query = request.uri().query();
    let reader = Reader::of(request.headers(), query);
    let lang = reader.lang;
    let addresses = Addresses::new(&services, "/checks", query, lang);
    let count = catalog::entries().count();
    let description = DESCRIPTION.phrase(&[("count", count.into())]);
    let title = TITLE.in_lang(lang);
    let subject = CardSubject {
        kind: "CollectionPage",
        title: &[title],
        description: description.in_lang(lang),
        way: &[(title, "/checks".to_owned())],
    };
    let filter = HubFilter::of(query, lang);
    let is_wanted = |(family, check): &CatalogEntry| {
        let texts = [check.title, check.why, check.rule].map(|text| text.in_lang(lang));
        filter.takes(family, &[&texts[..], &[check.code, family.landing.title.in_lang(lang)]].concat())
    };
    let group = |(category, families): (Category, Vec<&'static Family>)| {
        let checks = families.into_iter().flat_map(|family| family.checks.iter().map(move |check| (family, check)));
        let checks: Vec<CheckLine> = checks.filter(is_wanted).map(|entry| line(entry, query, lang)).collect();
        let title = category.title().in_lang(lang);
        (!checks.is_empty()).then_some(CheckGroup { id: category.word(), title, checks })
    };
    let groups: Vec<CheckGroup> = catalog::by_category().filter_map(group).collect();
    let page = ChecksPage {
        frame: Frame::new(&services, reader).below("/checks").keeping_query(query),
        card: Card::new(&services, &addresses, lang, &subject),
        addresses,
        count,
        shown: groups.iter().map(|group| group.checks.len()).sum(),
        whole: with_lang("/checks", query, lang),
        filter,
        version: CATALOG_VERSION,
        groups,
    };
    lasting(&page, lang)
}

/// The code in the path; an error where it is not UTF-8.
type CodePath = Result<Path<String>, PathRejection>;

pub(super) async fn show(State(services): State<Services>, code: CodePath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query();
    let reader = Reader::of(&parts.headers, query);
    let code = code.map(|Path(code)| code).unwrap_or_default();
    let Some(entry) = catalog::entry(&code) else {
        return error::page(&services, &unknown::check(&code), reader);
    };
    let form = AuditForm::of(&services, &parts, entry.0.slug).await;
    let (page_services, query) = (services.clone(), query.map(str::to_owned));
    // The first call computes the conditions under which checks are not measured, which takes CPU time.
    let made =
        off_worker(move || form.answer(&page(&page_services, &form, entry, query.as_deref(), reader), reader.lang));
    made.await.unwrap_or_else(|error| error::page(&services, &error, reader))
}

fn page<'a>(
    services: &'a Services,
    form: &'a AuditForm,
    (family, check): CatalogEntry,
    query: Option<&str>,
    reader: Reader,
) -> CheckPage<'a> {
    let lang = reader.lang;
    let explained = Explained::new((family, check), lang);
    let path = format!("/checks/{}", check.code);
    let addresses = Addresses::new(services, &path, query, lang);
    let description = format!("{} {}", explained.why, explained.how);
    let subject = CardSubject {
        kind: "WebPage",
        title: &[explained.title, check.code],
        description: &description,
        way: &[(TITLE.in_lang(lang), "/checks".to_owned()), (explained.title, path)],
    };
    let card = Card::new(services, &addresses, lang, &subject);
    let others = family.checks.iter().filter(|other| other.code != check.code);
    CheckPage {
        frame: Frame::new(services, reader).below("/checks"),
        addresses,
        card,
        form,
        word: severity_word(check.severity).in_lang(lang),
        points: audit::score::weight(check.severity),
        why: pieces(explained.why),
        rule: pieces(explained.rule),
        how: pieces(explained.how),
        class: class(check.remedy.class).in_lang(lang),
        place: place(check.remedy.target).in_lang(lang),
        category: family.category.title().in_lang(lang),
        hub: with_lang("/checks", query, lang),
        tool: with_lang(&format!("/tools/{}", family.slug), query, lang),
        tool_name: family.landing.title.in_lang(lang),
        others: others.map(|other| line((family, other), query, lang)).collect(),
        check: explained,
    }
}

/// A check in a list.
pub(super) fn line((_, check): CatalogEntry, query: Option<&str>, lang: Lang) -> CheckLine {
    CheckLine {
        code: check.code,
        severity: check.severity.word(),
        word: severity_word(check.severity).in_lang(lang),
        title: check.title.in_lang(lang),
        address: with_lang(&format!("/checks/{}", check.code), query, lang),
    }
}

fn place(target: FixTarget) -> Text {
    match target {
        FixTarget::Head => text("in the head", "no head"),
        FixTarget::Body => text("in the body", "no body"),
        FixTarget::Image => text("on the image tag", "na tag da imagem"),
        FixTarget::File => text("a file at the host's root", "um arquivo na raiz do host"),
        FixTarget::Page => text("the page as a whole, or the server", "a página como um todo, ou o servidor"),
    }
}
