//! Sign-in, sign-out and account security: the endpoints behind the pages below `/conta`.

mod answer;
mod entry;
mod recovery;
mod security;

use http::{HeaderValue, header};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) use answer::{Done, with_session, without_session};

use crate::caller::CONTEXT;
use crate::cookies::CookieKind;
use crate::operation::{Access, JsonAnswer, Nothing, Operation};
use service::accounts::session::{self, PageTokens};

use service::caller::Cx;
use service::error::{Code, ServiceError};

/// The endpoints of this file and of those below it.
pub(super) fn operations() -> Vec<Operation> {
    let own = vec![
        Operation::get("/api/auth/bootstrap", "bootstrap", bootstrap)
            .title("Get a CSRF token", "Obter um token CSRF")
            .doc(
                "What a page of this service sends with its writes: `csrf` in the header `X-CSRF-Token`, `context` in \
                 `X-MM-Context`. The token is bound to the session or, before sign-in, to a cookie that this call \
                 sets. Other sites can't read the answer.",
                "O que uma página deste serviço envia ao escrever: `csrf` no cabeçalho `X-CSRF-Token`, `context` em \
                 `X-MM-Context`. O token vale só para a sessão ou, antes de entrar na conta, para um cookie que esta \
                 chamada define. Outros sites não podem ler a resposta.",
            )
            .access(Access::Browser)
            .without_tool()
            .unshared()
            .errors(&[Code::InvalidRequest, Code::InvalidOrigin, Code::AuthUnavailable]),
        Operation::post("/api/auth/logout", "sign_out", sign_out)
            .title("Sign out", "Sair")
            .doc(
                "Ends the session of this browser only. Idempotent.",
                "Encerra só a sessão deste navegador. Idempotente.",
            )
            .example("`{}`")
            .access(Access::Browser)
            .without_tool(),
    ];
    [own, entry::operations(), recovery::operations(), security::operations()].into_iter().flatten().collect()
}

/// CSRF token and context of a page.
#[derive(Debug, Serialize, JsonSchema)]
struct Bootstrap {
    /// For `X-CSRF-Token`; stays the same for a session.
    csrf: String,
    /// For `X-MM-Context`; a new one for each page view. It grants nothing.
    context: String,
}

/// The CSRF token and context of a page view, and the cookie they are bound to before sign-in.
async fn bootstrap(cx: Cx, _: Nothing) -> Result<JsonAnswer<Bootstrap>, ServiceError> {
    let PageTokens { csrf, context, browser } = session::page_tokens(&cx)?;
    let header_value = HeaderValue::from_str(&context);
    let mut answer = JsonAnswer::new(Bootstrap { csrf, context });
    if let Ok(value) = header_value {
        answer = answer.header(CONTEXT, value);
    }
    let cookie = browser.and_then(|secret| CookieKind::Bootstrap.set(cx.services.is_https(), &secret));
    Ok(cookie.into_iter().fold(answer, |answer, cookie| answer.header(header::SET_COOKIE, cookie)))
}

/// Ends the caller's session and deletes its cookie.
async fn sign_out(cx: Cx, _: Nothing) -> Result<JsonAnswer<Done>, ServiceError> {
    session::sign_out(&cx).await?;
    Ok(without_session(&cx.services, JsonAnswer::new(Done::OK)))
}
