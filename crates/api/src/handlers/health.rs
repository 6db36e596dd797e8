//! Health check.

use model::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::operation::{JsonAnswer, Nothing, Operation};
use service::caller::Cx;
use service::error::ServiceError;
use service::health;
use service::x402::FacilitatorState;

/// Where it is asked.
pub const PATH: &str = "/api/health";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![Operation::get(PATH, "get_health", health).title("Check health", "Verificar a saúde do serviço").doc(
        "Answers 200 while the process runs. `database`: whether the database responds; audits work without it. \
             `facilitator`: whether payments can be settled; free calls work without it.",
        "Responde 200 enquanto o processo está no ar. `database`: se o banco de dados responde; auditorias \
             funcionam sem ele. `facilitator`: se pagamentos podem ser liquidados; chamadas grátis funcionam sem ele.",
    )]
}

/// Health.
#[derive(Debug, Serialize, JsonSchema)]
struct Health {
    /// Always true: a server that can't serve does not respond.
    ok: bool,
    /// Id of the product.
    app: String,
    /// Short id of the commit.
    build: &'static str,
    /// Now, UTC.
    ts: Timestamp,
    /// `up`, or `down` while audits are not stored.
    database: DatabaseHealth,
    /// Who settles payments, when last asked: `up`; `down` or `unfit` (it does not take our network) while calls with a
    /// price are refused; `unasked`; `off` where nothing is charged.
    facilitator: FacilitatorStanding,
}

/// State of the database.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Database")]
enum DatabaseHealth {
    /// It responds.
    Up,
    /// It does not respond.
    Down,
}

/// State of the facilitator.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Settling")]
enum FacilitatorStanding {
    /// Nothing is charged.
    Off,
    /// Not checked yet.
    Unasked,
    /// It responds and accepts our network.
    Up,
    /// It responds, but does not accept our network.
    Unfit,
    /// It does not respond.
    Down,
}

impl From<Option<FacilitatorState>> for FacilitatorStanding {
    fn from(standing: Option<FacilitatorState>) -> Self {
        match standing {
            None => Self::Off,
            Some(FacilitatorState::Unasked) => Self::Unasked,
            Some(FacilitatorState::Up) => Self::Up,
            Some(FacilitatorState::Unfit) => Self::Unfit,
            Some(FacilitatorState::Down) => Self::Down,
        }
    }
}

async fn health(cx: Cx, _: Nothing) -> Result<JsonAnswer<Health>, ServiceError> {
    let answers = health::database_answers(&cx.services).await;
    Ok(JsonAnswer::new(Health {
        ok: true,
        app: cx.services.config().product.id.clone(),
        build: cx.services.build().commit,
        ts: cx.services.ports().now(),
        database: if answers { DatabaseHealth::Up } else { DatabaseHealth::Down },
        facilitator: health::facilitator(&cx.services).into(),
    }))
}
