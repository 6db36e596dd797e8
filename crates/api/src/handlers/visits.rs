//! Page views, as our own pages report them.

use model::lang::{Text, text};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{Call, JsonAnswer, Operation};
use service::error::{Code, ServiceError};
use service::statistics::{self, Visit, VisitAnswer};

/// Where views are reported to.
pub(super) const PATH: &str = "/api/visit";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post(PATH, "report_visit", report)
            .title("Report a page view", "Relatar uma visualização de página")
            .doc(
                "For the script of this service's own pages, once a page is visible. `counted`: whether the view \
                 counts; `reason` why not: `smoke` (`smoke`, the header `X-MM-Smoke` or the user agent `mm-smoke`), \
                 `machine`, `unknown_path`, `too_many` (more than 60 a minute from one network). Nothing about the \
                 reader is stored.",
                "Para o script das páginas deste serviço, quando uma página fica visível. `counted`: se a \
                 visualização conta; `reason`, por que não: `smoke` (`smoke`, o cabeçalho `X-MM-Smoke` ou o user \
                 agent `mm-smoke`), `machine`, `unknown_path`, `too_many` (mais de 60 por minuto de uma rede). Nada \
                 sobre o leitor é guardado.",
            )
            .without_tool(),
    ]
}

/// Longest path in characters. Pages of ours have far shorter ones.
const PATH_CHARS: usize = 2048;
/// Longest id of a request in characters; ours have 36.
const ID_CHARS: usize = 64;

/// A page view.
#[derive(Debug, Deserialize, JsonSchema)]
struct VisitInput {
    /// Path of the page.
    #[schemars(length(max = PATH_CHARS))]
    p: String,
    /// A test of the operator's own: not counted.
    smoke: Option<bool>,
    /// Id of the request that the page answered (`X-Request-Id`), where it did not come from a cache: the server counted
    /// it then.
    #[schemars(length(max = ID_CHARS))]
    id: Option<String>,
}

async fn report(call: Call, input: VisitInput) -> Result<JsonAnswer<VisitAnswer>, ServiceError> {
    const LONG_PATH: Text = text("p: can have at most 2,048 characters", "p: pode ter no máximo 2.048 caracteres");
    const LONG_ID: Text = text("id: can have at most 64 characters", "id: pode ter no máximo 64 caracteres");
    let VisitInput { p: path, smoke, id: request_id } = input;
    let id_chars = request_id.as_ref().map_or(0, |id| id.chars().count());
    for (is_long, what) in [(path.chars().count() > PATH_CHARS, LONG_PATH), (id_chars > ID_CHARS, LONG_ID)] {
        if is_long {
            return Err(ServiceError::new(Code::InvalidBody).explained(what.into()));
        }
    }
    let is_page = call.resources.pages.get().is_some_and(|page_of| page_of(&path).is_some());
    let visit = Visit { is_page, path, is_smoke: smoke.unwrap_or_default(), request_id };
    Ok(JsonAnswer::new(statistics::visit(&call.cx, visit).await))
}
