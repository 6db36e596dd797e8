//! The panel of seven days.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::money::Micros;
use model::time::{DAY_MS, Day, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::caller::Cx;
use crate::config::PaymentNetwork;
use crate::counting::{Event, kind};
use crate::database::{Database, DatabaseError};
use crate::figures::{DayFigures, FindingFigures, PanelFigures, days, findings, sums};
use crate::services::Services;

/// Days of the panel.
const PANEL_DAYS: i64 = 7;
/// Days of the findings.
const FINDING_DAYS: i64 = 30;
/// How long findings are kept in memory, in milliseconds: an hour.
const FINDINGS_MS: i64 = 3_600_000;
/// How long the rest is, in milliseconds.
const PANEL_MS: i64 = 10_000;

/// The service's use over seven days. Null is not measured: the database does not answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Metrics {
    /// Id of the product.
    app: String,
    /// Today, UTC.
    today: String,
    /// Page views of people today.
    today_visits: Option<u64>,
    /// Seven days, oldest first.
    days: Option<Vec<PanelDay>>,
    /// Audits and followed pages.
    usage: Option<UsageCounts>,
    /// Guests and accounts.
    accounts: Option<Accounts>,
    /// Findings over 30 days, at most an hour old.
    #[serde(rename = "achados")]
    findings: Option<FindingFigures>,
    /// Contact messages today. Operator only.
    #[serde(skip_serializing_if = "Option::is_none")]
    today_contacts: Option<u64>,
    /// Income today. Operator only.
    #[serde(rename = "financeiro", skip_serializing_if = "Option::is_none")]
    income: Option<IncomeToday>,
    /// Payments and credit. Operator only, on the main network.
    #[serde(skip_serializing_if = "Option::is_none")]
    payments: Option<PaymentPanel>,
}

/// A day of the panel.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct PanelDay {
    /// UTC date.
    day: String,
    /// Page views of people.
    visits: u64,
    /// People.
    visitors: u64,
    /// Calls of the API.
    api: u64,
    /// Calls by AI agents.
    agents: u64,
    /// Calls by other programs.
    machines: u64,
    /// Audits.
    audits: u64,
}

/// Audits and followed pages.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct UsageCounts {
    /// Audits today.
    audits_today: u64,
    /// Audits of seven days.
    audits_7d: u64,
    /// Audits ever.
    audits_total: u64,
    /// Verifications of seven days.
    verifications_7d: u64,
    /// Lab tests of seven days.
    labs_7d: u64,
    /// Pages followed now.
    tabs_open: u64,
    /// Watched pages.
    tabs_watched: u64,
    /// Shares in force.
    shares_live: u64,
}

/// Guests and accounts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "AccountFigures")]
struct Accounts {
    /// Guests seen within seven days.
    guests_7d: u64,
    /// Accounts.
    accounts_total: u64,
    /// Organizations.
    organizations_total: u64,
    /// Accounts made within seven days.
    new_7d: u64,
}

/// Income of a day.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct IncomeToday {
    /// Dollars, with six decimals.
    #[serde(rename = "hoje_usd")]
    today_usd: String,
    /// Payments.
    #[serde(rename = "hoje_count")]
    today_count: u64,
    /// The network of payments.
    #[serde(rename = "rede")]
    network: &'static str,
}

/// Payments and credit over two windows.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PaymentFigures")]
struct PaymentPanel {
    /// Today, UTC.
    today: PaymentWindow,
    /// Seven days.
    d7: PaymentWindow,
}

/// Payments and credit over a window.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct PaymentWindow {
    /// Payments that settled.
    settled: u64,
    /// Payments with an unknown outcome.
    unclear: u64,
    /// Payments that lapsed.
    lapsed: u64,
    /// Credit sold, in dollars with six decimals.
    credit_sold_usd: String,
    /// Credit spent, in dollars with six decimals.
    credit_spent_usd: String,
    /// Pending Pix requests of the window.
    pix_waiting: u64,
}

impl Metrics {
    /// Findings of 30 days, where they could be read.
    pub fn findings(&self) -> Option<&FindingFigures> {
        self.findings.as_ref()
    }
}

/// The panel, with more for the operator.
pub async fn metrics(cx: &Cx) -> Metrics {
    let services = &cx.services;
    let today = services.ports().now().day();
    let panel = panel(services).await;
    let of_today = panel.as_ref().filter(|panel| panel.day == today).and_then(|panel| panel.days.last());
    let (today_contacts, income, payments) =
        if cx.caller.is_operator { operator(services).await.unwrap_or_default() } else { (None, None, None) };
    Metrics {
        app: services.config().product.id.clone(),
        today: today.to_string(),
        today_visits: of_today.map(|day| day.visits),
        days: panel.as_ref().map(|panel| panel.days.iter().map(PanelDay::of).collect()),
        usage: panel.as_ref().map(|panel| UsageCounts::of(panel)),
        accounts: panel.as_ref().map(|panel| Accounts::of(panel)),
        findings: recent_findings(services).await,
        today_contacts,
        income,
        payments,
    }
}

/// The panel: of the last ten seconds, else as read now, else the last one.
async fn panel(services: &Services) -> Option<Arc<PanelFigures>> {
    let (cache, now) = (&services.figures().panel, services.ports().now());
    if let Some(panel) = cache.fresh(now, PANEL_MS) {
        return Some(panel);
    }
    match read_panel(services.database(), now).await {
        Ok(panel) => Some(cache.keep(now, panel)),
        Err(_) => cache.last().map(|(_, panel)| panel),
    }
}

async fn read_panel(database: &Database, now: Timestamp) -> Result<PanelFigures, DatabaseError> {
    let (day, from) = (now.day(), Day(now.day().0 - PANEL_DAYS + 1));
    Ok(PanelFigures {
        day,
        days: days(database, from, day).await?,
        events: sums(database, kind::EVENT, from, day).await?,
        standing: database.ask(|store| store.standing(now)).await?,
    })
}

/// Findings of 30 days; `None` where none were read within the hour and the database does not answer.
pub(super) async fn recent_findings(services: &Services) -> Option<FindingFigures> {
    let (cache, now) = (&services.figures().findings, services.ports().now());
    if let Some(kept) = cache.fresh(now, FINDINGS_MS) {
        return Some(FindingFigures::clone(&kept));
    }
    let from = Day(now.day().0 - FINDING_DAYS + 1);
    let read = findings(services.database(), from, now.day()).await.ok()?;
    Some(FindingFigures::clone(&cache.keep(now, read)))
}

type OperatorPart = (Option<u64>, Option<IncomeToday>, Option<PaymentPanel>);

async fn operator(services: &Services) -> Result<OperatorPart, DatabaseError> {
    let (database, now) = (services.database(), services.ports().now());
    let midnight = now.day().start();
    let contacts = sums(database, kind::EVENT, now.day(), now.day()).await?;
    let contacts = Event::Contact.word().and_then(|word| contacts.get(word)).copied().unwrap_or_default();
    let received = database.ask(|store| store.received(midnight, now.plus_ms(1))).await?;
    let network = services.config().payments.network;
    let income = IncomeToday {
        today_usd: usd(received.values().map(|(amount, _)| amount.0).sum()),
        today_count: received.values().map(|(_, many)| many).sum(),
        network: services.payments().chain().name,
    };
    let payments = if network == PaymentNetwork::Base {
        let today = database.ask(|store| store.money_since(midnight)).await?;
        let week = database.ask(|store| store.money_since(now.plus_ms(-PANEL_DAYS * DAY_MS))).await?;
        Some(PaymentPanel { today: PaymentWindow::of(&today), d7: PaymentWindow::of(&week) })
    } else {
        None
    };
    Ok((Some(contacts), Some(income), payments))
}

/// Dollars with six decimals.
pub(super) fn usd(micros: u64) -> String {
    format!("{:.6}", Micros(micros).dollars())
}

fn of(figures: &BTreeMap<String, u64>, name: &str) -> u64 {
    figures.get(name).copied().unwrap_or_default()
}

impl PanelDay {
    fn of(day: &DayFigures) -> Self {
        let DayFigures { visits, visitors, api, agents, machines, audits, .. } = *day;
        Self { day: day.day.to_string(), visits, visitors, api, agents, machines, audits }
    }
}

impl UsageCounts {
    fn of(panel: &PanelFigures) -> Self {
        let event = |event: Event| of(&panel.events, event.word().unwrap_or_default());
        Self {
            audits_today: panel.days.last().map_or(0, |day| day.audits),
            audits_7d: panel.days.iter().map(|day| day.audits).sum(),
            audits_total: of(&panel.standing, "audits"),
            verifications_7d: event(Event::Verification),
            labs_7d: event(Event::LabTest),
            tabs_open: of(&panel.standing, "tabs"),
            tabs_watched: of(&panel.standing, "watched"),
            shares_live: of(&panel.standing, "shares"),
        }
    }
}

impl Accounts {
    fn of(panel: &PanelFigures) -> Self {
        let of = |name| of(&panel.standing, name);
        Self {
            guests_7d: of("guests_7d"),
            accounts_total: of("accounts"),
            organizations_total: of("organizations"),
            new_7d: of("accounts_7d"),
        }
    }
}

impl PaymentWindow {
    fn of(money: &BTreeMap<String, u64>) -> Self {
        let of = |name| of(money, name);
        Self {
            settled: of("settled"),
            unclear: of("unclear"),
            lapsed: of("lapsed"),
            credit_sold_usd: usd(of("sold")),
            credit_spent_usd: usd(of("spent")),
            pix_waiting: of("pix"),
        }
    }
}
