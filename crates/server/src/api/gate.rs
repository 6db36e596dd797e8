//! What this network may still do.

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::{PaymentMode, Sku};
use crate::error::{ApiError, Code};
use crate::operation::{Cx, Json, Nothing, Operation};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/gate", "get_gate", gate)
            .text(
                "See what is left today",
                "Free audits that your network has, and has left, today (UTC), and whether the next one must be paid.",
            )
            .errors(&[Code::DatabaseUnavailable]),
    ]
}

/// The allowance of a network (Gate).
#[derive(Debug, Serialize, JsonSchema)]
struct Gate {
    /// The network, masked.
    ip: String,
    /// Seconds since 1970-01-01 (UTC).
    now: i64,
    /// Free audits a day.
    free_allowance: u32,
    /// Of them left today.
    free_remaining: u32,
    /// The next audit must be paid.
    needs_payment: bool,
    /// A human-verification challenge is set up.
    configured: bool,
}

/// The allowance in force for the calling network.
async fn gate(cx: Cx, _: Nothing) -> Result<Json<Gate>, ApiError> {
    let app = &cx.app;
    let free_remaining = app.allowance().free_remaining(app.database(), app.ports(), cx.caller.network).await?;
    let is_free = app.config().free_now.contains(&Sku::Audit) || app.config().payment_mode() == PaymentMode::Dev;
    Ok(Json::new(Gate {
        ip: cx.caller.network.masked(),
        now: app.ports().now().seconds(),
        free_allowance: app.config().limits.free_audits_per_day,
        free_remaining,
        needs_payment: free_remaining == 0 && !is_free,
        configured: false,
    }))
}
