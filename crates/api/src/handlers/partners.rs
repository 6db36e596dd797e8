//! What is offered to partners and sponsors.

use model::partners::Partners;

use crate::operation::{LASTING, Nothing, Operation, WrittenJson};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::partners::{self, API_PATH};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(API_PATH, "get_partners", show)
            .title("Get partner offers", "Obter as ofertas para parceiros")
            .doc(
                "Sponsor placements with prices, current sponsors, and how to propose one: `POST /api/contact` with \
                 `tipo`. A null price is on request. Sponsors never affect a report, a score or a fix. 404 where the \
                 server offers none.",
                "Espaços para patrocinadores com preços, patrocinadores atuais e como propor uma parceria: `POST \
                 /api/contact` com `tipo`. Preço null é sob consulta. Patrocinadores nunca mudam um relatório, uma \
                 nota ou uma correção. 404 se o servidor não oferece espaços.",
            )
            .cacheable(LASTING)
            .errors(&[Code::NotFound]),
    ]
}

async fn show(cx: Cx, _: Nothing) -> Result<WrittenJson<Partners>, ServiceError> {
    WrittenJson::spoken(&partners::document(&cx.services, cx.lang)?)
}
