//! The remaining free audits of the calling network.

use model::billing::Gate;

use crate::operation::{JsonAnswer, Nothing, Operation};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::gate;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/gate", "get_gate", read)
            .text(
                "See what is left today",
                "Free audits that your network has, and has left, today (UTC), and whether the next one must be paid.",
            )
            .errors(&[Code::DatabaseUnavailable]),
    ]
}

/// The allowance in force for the calling network.
async fn read(cx: Cx, _: Nothing) -> Result<JsonAnswer<Gate>, ServiceError> {
    gate::allowance(&cx).await.map(JsonAnswer::new)
}
