//! Signed receipts of audits, and the keys that verify them.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;

use super::audits::AuditPath;
use crate::operation::{Access, IntoReply, JsonAnswer, Nothing, Operation, Reply, WrittenJson};
use service::audits::readable;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::receipts::{self, JwkSet, KEYS_PATH, Receipt};
use service::shares;

/// `Cache-Control` of the keys: five minutes, so that a new key is known soon after a secret was replaced.
const FOR_MINUTES: &str = "public, max-age=300";
/// Media type of key sets (RFC 7517 §8.5.2).
const JWK_SET: &str = "application/jwk-set+json";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/audits/{id}/receipt", "get_receipt", receipt)
            .title("Get a signed receipt", "Obter um recibo assinado")
            .doc(
                "The audit in the language of the call, signed by this server (Ed25519): proof for others of what it found \
                 on the page, and when. They verify it offline with `site-audit receipt verify`, or with any library of \
                 JWS, and the keys of `/.well-known/jwks.json`.",
                "A auditoria no idioma da chamada, assinada por este servidor (Ed25519): prova para outras pessoas do \
                 que ele encontrou na página, e quando. Elas a verificam offline com `site-audit receipt verify`, ou \
                 com qualquer biblioteca JWS e as chaves de `/.well-known/jwks.json`.",
            )
            .access(Access::Owner)
            .errors(&[
                Code::GuestTokenRequired,
                Code::AuditNotFound,
                Code::AuthUnavailable,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/shared/{slug}/receipt", "get_shared_receipt", shared_receipt)
            .title("Get the signed receipt of a shared audit", "Obter o recibo assinado de uma auditoria compartilhada")
            .doc(
                "The same as get_receipt, for anybody. Receipts that were taken stay valid when the audit is no longer \
                 shared.",
                "O mesmo que get_receipt, para qualquer pessoa. Recibos já obtidos continuam válidos quando a \
                 auditoria deixa de ser compartilhada.",
            )
            .errors(&[Code::ShareNotFound, Code::AuthUnavailable, Code::DatabaseUnavailable]),
        Operation::get(KEYS_PATH, "get_receipt_keys", keys)
            .title("Get the keys of signed receipts", "Obter as chaves dos recibos assinados")
            .doc(
                "The public keys of this server as a JWK set (RFC 7517): the current one first, then those that signed \
                 receipts before. Empty where it signs none.",
                "As chaves públicas deste servidor como conjunto JWK (RFC 7517): primeiro a atual, depois as que \
                 assinaram recibos antes. Vazio se ele não assina recibos.",
            )
            .cacheable(FOR_MINUTES)
            .without_tool()
            .errors(&[Code::DatabaseUnavailable]),
    ]
}

async fn receipt(cx: Cx, input: AuditPath) -> Result<WrittenJson<Receipt>, ServiceError> {
    let stored = readable(&cx, &cx.caller.required_owner()?, input.id).await?.stored;
    let receipt = receipts::receipt(&cx.services, stored, cx.lang).await?;
    WrittenJson::speaking(move || Ok(receipt)).await
}

/// Which shared audit.
#[derive(Debug, Deserialize, JsonSchema)]
struct SharedReceipt {
    /// The `slug` that sharing was answered with.
    #[schemars(extend("x-pt" = "O `slug` que veio na resposta ao compartilhar."))]
    slug: String,
}

async fn shared_receipt(cx: Cx, input: SharedReceipt) -> Result<WrittenJson<Receipt>, ServiceError> {
    let stored = shares::report(&cx.services, &input.slug).await?;
    let receipt = receipts::receipt(&cx.services, stored, cx.lang).await?;
    WrittenJson::speaking(move || Ok(receipt)).await
}

/// Keys, under the media type of key sets.
#[derive(Debug)]
struct KeySet(JwkSet);

impl IntoReply for KeySet {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: JWK_SET, ..JsonAnswer::new(self.0).reply()? })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        (JWK_SET, Some(generator.subschema_for::<JwkSet>()))
    }
}

async fn keys(cx: Cx, _: Nothing) -> Result<KeySet, ServiceError> {
    receipts::keys(&cx.services).await.map(KeySet)
}
