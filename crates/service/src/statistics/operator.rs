//! What the operator sees: exact figures, income, queues, routes, errors, and those of other installations.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::time::{Day, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::document::{DaySums, ShowcaseBody};
use super::metrics::usd;
use super::showcase::measured;
use crate::counting::{Latencies, kind};
use crate::database::{Database, DatabaseError};
use crate::services::Services;

/// Hours of routes and errors.
const HOURS: i64 = 24;
/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;
/// Days of income.
const INCOME_DAYS: i64 = 30;
/// Rows of a list at most.
const MOST_ROWS: usize = 200;

/// The operator's figures.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OperatorAnswer {
    /// Id of the product.
    #[serde(rename = "produto")]
    product: String,
    /// When they were read.
    #[serde(rename = "atualizado_em")]
    pub read_at: Timestamp,
    /// The figures.
    #[serde(rename = "operador")]
    pub figures: OperatorFigures,
}

/// The public figures, exact, and what only the operator sees.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OperatorFigures {
    /// The public figures, not rounded.
    #[serde(flatten)]
    pub body: ShowcaseBody,
    /// Income of 30 days, by day that has some.
    #[serde(rename = "receita")]
    pub income: Vec<DayIncome>,
    /// Jobs by lane.
    #[serde(rename = "filas")]
    pub lanes: Vec<LaneState>,
    /// Pending Pix requests.
    #[serde(rename = "pix_pendente")]
    pub pix_waiting: u64,
    /// Open payments.
    #[serde(rename = "pagamentos_sem_desfecho")]
    pub unfinished_payments: u64,
    /// Errors of browsers within 24 hours, most frequent first.
    #[serde(rename = "erros_cliente")]
    pub client_errors: Vec<ClientErrors>,
    /// Routes within 24 hours, most called first.
    #[serde(rename = "rotas")]
    pub routes: Vec<RouteFigures>,
    /// Audits that failed at their target within 24 hours, by code.
    #[serde(rename = "alvos_recusados")]
    pub refused_targets: Vec<RefusedTargets>,
}

/// Income of a day.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DayIncome {
    /// UTC date.
    #[serde(rename = "dia")]
    pub day: String,
    /// Dollars, with six decimals.
    pub usd: String,
}

/// Jobs of a lane.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LaneState {
    /// The lane.
    #[serde(rename = "fila")]
    pub lane: String,
    /// Jobs that wait or run.
    #[serde(rename = "esperando")]
    pub waiting: u64,
    /// Seconds since the oldest was due; null without one.
    #[serde(rename = "mais_antigo_s")]
    pub oldest_s: Option<u64>,
    /// Failed jobs.
    #[serde(rename = "falhos")]
    pub failed: u64,
}

/// An error of browsers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClientErrors {
    /// Its code.
    pub code: String,
    /// Phase in which it happened.
    pub phase: String,
    /// Pattern of the page's route.
    pub path: String,
    /// Number of times.
    pub n: u64,
}

/// A route.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RouteFigures {
    /// Method and pattern.
    #[serde(rename = "rota")]
    pub route: String,
    /// Calls.
    #[serde(rename = "chamadas")]
    pub calls: u64,
    /// Median time of an answer, in milliseconds.
    pub p50_ms: Option<f64>,
    /// 99th percentile of the same.
    pub p99_ms: Option<f64>,
    /// Share of answers with a status of 400 to 499, 0 to 1.
    #[serde(rename = "fracao_4xx")]
    pub share_4xx: f64,
    /// Share of answers with a status of 500 or more.
    #[serde(rename = "fracao_5xx")]
    pub share_5xx: f64,
}

/// Audits that failed at their target.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RefusedTargets {
    /// The code of the error.
    #[serde(rename = "motivo")]
    pub why: String,
    /// How many.
    pub n: u64,
}

/// Several installations side by side.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Board {
    /// This one first.
    pub apps: Vec<BoardApp>,
    /// When the figures of this one were read.
    pub updated: Timestamp,
    /// Sums over all.
    pub totals: BoardTotals,
}

/// An installation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BoardApp {
    /// Id of its product.
    #[serde(rename = "produto")]
    pub product: Option<String>,
    /// Name of its product.
    #[serde(rename = "nome")]
    pub name: Option<String>,
    /// Its public origin.
    pub base_url: String,
    /// The day so far.
    #[serde(rename = "hoje")]
    pub today: DaySums,
    /// Seven days.
    pub d7: DaySums,
    /// Thirty days.
    pub d30: DaySums,
    /// Reliability of 30 days, as it says itself.
    #[serde(rename = "confiabilidade")]
    pub reliability: Option<Value>,
    /// Seconds since its figures were read; null where none were read yet.
    #[serde(rename = "idade_s")]
    pub age_s: Option<u64>,
}

/// Sums over several installations.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct BoardTotals {
    /// The day so far.
    #[serde(rename = "hoje")]
    pub today: DaySums,
    /// Seven days.
    pub d7: DaySums,
    /// Thirty days.
    pub d30: DaySums,
}

/// When the newest of what was counted happened, by the place that it came from.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct PlaceCursors {
    /// Calls that a server answered.
    #[serde(rename = "borda", skip_serializing_if = "Option::is_none")]
    pub edge: Option<Timestamp>,
    /// Visits that a command line reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli: Option<Timestamp>,
}

/// The operator's figures, as they are now.
pub async fn operator_figures(services: &Services) -> Result<OperatorAnswer, DatabaseError> {
    let (database, now) = (services.database(), services.ports().now());
    let hour = now.0.div_euclid(HOUR_MS);
    let since = Day(now.day().0 - INCOME_DAYS + 1);
    let income = database.ask(|store| store.income_by_day(since)).await?;
    let lanes = database.ask(|store| store.lanes()).await?;
    let unfinished = database.ask(|store| store.unfinished_payments()).await?;
    let figures = OperatorFigures {
        body: measured(services).await?,
        income: income.into_iter().map(|(day, micros)| DayIncome { day: day.to_string(), usd: usd(micros) }).collect(),
        lanes: lanes
            .into_iter()
            .map(|lane| LaneState {
                lane: lane.lane,
                waiting: lane.waiting,
                oldest_s: lane.oldest_due_at.and_then(|due| u64::try_from((now.0 - due.0) / 1000).ok()),
                failed: lane.failed,
            })
            .collect(),
        pix_waiting: database.ask(|store| store.waiting_pix()).await?,
        unfinished_payments: unfinished.values().sum(),
        client_errors: client_errors(hourly(database, hour, kind::CLIENT_ERROR).await?),
        routes: routes(hourly(database, hour, kind::ROUTE).await?),
        refused_targets: most(hourly(database, hour, kind::REFUSED_TARGET).await?)
            .map(|(why, n)| RefusedTargets { why, n })
            .collect(),
    };
    Ok(OperatorAnswer { product: services.config().product.id.clone(), read_at: now, figures })
}

/// Sums of a kind of numbers over the last hours, by name.
async fn hourly(database: &Database, hour: i64, kind: &str) -> Result<BTreeMap<String, u64>, DatabaseError> {
    let mut sums = BTreeMap::new();
    for row in database.ask(|store| store.hour_counts(hour - HOURS + 1, hour, kind)).await? {
        *sums.entry(row.name).or_default() += row.n;
    }
    Ok(sums)
}

/// The most frequent names.
fn most(sums: BTreeMap<String, u64>) -> impl Iterator<Item = (String, u64)> {
    let mut sums: Vec<(String, u64)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, n)| Reverse(*n));
    sums.into_iter().take(MOST_ROWS)
}

fn client_errors(sums: BTreeMap<String, u64>) -> Vec<ClientErrors> {
    let errors = most(sums).map(|(name, n)| {
        let mut parts = name.split('\t').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        ClientErrors { code: part(), phase: part(), path: part(), n }
    });
    errors.collect()
}

fn routes(sums: BTreeMap<String, u64>) -> Vec<RouteFigures> {
    let mut routes: BTreeMap<String, (Latencies, u64, u64)> = BTreeMap::new();
    for (name, n) in sums {
        let mut parts = name.split('\t');
        let route = parts.next().unwrap_or_default();
        let class = parts.next().unwrap_or_default();
        let bucket = parts.next().and_then(|bucket| bucket.parse().ok()).unwrap_or_default();
        let (times, refused, failed) = routes.entry(route.to_owned()).or_default();
        times.add(bucket, n);
        *refused += if class == "4" { n } else { 0 };
        *failed += if class == "5" { n } else { 0 };
    }
    let mut routes: Vec<RouteFigures> = routes.into_iter().map(|(route, figures)| of_route(route, &figures)).collect();
    routes.sort_by_key(|route| Reverse(route.calls));
    routes.truncate(MOST_ROWS);
    routes
}

#[expect(clippy::cast_precision_loss, reason = "a share of a number of calls")]
fn of_route(route: String, (times, refused, failed): &(Latencies, u64, u64)) -> RouteFigures {
    let calls = times.total();
    let share = |n: u64| (n as f64 / calls as f64 * 10_000.0).round() / 10_000.0;
    let ms = |part| times.percentile_ms(part).map(|ms| (ms * 10.0).round() / 10.0);
    RouteFigures {
        route,
        calls,
        p50_ms: ms(0.5),
        p99_ms: ms(0.99),
        share_4xx: share(*refused),
        share_5xx: share(*failed),
    }
}

/// This installation and its peers.
pub async fn board(services: &Services) -> Result<Board, DatabaseError> {
    let (config, now) = (services.config(), services.ports().now());
    let body = measured(services).await?;
    let mut apps = vec![BoardApp {
        product: Some(config.product.id.clone()),
        name: Some(config.product.name.clone()),
        base_url: services.base_url().to_owned(),
        today: body.today,
        d7: body.windows.d7,
        d30: body.windows.d30,
        reliability: serde_json::to_value(&body.reliability).ok(),
        age_s: Some(0),
    }];
    let kept = services.database().ask(|store| store.peers()).await?;
    for peer in &config.showcase.peers {
        let publication = kept.get(peer);
        let document: Value =
            publication.and_then(|publication| serde_json::from_str(&publication.body).ok()).unwrap_or_default();
        let text = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
        let sums = |at: &str| document.pointer(at).cloned().and_then(|sums| serde_json::from_value(sums).ok());
        apps.push(BoardApp {
            product: text("produto"),
            name: text("nome"),
            base_url: peer.clone(),
            today: sums("/hoje").unwrap_or_default(),
            d7: sums("/janelas/d7").unwrap_or_default(),
            d30: sums("/janelas/d30").unwrap_or_default(),
            reliability: document.get("confiabilidade").cloned(),
            age_s: publication.and_then(|read| u64::try_from((now.0 - read.published_at.0) / 1000).ok()),
        });
    }
    let mut totals = BoardTotals::default();
    for app in &apps {
        totals.today.add(&app.today);
        totals.d7.add(&app.d7);
        totals.d30.add(&app.d30);
    }
    Ok(Board { apps, updated: now, totals })
}

/// The newest of what was counted, by product; nothing where nothing was.
pub async fn cursors(services: &Services) -> Result<BTreeMap<String, PlaceCursors>, DatabaseError> {
    let mut cursors = PlaceCursors::default();
    let known = services.database().ask(|store| store.count_cursors()).await?;
    for (place, at) in &known {
        match place.as_str() {
            "borda" => cursors.edge = Some(*at),
            "cli" => cursors.cli = Some(*at),
            _ => {}
        }
    }
    let product = services.config().product.id.clone();
    Ok(if known.is_empty() { BTreeMap::new() } else { BTreeMap::from([(product, cursors)]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_has_its_calls_times_and_shares() {
        let of = |name: &str, n| (name.to_owned(), n);
        let routes = routes(BTreeMap::from([
            of("GET /a\t2\t80", 98),
            of("GET /a\t4\t80", 1),
            of("GET /a\t5\t136", 1),
            of("POST /b\t2\t8", 200),
        ]));
        assert_eq!(routes.iter().map(|route| route.calls).collect::<Vec<_>>(), [200, 100]);
        let a = &routes[1];
        assert_eq!((a.share_4xx, a.share_5xx, a.p50_ms), (0.01, 0.01, Some(1.1)));
        assert_eq!(a.p99_ms, Some(1.1));
    }

    #[test]
    fn an_error_of_browsers_is_told_in_its_parts() {
        let errors = client_errors(BTreeMap::from([("UI-JS-001\tload\t/r/{slug}".to_owned(), 3)]));
        let error = &errors[0];
        assert_eq!(
            (error.code.as_str(), error.phase.as_str(), error.path.as_str(), error.n),
            ("UI-JS-001", "load", "/r/{slug}", 3)
        );
    }
}
