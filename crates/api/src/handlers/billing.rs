//! Payment methods, prices, and the caller's usage.

use model::pricing::Billing;
use service::billing;
use service::caller::Cx;
use service::error::{Code, ServiceError};

use crate::operation::{JsonAnswer, Nothing, Operation};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/billing", "get_billing", read)
            .text(
                "Get billing information",
                "Network, payee, prices, your use of the free followed pages, and your trial. A guest token, key or \
                 session says whose pages are counted.",
            )
            .errors(&[Code::DatabaseUnavailable, Code::AuthUnavailable]),
    ]
}

async fn read(cx: Cx, _: Nothing) -> Result<JsonAnswer<Billing>, ServiceError> {
    billing::of(&cx).await.map(JsonAnswer::new)
}
