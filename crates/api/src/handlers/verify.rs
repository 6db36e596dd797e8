//! Verification of a page that the caller sends, so that a patch is proven before it is published.

use std::collections::BTreeMap;

use engine::Verification;
use model::id::AuditId;
use model::report::Report;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Call, Effect, Operation};
use crate::reading::{ChangesSince, Reading, Reported};
use service::error::{Code, ServiceError};
use service::gate::RateLimit;
use service::verification::{self, PageToVerify};

/// Bytes of the body: a page of 2 MB whose every third byte is escaped, and the rest.
const BODY_BYTES: usize = 8 * 1024 * 1024;
/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/verify", "verify_page", run)
            .title("Verify a page before publishing it", "Verificar uma página antes de publicá-la")
            .doc(
                "Audits the page you send by the same rules, without network requests. Send the response headers and \
                 robots.txt too if you have them: what they say is not measured otherwise, nor is what needs the \
                 network (sitemaps, discovery files, times). With `audit_id` the result is compared with that audit, \
                 which must be yours: `fixed`, `broke`, `revealed` (findings that another one hid before it was \
                 fixed) and `notCompared`. Free; nothing is stored. Limit: 120 an hour per network.",
                "Audita a página que você envia pelas mesmas regras, sem requisições à rede. Envie também os \
                 cabeçalhos da resposta e o robots.txt, se os tiver: sem eles, o que dizem não é medido, nem o que \
                 precisa da rede (sitemaps, arquivos de descoberta, tempos). Com `audit_id`, o resultado é comparado \
                 com essa auditoria, que precisa ser sua: `fixed`, `broke`, `revealed` (achados que outro escondia \
                 antes de ser corrigido) e `notCompared`. Grátis; nada é guardado. Limite: 120 por hora e rede.",
            )
            .example(r#"`{"url": "https://example.com/", "html": "<!doctype html>…", "audit_id": "…"}`"#)
            .reports()
            .effect(Effect::Reads)
            .body(BODY_BYTES)
            .rate_limit(RateLimit::Verifications)
            .errors(&[
                Code::InvalidUrl,
                Code::RateLimited,
                Code::GuestTokenRequired,
                Code::AuditNotFound,
                Code::DatabaseUnavailable,
            ]),
    ]
}

/// The page to judge, and what else is known of it.
#[derive(Debug, Deserialize, JsonSchema)]
struct VerifyRequest {
    /// Absolute http or https URL that the page has or will have, at most 2,048 bytes. It is not fetched.
    url: String,
    /// The page's source, at most 2,097,152 bytes of UTF-8.
    html: String,
    /// Response headers by name, as the page is or will be sent; at most 100.
    #[serde(default)]
    headers: Option<BTreeMap<String, String>>,
    /// The text of the site's robots.txt, at most 500 KB.
    #[serde(default)]
    robots_txt: Option<String>,
    /// The audit that this page began from. Its media type is taken where no headers are sent.
    #[serde(default)]
    audit_id: Option<String>,
    /// The guest who owns the audit; the same as the header `X-Guest-Token`.
    #[serde(default)]
    #[expect(dead_code, reason = "read at the gate; here for the schema and the type")]
    guest_token: Option<String>,
}

/// A verification with its links.
#[derive(Debug, Serialize, JsonSchema)]
struct VerifyAnswer {
    #[serde(flatten)]
    verification: Verification,
    /// Related addresses.
    #[serde(rename = "_links")]
    links: VerificationLinks,
}

/// Related addresses.
#[derive(Debug, Serialize, JsonSchema)]
struct VerificationLinks {
    /// The audit that it was compared with.
    audit: Option<String>,
    /// `GET /api/`.
    api_index: String,
}

/// Judges the page on a core; the network is never asked.
async fn run(call: Call, input: VerifyRequest) -> Result<Reading<VerifyAnswer>, ServiceError> {
    let Call { cx, wish, .. } = call;
    let VerifyRequest { url, html, headers, robots_txt, audit_id, .. } = input;
    let (services, lang, at) = (cx.services.clone(), cx.lang, cx.services.ports().now());
    let answer = move |verification, report: &Report, audit: Option<&AuditId>| {
        let links = VerificationLinks {
            audit: audit.map(|id| services.url(&format!("/api/audits/{id}"))),
            api_index: services.url("/api/"),
        };
        let answer = VerifyAnswer { verification, links };
        Reading::of(
            &answer,
            Reported { comparison: compared(&answer.verification), ..Reported::whole(report, at) },
            &wish,
            lang,
        )
    };
    verification::verify(&cx, PageToVerify { url, html, headers, robots_txt, audit_id }, answer).await?
}

/// What changed since the audit that a page was compared with.
fn compared(verification: &Verification) -> Option<ChangesSince<'_>> {
    let Verification { fixed, broke, revealed, .. } = verification;
    Some(ChangesSince { fixed: fixed.as_ref()?, broke: broke.as_ref()?, revealed: revealed.as_ref()? })
}
