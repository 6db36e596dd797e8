//! Statistics: the panel, the published figures, and the operator's.

use std::collections::BTreeMap;

use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::operation::{Access, IntoReply, JsonAnswer, Nothing, Operation, Reply};
use crate::response::conditional;
use service::caller::Cx;
use service::database::DatabaseError;
use service::error::{Code, ServiceError};
use service::statistics::{
    self, Board, Metrics, OperatorAnswer, PlaceCursors, Showcase, board, cursors, operator_figures,
};

/// `Cache-Control` of the published figures: 15 minutes.
const PUBLISHED: &str = "public, max-age=900";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/metrics", "get_metrics", metrics)
            .text(
                "See how much the service is used",
                "Seven days of page views, visitors, calls and audits, and the findings of 30 days by code, at most an hour \
                 old. No address and no owner is in it. What the database can't tell at the moment is null. The operator's \
                 token adds `today_contacts`, `financeiro` and, on the main network, `payments`.",
            ),
        Operation::get("/api/vitrine", "get_showcase", showcase)
            .text(
                "Read the published statistics",
                "Published once an hour, every number rounded to two significant digits. Null is not measured, never zero. \
                 `stale` is true when they are older than 26 hours. Cacheable for 15 minutes, with an `ETag`.",
            )
            .cacheable(PUBLISHED)
            .errors(&[Code::DatabaseUnavailable]),
        Operation::get("/api/vitrine/operador", "get_operator_figures", operador)
            .text(
                "Read the operator's figures",
                "The published figures as they are now and not rounded, and income by day, jobs by lane, Pix requests that \
                 wait, payments that have not ended, errors of browsers, routes with their times, and targets that \
                 refused, the last three of 24 hours.",
            )
            .access(Access::Operator)
            .errors(&[Code::DatabaseUnavailable])
            .without_tool(),
        Operation::get("/api/vitrine/painel", "get_board", painel)
            .text(
                "Compare installations",
                "This installation, and those of `showcase.peers` as they were read last: once an hour, within five \
                 seconds and 64 KiB. `idade_s` says how old figures are.",
            )
            .access(Access::Operator)
            .errors(&[Code::DatabaseUnavailable])
            .without_tool(),
        Operation::get("/api/vitrine/cursores", "get_cursors", cursores)
            .text(
                "See how far counts have come",
                "When the newest of what is counted happened: `borda` on a server, `cli` as reported by a command line. \
                 Empty where nothing was counted.",
            )
            .access(Access::Operator)
            .errors(&[Code::DatabaseUnavailable])
            .without_tool(),
    ]
}

async fn metrics(cx: Cx, _: Nothing) -> Result<JsonAnswer<Metrics>, ServiceError> {
    Ok(JsonAnswer::new(statistics::metrics(&cx).await))
}

async fn showcase(cx: Cx, _: Nothing) -> Result<ExactJson<Showcase>, ServiceError> {
    Ok(ExactJson(statistics::showcase(&cx.services).await?))
}

async fn operador(cx: Cx, _: Nothing) -> Result<JsonAnswer<OperatorAnswer>, ServiceError> {
    Ok(JsonAnswer::new(operator_figures(&cx.services).await.map_err(unavailable)?))
}

async fn painel(cx: Cx, _: Nothing) -> Result<JsonAnswer<Board>, ServiceError> {
    Ok(JsonAnswer::new(board(&cx.services).await.map_err(unavailable)?))
}

async fn cursores(cx: Cx, _: Nothing) -> Result<JsonAnswer<BTreeMap<String, PlaceCursors>>, ServiceError> {
    Ok(JsonAnswer::new(cursors(&cx.services).await.map_err(unavailable)?))
}

/// The refusal of an operator's route: one code for a server without a token and for one without its database.
fn unavailable(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::Down | DatabaseError::Full => ServiceError::new(Code::OperatorUnavailable).retry_after(5),
        error => error.into(),
    }
}

/// JSON with a strong `ETag`, which names its bytes: it is never sent compressed.
struct ExactJson<T>(T);

impl<T: Serialize + JsonSchema + 'static> IntoReply for ExactJson<T> {
    fn reply(self) -> Result<Reply, ServiceError> {
        let body = serde_json::to_vec(&self.0).map(Bytes::from).map_err(|error| {
            tracing::error!(%error, "statistics could not be written");
            ServiceError::new(Code::Internal)
        })?;
        let mut reply = Reply::json(body.clone());
        reply.headers.extend(conditional::exact(&body));
        Ok(reply)
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        JsonAnswer::<T>::describe(generator)
    }
}
