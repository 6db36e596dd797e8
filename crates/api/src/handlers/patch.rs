//! The patch of an audit: as data, by line, and applied to the page's source.

use fetch::PAGE_BYTES;
use model::lang::{Text, text};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::operation::{Access, Effect, IntoReply, Operation, OtherForm, Reply, WrittenJson};
use service::audits::readable;
use service::blocking::off_worker;
use service::caller::Cx;
use service::error::{Code, Next, ServiceError};
use service::gate::RateLimit;
use service::patches::{PageToPatch, PatchAnswer, PatchedPage, patch_answer, patch_by_line, patched};

/// Bytes of a body with a page: 2 MB whose every third byte is escaped, and the rest.
const BODY_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of the path of a file.
const FILE_BYTES: usize = 255;
const DIFF: OtherForm = OtherForm { name: "diff", media_type: "text/x-diff; charset=utf-8" };
/// Never `text/html`: no page that somebody sends is shown as one of ours.
const HTML: OtherForm = OtherForm { name: "html", media_type: "text/plain; charset=utf-8" };

/// The call that takes the source of a page.
const APPLY: Next = Next { operation: "apply_patch", method: "POST", path: "/api/audits/{id}/patch" };

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/audits/{id}/patch", "get_patch", patch)
            .title("Get an audit's patch", "Obter o patch de uma auditoria")
            .doc(
                "All fixes of an audit together: head tags in order, exact replacements in the page's source, files \
                 for the host's root, templates that only the owner can fill in, and instructions. `target` selects \
                 the ready fixes that reach a score with the fewest changes; `format` `diff` shows the changes by \
                 line. For a complete diff, send the page's source to apply_patch.",
                "Todas as correções de uma auditoria juntas: tags do head em ordem, substituições exatas no \
                 código-fonte da página, arquivos para a raiz do host, modelos que só o dono pode preencher, e \
                 instruções. `target` escolhe as correções prontas que alcançam uma nota com o mínimo de mudanças; \
                 `format` `diff` mostra as mudanças por linha. Para um diff completo, envie o código-fonte da página \
                 a apply_patch.",
            )
            .also_as(&[DIFF])
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
        Operation::post("/api/audits/{id}/patch", "apply_patch", apply)
            .title(
                "Apply an audit's patch to the page's source",
                "Aplicar o patch de uma auditoria ao código-fonte da página",
            )
            .doc(
                "Applies all ready fixes, or those that reach the score `target`, to the page you send. Returns the \
                 new source and a unified diff for `git apply`; with `format` `diff` or `html` only that, as text. Both \
                 are UTF-8: `page_encoding` says what the audited page was. The source must be the audited one: every \
                 `original` in its place, and, where the patch has a `head` or files, at least half of title, \
                 description, canonical and h1 as audited. Tags that its head has already are left out. `arquivos` are files beside the page. Nothing is fetched or \
                 stored. Limit: 120 an hour per network, shared with verifications.",
                "Aplica todas as correções prontas, ou as que alcançam a nota `target`, à página que você envia. \
                 Devolve o novo código-fonte e um diff unificado para `git apply`; com `format` `diff` ou `html`, só \
                 um deles, como texto. Ambos são UTF-8: `page_encoding` diz qual era a codificação da página \
                 auditada. O código-fonte deve ser o auditado: cada `original` no lugar e, se o patch tem um `head` \
                 ou arquivos, pelo menos metade de title, description, canonical e h1 como foram auditados. Tags que \
                 o head já tem ficam de fora. `arquivos` são arquivos ao lado da página. Nada é buscado nem guardado. \
                 Limite: 120 por hora e rede, compartilhado com as verificações.",
            )
            .example(r#"`{"html": "<!doctype html>…", "format": "diff"}`"#)
            .also_as(&[DIFF, HTML])
            .effect(Effect::Reads)
            .body(BODY_BYTES)
            .rate_limit(RateLimit::Verifications)
            .access(Access::Owner)
            .errors(&[Code::RateLimited, Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
    ]
}

/// A form of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PatchFormat {
    /// As data.
    #[default]
    Json,
    /// The changes by line, for reading.
    Diff,
    /// Refused: no page source is stored. apply_patch takes it and answers with the new one.
    #[schemars(skip)]
    Html,
}

/// A form of a patched page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PatchedFormat {
    /// Both, as data.
    #[default]
    Json,
    /// The unified diff.
    Diff,
    /// The new source.
    Html,
}

/// Which patch, and how.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadPatch {
    /// The audit's `id`.
    #[schemars(extend("x-pt" = "O `id` da auditoria."))]
    id: String,
    /// Only the ready fixes on the cheapest path to this score, with the fewest changes; where they don't reach it, all of
    /// the path, and `target` of the answer says how far it goes.
    #[schemars(extend("x-pt" = "Só as correções prontas do caminho mais barato até esta nota, com o mínimo de \
        mudanças; se elas não bastam, o caminho inteiro, e `target` da resposta diz até onde ele vai."))]
    #[serde(default)]
    #[schemars(range(max = 100))]
    target: Option<u32>,
    /// `diff` for the changes by line instead of `json`; so does `Accept: text/x-diff`.
    #[schemars(extend("x-pt" = "`diff` para as mudanças por linha em vez de `json`; `Accept: text/x-diff` pede o \
        mesmo."))]
    #[serde(default)]
    format: Option<PatchFormat>,
}

/// Which patch, and the page that it changes.
#[derive(Debug, Deserialize, JsonSchema)]
struct ApplyPatch {
    /// The audit's `id`.
    #[schemars(extend("x-pt" = "O `id` da auditoria."))]
    id: String,
    /// The page's source as it was audited, at most 2,097,152 bytes of UTF-8.
    html: String,
    /// Path of the page's file in the project, for the head of the diff; the last part of the address otherwise.
    #[serde(default)]
    #[schemars(length(min = 1, max = 255))]
    file: Option<String>,
    /// Only the ready fixes on the cheapest path to this score.
    #[serde(default)]
    #[schemars(range(max = 100))]
    target: Option<u32>,
    /// `diff` or `html` alone, as text, instead of `json`.
    #[serde(default)]
    format: Option<PatchedFormat>,
}

/// An answer as JSON or as text.
#[derive(Debug)]
enum Formed<T> {
    Json(WrittenJson<T>),
    Text(OtherForm, String),
}

impl<T: Serialize + JsonSchema + 'static> IntoReply for Formed<T> {
    fn reply(self) -> Result<Reply, ServiceError> {
        match self {
            Self::Json(written) => written.reply(),
            Self::Text(form, text) => Ok(Reply { media_type: form.media_type, ..Reply::json(text.into()) }),
        }
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        WrittenJson::<T>::describe(generator)
    }
}

fn judge(target: Option<u32>) -> Result<(), ServiceError> {
    const RANGE: Text = text("target: use a whole number from 0 to 100", "target: use um número inteiro de 0 a 100");
    if target.is_some_and(|score| score > audit::score::FULL) {
        return Err(ServiceError::new(Code::InvalidParameter).explained(RANGE.into()));
    }
    Ok(())
}

/// All fixes of an audit together, or those on the way to a score.
async fn patch(cx: Cx, input: ReadPatch) -> Result<Formed<PatchAnswer>, ServiceError> {
    const NO_SOURCE: Text = text(
        "format: html needs the page's source, which is not stored; send it to apply_patch",
        "format: html precisa do código-fonte da página, que não fica guardado; envie-o a apply_patch",
    );
    judge(input.target)?;
    if input.format == Some(PatchFormat::Html) {
        return Err(ServiceError::new(Code::InvalidParameter).explained(NO_SOURCE.into()).leading_to(APPLY));
    }
    let stored = readable(&cx, &cx.caller.required_owner()?, input.id).await?.stored;
    if input.format == Some(PatchFormat::Diff) {
        let text = off_worker(move || patch_by_line(&stored, input.target)).await?;
        return Ok(Formed::Text(DIFF, text));
    }
    let written = WrittenJson::speaking(move || Ok(patch_answer(&cx.services, &stored, input.target, cx.lang)));
    Ok(Formed::Json(written.await?))
}

/// The page that was sent, with the patch applied.
async fn apply(cx: Cx, input: ApplyPatch) -> Result<Formed<PatchedPage>, ServiceError> {
    const TOO_LARGE: Text = text("html: can have at most {most} bytes", "html: pode ter no máximo {most} bytes");
    const NO_FILE: Text = text(
        "file: use a path of at most {most} bytes, without control characters",
        "file: use um caminho de no máximo {most} bytes, sem caracteres de controle",
    );
    judge(input.target)?;
    let is_path = |path: &String| (1..=FILE_BYTES).contains(&path.len()) && !path.chars().any(char::is_control);
    if input.file.as_ref().is_some_and(|path| !is_path(path)) {
        let why = NO_FILE.phrase(&[("most", FILE_BYTES.into())]);
        return Err(ServiceError::new(Code::InvalidBody).explained(why));
    }
    if input.html.len() > PAGE_BYTES {
        let why = TOO_LARGE.phrase(&[("most", PAGE_BYTES.into())]);
        return Err(ServiceError::new(Code::BodyTooLarge).explained(why));
    }
    let stored = readable(&cx, &cx.caller.required_owner()?, input.id.clone()).await?.stored;
    let ApplyPatch { html, file, target, format, .. } = input;
    let page = patched(&cx.services, stored, PageToPatch { target, html, file }).await?;
    let formed = move || {
        Ok(match format.unwrap_or_default() {
            PatchedFormat::Json => Formed::Json(WrittenJson::plain(&page)?),
            PatchedFormat::Diff => Formed::Text(DIFF, page.diff),
            PatchedFormat::Html => Formed::Text(HTML, page.html),
        })
    };
    off_worker(formed).await?
}
