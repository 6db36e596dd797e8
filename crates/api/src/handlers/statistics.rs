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
            .title("Get usage statistics", "Obter as estatísticas de uso")
            .doc(
                "Seven days of page views, visitors, calls and audits, and 30 days of findings by code, at most an \
                 hour old. Contains no addresses and no owners. Null where the database does not respond. The \
                 operator token adds `today_contacts`, `financeiro` and, on the main network, `payments`.",
                "Sete dias de visualizações de página, visitantes, chamadas e auditorias, e 30 dias de achados por \
                 código, com no máximo uma hora de atraso. Não contém endereços nem donos. Null se o banco de dados \
                 não responde. O token do operador acrescenta `today_contacts`, `financeiro` e, na rede principal, \
                 `payments`.",
            ),
        Operation::get("/api/vitrine", "get_showcase", showcase)
            .title("Get the published statistics", "Obter as estatísticas publicadas")
            .doc(
                "Updated once an hour; every number is rounded to two significant digits. Null means not measured, \
                 never zero. `stale` is true when they are older than 26 hours. Cacheable for 15 minutes, with an \
                 `ETag`.",
                "Atualizadas uma vez por hora; todo número é arredondado para dois dígitos significativos. Null quer \
                 dizer não medido, nunca zero. `stale` é true quando elas têm mais de 26 horas. Podem ficar em cache \
                 por 15 minutos, com um `ETag`.",
            )
            .cacheable(PUBLISHED)
            .errors(&[Code::DatabaseUnavailable]),
        Operation::get("/api/vitrine/operador", "get_operator_figures", operador)
            .title("Get the operator's figures", "Obter os números do operador")
            .doc(
                "The published figures, current and exact, plus income by day, jobs by lane, pending Pix requests and \
                 open payments, and for the last 24 hours browser errors, routes with their times, and targets that \
                 refused.",
                "Os números publicados, atuais e exatos, mais a receita por dia, as tarefas por fila, os pedidos de \
                 Pix pendentes e os pagamentos abertos e, das últimas 24 horas, os erros de navegadores, as rotas com \
                 os tempos e os sites que recusaram.",
            )
            .access(Access::Operator)
            .errors(&[Code::DatabaseUnavailable])
            .without_tool(),
        Operation::get("/api/vitrine/painel", "get_board", painel)
            .title("Compare installations", "Comparar instalações")
            .doc(
                "This installation and those of `showcase.peers`, read once an hour within five seconds and 64 KB. \
                 `idade_s` is the age of the figures.",
                "Esta instalação e as de `showcase.peers`, lidas uma vez por hora em até cinco segundos e 64 KB. \
                 `idade_s` é a idade dos números.",
            )
            .access(Access::Operator)
            .errors(&[Code::DatabaseUnavailable])
            .without_tool(),
        Operation::get("/api/vitrine/cursores", "get_cursors", cursores)
            .title("Get the newest counted events", "Obter os eventos contados mais recentes")
            .doc(
                "When the newest counted event happened: `borda` on a server, `cli` as reported by a command line. \
                 Empty where nothing was counted.",
                "Quando ocorreu o evento contado mais recente: `borda` em um servidor, `cli` relatado por uma linha \
                 de comando. Vazio se nada foi contado.",
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
