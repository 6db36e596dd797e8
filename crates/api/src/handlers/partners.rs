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
            .text(
                "See what is offered to partners",
                "Placements with prices, sponsors of today, and how to propose one: `POST /api/contact` with `tipo`. A null \
                 price is on request. Sponsors never touch a report, a score or a fix. 404 where partners are not asked for.",
            )
            .cacheable(LASTING)
            .errors(&[Code::NotFound]),
    ]
}

async fn show(cx: Cx, _: Nothing) -> Result<WrittenJson<Partners>, ServiceError> {
    WrittenJson::spoken(&partners::document(&cx.services, cx.lang)?)
}
