//! What pages of ours report without waiting for an answer: errors in the browser, and payment prompts that were seen.

use http::HeaderName;
use schemars::JsonSchema;

use crate::caller::same_origin;
use crate::operation::{Call, NoContent, Nothing, Operation, Taken};
use http::{StatusCode, header};
use service::blocking::off_worker;
use service::browser_errors::REPORT_BYTES;
use service::counting::Event;
use service::error::ServiceError;

/// Where errors are reported to.
pub(super) const ERRORS_PATH: &str = "/api/erro-cliente";
/// Where payment prompts that were seen are reported to.
pub(super) const PROMPT_PATH: &str = "/api/pagamento/aberto";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::beacon::<ErrorReport, _, _>(ERRORS_PATH, "report_browser_error", take_error)
            .title("Report a browser error", "Relatar um erro do navegador")
            .doc(
                "For pages of this service. Always answers 204, also for ignored reports. At most 16 KB a report and \
                 60 reports a minute per network are read. Credentials, email addresses, phone numbers and queries \
                 are removed, repeats within a minute merged, and the rest written to the operator's log. Code, phase \
                 and page are counted; nothing else is stored. Reports of browsers about the Content-Security-Policy \
                 are accepted too.",
                "Para páginas deste serviço. Sempre responde 204, também a relatos ignorados. São lidos no máximo 16 \
                 KB por relato e 60 relatos por minuto e rede. Credenciais, endereços de e-mail, telefones e queries \
                 são removidos, repetições em um minuto são reunidas, e o resto vai para o log do operador. Código, \
                 fase e página são contados; nada mais é guardado. Relatos dos navegadores sobre a \
                 Content-Security-Policy também são aceitos.",
            ),
        Operation::beacon::<Nothing, _, _>(PROMPT_PATH, "report_payment_prompt", take_prompt)
            .title("Report a viewed payment prompt", "Relatar um pedido de pagamento visto")
            .doc(
                "For pages of this service; agents must not call it. Needs `Origin` of this service, `Sec-Fetch-Site: \
                 same-origin` and `X-MM-Payment-View: 1`. Counts one event; starts no payment and grants no access.",
                "Para páginas deste serviço; agentes não devem chamá-la. Precisa do `Origin` deste serviço, de \
                 `Sec-Fetch-Site: same-origin` e de `X-MM-Payment-View: 1`. Conta um evento; não inicia pagamento nem \
                 dá acesso.",
            )
            .or_answers(StatusCode::NO_CONTENT, "Not counted: a header is missing, or another site sent it."),
    ]
}

/// An error in the browser.
#[derive(Debug, JsonSchema)]
#[expect(dead_code, reason = "it describes what is read field by field")]
struct ErrorReport {
    /// `UI-` and letters, digits and hyphens: `UI-JS-001`, `UI-PROMESSA-001`, `UI-RECURSO-001`, `UI-CSP-001`, `UI-APP-001`.
    #[schemars(length(max = 40))]
    code: String,
    /// When it happened, in lower case: `load`, `run`.
    #[schemars(length(max = 40))]
    phase: String,
    /// Path of the page, without its query.
    #[schemars(length(max = 200))]
    path: Option<String>,
    /// The message.
    #[schemars(length(max = 2000))]
    message: Option<String>,
    /// The stack.
    #[schemars(length(max = 12000))]
    stack: Option<String>,
    /// Address of the script, of which only the path is kept.
    source: Option<String>,
    /// Line in it.
    line: Option<u32>,
    /// Column in it.
    column: Option<u32>,
    /// Whether the user saw it.
    visivel: Option<bool>,
}

async fn take_error(call: Call, _: Nothing) -> Result<NoContent, ServiceError> {
    let Call { cx, form, .. } = call;
    let Some(form) = form else { return Ok(NoContent) };
    // What is too long or did not arrive is left out: no page waits for the answer, and there is nothing it could do.
    let Ok(received) = form.whole(&cx.services, REPORT_BYTES).await else { return Ok(NoContent) };
    let (services, network) = (cx.services.clone(), cx.caller.network);
    let events =
        off_worker(move || services.browser_errors().take(network, &received.bytes, services.ports().now())).await?;
    events.iter().for_each(|event| cx.count(event));
    Ok(NoContent)
}

async fn take_prompt(call: Call, _: Nothing) -> Result<Taken, ServiceError> {
    let Some(form) = call.form else { return Ok(Taken::No) };
    let parts = form.parts();
    let is = |name: HeaderName, value: &str| parts.headers.get(name).is_some_and(|sent| sent == value);
    let is_own = parts.headers.contains_key(header::ORIGIN)
        && is(HeaderName::from_static("sec-fetch-site"), "same-origin")
        && is(HeaderName::from_static("x-mm-payment-view"), "1")
        && same_origin(&call.cx.services, parts).is_ok();
    if !is_own {
        return Ok(Taken::No);
    }
    call.cx.count(&Event::PaymentPrompt);
    Ok(Taken::Yes)
}
