//! The catalog of checks as data.

use audit::changes;
use audit::report::CATALOG_VERSION;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{LASTING, Nothing, Operation, WrittenJson};
use model::lang::Lang;
use render::catalog::check::Explained;
use render::catalog::search::search;
use render::catalog::{self, CatalogEntry};
use service::Services;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::unknown;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/checks", "list_checks", list).text(
            "List all checks",
            "The whole catalog: what each check looks for, its exact rule, why it matters, how to fix it, how ready \
             its fix can be, when it is not measured, and its sources. `version` changes with any rule, threshold or \
             severity; `changelog_url` has the changes. `q` searches by words, in both languages. Free; cacheable for \
             an hour, with an `ETag`.",
        ).cacheable(LASTING),
        Operation::get("/api/checks/changelog", "list_check_changes", changelog).text(
            "Get the catalog's changelog",
            "Every version of the catalog, newest first, with the codes it added, changed and removed. A removed code \
             is never used again.",
        ).cacheable(LASTING),
        Operation::get("/api/checks/{code}", "get_check", read)
            .text(
                "Get a check",
                "One check of the catalog by its code. For an unknown code, the error suggests similar ones.",
            )
            .cacheable(LASTING)
            .errors(&[Code::CheckNotFound]),
    ]
}

/// A check with its links.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Check")]
struct CheckAnswer {
    #[serde(flatten)]
    check: Explained,
    #[serde(rename = "_links")]
    links: CheckLinks,
}

/// Related addresses of a check.
#[derive(Debug, Serialize, JsonSchema)]
struct CheckLinks {
    /// This document.
    #[serde(rename = "self")]
    this: String,
    /// The check as a page.
    html: String,
    /// The tool that it belongs to.
    tool: String,
}

/// The catalog.
#[derive(Debug, Serialize, JsonSchema)]
struct CheckList {
    /// Every check, in catalog order.
    checks: Vec<CheckAnswer>,
    /// Version of the catalog.
    version: &'static str,
    /// What changed since earlier versions.
    changelog_url: String,
    #[serde(rename = "_links")]
    links: ListLinks,
}

/// Related addresses of a list.
#[derive(Debug, Serialize, JsonSchema)]
struct ListLinks {
    /// This document.
    #[serde(rename = "self")]
    this: String,
    /// The list as a page.
    html: String,
    /// `GET /api/`.
    api_index: String,
}

/// The versions of the catalog.
#[derive(Debug, Serialize, JsonSchema)]
struct Changelog {
    /// The newest first.
    versions: Vec<VersionAnswer>,
    #[serde(rename = "_links")]
    links: ListLinks,
}

/// One version. Codes are sorted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CatalogVersion")]
struct VersionAnswer {
    /// Its name.
    version: &'static str,
    /// Date (ISO 8601).
    date: &'static str,
    /// Added codes.
    added: Vec<&'static str>,
    /// Codes with a changed severity, rule or threshold.
    changed: Vec<&'static str>,
    /// Removed codes.
    removed: Vec<&'static str>,
}

/// Which checks.
#[derive(Debug, Deserialize, JsonSchema)]
struct Search {
    /// Words, all of which a check must have in code or texts, in English or Portuguese; `viewport zoom`.
    #[serde(default)]
    q: Option<String>,
}

/// Which check.
#[derive(Debug, Deserialize, JsonSchema)]
struct CheckPath {
    /// The code.
    code: String,
}

/// The checks of the catalog that have these words.
fn found(words: Option<&str>) -> Vec<CatalogEntry> {
    words.map_or_else(|| catalog::entries().collect(), search)
}

async fn list(cx: Cx, input: Search) -> Result<WrittenJson<CheckList>, ServiceError> {
    let written = WrittenJson::speaking(move || {
        Ok(CheckList {
            checks: found(input.q.as_deref()).into_iter().map(|entry| answer(&cx.services, entry, cx.lang)).collect(),
            version: CATALOG_VERSION,
            changelog_url: cx.services.url("/api/checks/changelog"),
            links: list_links(&cx.services, "/api/checks"),
        })
    });
    written.await
}

async fn read(cx: Cx, input: CheckPath) -> Result<WrittenJson<CheckAnswer>, ServiceError> {
    let entry = catalog::entry(&input.code).ok_or_else(|| unknown::check(&input.code))?;
    WrittenJson::speaking(move || Ok(answer(&cx.services, entry, cx.lang))).await
}

async fn changelog(cx: Cx, _: Nothing) -> Result<WrittenJson<Changelog>, ServiceError> {
    let versions = changes::versions().into_iter().map(|found| VersionAnswer {
        version: found.version,
        date: found.version,
        added: found.added,
        changed: found.changed,
        removed: found.removed,
    });
    let links = list_links(&cx.services, "/api/checks/changelog");
    WrittenJson::plain(&Changelog { versions: versions.collect(), links })
}

fn answer(services: &Services, entry: CatalogEntry, lang: Lang) -> CheckAnswer {
    let check = Explained::new(entry, lang);
    let links = CheckLinks {
        this: services.url(&format!("/api/checks/{}", check.code)),
        html: services.url(&format!("/checks/{}", check.code)),
        tool: services.url(&format!("/api/tools/{}", check.family)),
    };
    CheckAnswer { check, links }
}

fn list_links(services: &Services, path: &str) -> ListLinks {
    ListLinks { this: services.url(path), html: services.url("/checks"), api_index: services.url("/api/") }
}
