//! What this network may still do.

use model::billing::Gate;

use crate::config::Sku;
use crate::error::{ApiError, Code};
use crate::gate;
use crate::operation::{Cx, Json, Nothing, Operation};

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
async fn read(cx: Cx, _: Nothing) -> Result<Json<Gate>, ApiError> {
    gate_of(&cx).await.map(Json::new)
}

/// The same for an answer that holds more.
pub(crate) async fn gate_of(cx: &Cx) -> Result<Gate, ApiError> {
    let app = &cx.app;
    let free_remaining = app.allowance().free_remaining(app.database(), app.ports(), cx.caller.network).await?;
    let is_free =
        gate::is_free_for_now(app, Sku::Audit) || gate::is_on_trial(app, &cx.caller) || !app.payments().is_live();
    Ok(Gate {
        ip: cx.caller.network.masked(),
        now: app.ports().now().seconds(),
        free_allowance: app.config().limits.free_audits_per_day,
        free_remaining,
        needs_payment: free_remaining == 0 && !is_free,
        configured: false,
    })
}
