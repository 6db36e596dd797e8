//! The catalog of checks as data.

use audit::changes;
use audit::report::CATALOG_VERSION;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::operation::{AnswerFields, IntoReply, LASTING, Nothing, Operation, Reply, WrittenJson};
use crate::reading::only;
use model::lang::{Lang, Text, text};
use render::catalog::check::Explained;
use render::catalog::search::search;
use render::catalog::{self, CatalogEntry};
use service::Services;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::unknown;

/// Checks of an answer at most, where it is limited: more than the catalog has.
const MOST_CHECKS: u32 = 1_000;
/// What a tool answers of each check, if not asked for more.
const SHORT: &str = "checks.code,checks.severity,checks.family,checks.title";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/checks", "list_checks", list)
            .title("List all checks", "Listar todas as verificações")
            .doc(
                "The whole catalog: what each check looks for, its exact rule, why it matters, how to fix it, how \
                 ready its fix can be, when it is not measured, and its sources. `q` searches by words, in both \
                 languages. `fields` selects fields (`checks.code,checks.rule`), `limit` a number of checks, and \
                 `cursor` leads to the rest; all is 360 KB. As a tool, it answers with 50 short entries by default; \
                 get_check has the whole of one. `version` changes with any rule, threshold or severity; \
                 `changelog_url` has the changes. Free; cacheable for an hour, with an `ETag`.",
                "O catálogo inteiro: o que cada verificação procura, a regra exata, por que importa, como corrigir, \
                 quão pronta a correção pode estar, quando ela não é medida e as fontes. `q` busca por palavras, nos \
                 dois idiomas. `fields` escolhe campos (`checks.code,checks.rule`), `limit` um número de \
                 verificações, e `cursor` leva ao resto; tudo soma 360 KB. Como ferramenta do MCP, responde por \
                 padrão com 50 entradas curtas; get_check tem uma verificação inteira. `version` muda com qualquer \
                 regra, limiar ou gravidade; `changelog_url` tem as mudanças. Grátis; pode ficar em cache por uma \
                 hora, com um `ETag`.",
            )
            .tool_defaults(&[("fields", SHORT), ("limit", "50")])
            .check(|_: &Services, input: &Search| input.judge())
            .cacheable(LASTING),
        Operation::get("/api/checks/changelog", "list_check_changes", changelog)
            .title("Get the catalog's changelog", "Obter o histórico de mudanças do catálogo")
            .doc(
                "Every version of the catalog, newest first, with the codes it added, changed and removed. A removed \
                 code is never used again.",
                "Todas as versões do catálogo, as mais novas primeiro, com os códigos que cada uma acrescentou, mudou \
                 e removeu. Um código removido nunca é usado de novo.",
            )
            .cacheable(LASTING),
        Operation::get("/api/checks/{code}", "get_check", read)
            .title("Get a check", "Obter uma verificação")
            .doc(
                "One check of the catalog by its code. For an unknown code, the error suggests similar ones.",
                "Uma verificação do catálogo pelo código. Para um código desconhecido, o erro sugere os parecidos.",
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
    /// Related addresses.
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
    /// The checks, in catalog order.
    checks: Vec<CheckAnswer>,
    /// Number of checks that `q` finds, or of the catalog.
    total: usize,
    /// Asks for the rest, with the same `q` and `limit`; null after the last.
    cursor: Option<String>,
    /// Version of the catalog.
    version: &'static str,
    /// What changed since earlier versions.
    changelog_url: String,
    /// Related addresses.
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
    /// Related addresses.
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
    #[schemars(extend("x-pt" = "Palavras que o código ou os textos da verificação precisam ter, todas elas, em inglês \
        ou português; `viewport zoom`."))]
    #[serde(default)]
    q: Option<String>,
    /// Only these fields of the answer, separated by commas: `checks.code,checks.title`.
    #[schemars(extend("x-pt" = "Só estes campos da resposta, separados por vírgulas: `checks.code,checks.title`."))]
    #[serde(default)]
    #[schemars(length(min = 1))]
    fields: Option<String>,
    /// Checks at most; all without it.
    #[schemars(extend("x-pt" = "Máximo de verificações; todas sem ele."))]
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
    /// The `cursor` of the previous answer; past the end the list is empty.
    #[schemars(extend("x-pt" = "O `cursor` da resposta anterior; depois do fim a lista é vazia."))]
    #[serde(default)]
    #[schemars(regex(pattern = "^[0-9]{1,4}$"))]
    cursor: Option<String>,
}

impl Search {
    fn judge(&self) -> Result<(), ServiceError> {
        const RANGE: Text =
            text("limit: use a whole number from 1 to 1,000", "limit: use um número inteiro de 1 a 1.000");
        let is_limit = |limit: u32| (1..=MOST_CHECKS).contains(&limit);
        if self.limit.is_some_and(|limit| !is_limit(limit)) {
            return Err(ServiceError::new(Code::InvalidParameter).explained(RANGE.into()));
        }
        self.fields.as_ref().map_or(Ok(()), |fields| AnswerFields::of(ListedChecks::describe).judge(fields))
    }
}

/// The catalog, or parts of it.
#[derive(Debug)]
struct ListedChecks(WrittenJson<Value>);

impl IntoReply for ListedChecks {
    fn reply(self) -> Result<Reply, ServiceError> {
        self.0.reply()
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        let whole = generator.subschema_for::<CheckList>();
        let some = json_schema!({"type": "object", "description": "The fields that `fields` names."});
        ("application/json", Some(json_schema!({"anyOf": [whole, some]})))
    }
}

/// Which check.
#[derive(Debug, Deserialize, JsonSchema)]
struct CheckPath {
    /// The code.
    #[schemars(extend("x-pt" = "Código da verificação."))]
    code: String,
}

/// The checks of the catalog that have these words.
fn found(words: Option<&str>) -> Vec<CatalogEntry> {
    words.map_or_else(|| catalog::entries().collect(), search)
}

async fn list(cx: Cx, input: Search) -> Result<ListedChecks, ServiceError> {
    const NO_PLACE: Text = text("cursor: is not a cursor of this list", "cursor: não é um cursor desta lista");
    let begin = match &input.cursor {
        None => 0,
        Some(cursor) => usize::from(
            cursor.parse::<u16>().map_err(|_| ServiceError::new(Code::InvalidParameter).explained(NO_PLACE.into()))?,
        ),
    };
    let written = WrittenJson::speaking(move || {
        let all = found(input.q.as_deref());
        let most = input.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        let (total, end) = (all.len(), begin.saturating_add(most));
        let taken = all.into_iter().skip(begin).take(most);
        let list = CheckList {
            checks: taken.map(|entry| answer(&cx.services, entry, cx.lang)).collect(),
            total,
            cursor: (end < total).then(|| end.to_string()),
            version: CATALOG_VERSION,
            changelog_url: cx.services.url("/api/checks/changelog"),
            links: list_links(&cx.services, "/api/checks"),
        };
        let list = serde_json::to_value(&list).map_err(|_| ServiceError::new(Code::Internal))?;
        // Without these a caller could not go on.
        Ok(match input.fields {
            Some(fields) => only(&list, &format!("{fields},total,cursor")),
            None => list,
        })
    });
    written.await.map(ListedChecks)
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
