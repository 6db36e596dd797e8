//! The public statistics: published once an hour for all servers, with every number rounded.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use audit::checks::FAMILIES;
use audit::report::CATALOG_VERSION;
use model::time::{DAY_MS, Day, Timestamp};
use serde_json::Value;
use store::Publication;

use super::document::{
    AccountCounts, AgentFigures, CatalogFigures, DaySums, NamedCalls, PeopleFigures, Showcase, ShowcaseBody,
    ShowcaseDay, ShowcaseWindows, SupportFigures, ToolFigures, UsageFigures, VisitorSums,
};
use super::metrics::usd;
use crate::counting::{Event, kind};
use crate::database::DatabaseError;
use crate::figures::{DayFigures, days, reliability, sums};
use crate::partners;
use crate::services::Services;

/// Version of the contract of this document.
const VERSION: u32 = 1;
/// Days that are shown.
const SHOWN_DAYS: i64 = 31;
/// Milliseconds after which what is published is stale: 26 hours.
const STALE_MS: i64 = 26 * 3_600_000;
/// Agents that are named.
const MOST_AGENTS: usize = 10;
/// A language is named where it has one view in so many, or more.
const LANGUAGE_ONE_IN: u64 = 100;
/// The one share that is published with four digits.
const EXACT: &str = "disponibilidade";

/// The published statistics, as they are read now.
pub async fn showcase(services: &Services) -> Result<Showcase, DatabaseError> {
    let publication = services.database().ask(|store| store.showcase()).await?;
    Ok(public(services.config().product.id.clone(), publication, services.ports().now()))
}

fn public(product: String, publication: Option<Publication>, now: Timestamp) -> Showcase {
    let body = publication.as_ref().and_then(|publication| {
        let value: Value = serde_json::from_str(&publication.body)
            .inspect_err(|error| tracing::error!(%error, "published statistics are not JSON"))
            .ok()?;
        serde_json::from_value(rounded(value, ""))
            .inspect_err(|error| tracing::error!(%error, "published statistics are of another shape"))
            .ok()
    });
    let published_at = publication.map(|publication| publication.published_at).filter(|_| body.is_some());
    let stale = published_at.is_none_or(|at| now.0 > at.0.saturating_add(STALE_MS));
    Showcase { v: VERSION, product, is_published: body.is_some(), published_at, stale, body }
}

/// Publishes the statistics of an hour.
pub async fn publish(services: &Services, hour: i64) -> Result<(), DatabaseError> {
    let body = measured(services).await?;
    let body = serde_json::to_string(&body).map_err(|error| {
        tracing::error!(%error, "statistics can't be written");
        DatabaseError::Defect
    })?;
    let publication = Publication { published_at: services.ports().now(), body };
    services.database().write(|store| store.publish_showcase(hour, &publication)).await?;
    super::peers::read(services).await
}

/// The figures as they are now, exact.
pub async fn measured(services: &Services) -> Result<ShowcaseBody, DatabaseError> {
    let (database, config, now) = (services.database(), services.config(), services.ports().now());
    let today = now.day();
    let ago = |days: i64| Day(today.0 - days + 1);
    let since = database.ask(|store| store.first_counted_day()).await?;
    let shown = match since {
        Some(since) => days(database, Day(since.0.max(ago(SHOWN_DAYS).0)), today).await?,
        None => Vec::new(),
    };
    let window = |days: i64| sum(shown.iter().filter(|day| day.day >= ago(days)));
    let windows = ShowcaseWindows { d7: window(7), d30: window(30) };
    let today_sums = sum(shown.iter().filter(|day| day.day == today));
    let calls = sums(database, kind::CALLS, ago(30), today).await?;
    let calls_7d = sums(database, kind::CALLS, ago(7), today).await?;
    let by_agents = |calls: &BTreeMap<String, u64>| of(calls, |name| name.ends_with("/agente"));
    let over_mcp = |calls: &BTreeMap<String, u64>| of(calls, |name| name.starts_with("mcp/"));
    let events = sums(database, kind::EVENT, ago(30), today).await?;
    let standing = database.ask(|store| store.standing(now)).await?;
    let now_there = |name: &str| standing.get(name).copied();
    let event =
        |event: Event| since.map(|_| event.word().and_then(|word| events.get(word)).copied().unwrap_or_default());
    let sold = database.ask(|store| store.money_since(now.plus_ms(-30 * DAY_MS))).await?.get("sold").copied();
    let (_, reliability) = reliability(database, ago(30), now).await?;
    Ok(ShowcaseBody {
        name: config.product.name.clone(),
        since: since.map(|day| day.to_string()),
        time_zone: "UTC".to_owned(),
        today: today_sums,
        visitors: VisitorSums { today: today_sums.visitors, d7: windows.d7.visitors, d30: windows.d30.visitors },
        people: PeopleFigures {
            d7: windows.d7.pages,
            d30: windows.d30.pages,
            languages: languages(&sums(database, kind::LANGUAGE, ago(30), today).await?),
        },
        agents: AgentFigures {
            d7: since.map(|_| by_agents(&calls_7d)),
            d30: since.map(|_| by_agents(&calls)),
            names: most(sums(database, kind::AGENT, ago(30), today).await?, MOST_AGENTS),
        },
        surfaces: by_surface(&calls),
        mcp: ToolFigures {
            d7: since.map(|_| over_mcp(&calls_7d)),
            d30: since.map(|_| over_mcp(&calls)),
            tools: most(sums(database, kind::TOOL, ago(30), today).await?, usize::MAX),
        },
        usage: UsageFigures {
            audits: windows.d30.audits,
            verifications: event(Event::Verification),
            lab_tests: event(Event::LabTest),
            tabs: now_there("tabs"),
            watched: now_there("watched"),
            shared: now_there("shares"),
        },
        accounts: AccountCounts {
            guests: now_there("guests"),
            accounts: now_there("accounts"),
            organizations: now_there("organizations"),
        },
        reliability,
        catalog: CatalogFigures {
            checks: FAMILIES.iter().map(|family| family.checks.len() as u64).sum(),
            families: FAMILIES.len() as u64,
            version: CATALOG_VERSION.to_owned(),
        },
        support: SupportFigures {
            sponsors: partners::sponsors(services),
            credit_usd: sold.filter(|_| config.showcase.revenue).and_then(|micros| usd(micros).parse().ok()),
        },
        windows,
        days: shown.iter().map(ShowcaseDay::of).collect(),
    })
}

impl ShowcaseDay {
    fn of(figures: &DayFigures) -> Self {
        let DaySums { pages, api, api_agents, machines, visitors, audits } = sum(std::iter::once(figures));
        Self { day: figures.day.to_string(), pages, api, api_agents, machines, visitors, audits }
    }
}

fn sum<'d>(days: impl Iterator<Item = &'d DayFigures>) -> DaySums {
    let mut sums = DaySums::default();
    for day in days {
        sums.add(&DaySums {
            pages: Some(day.visits),
            api: Some(day.api),
            api_agents: Some(day.api_agents),
            machines: Some(day.machines),
            visitors: Some(day.visitors),
            audits: Some(day.audits),
        });
    }
    sums
}

fn of(calls: &BTreeMap<String, u64>, is_wanted: impl Fn(&str) -> bool) -> u64 {
    calls.iter().filter(|(name, _)| is_wanted(name)).map(|(_, n)| n).sum()
}

fn by_surface(calls: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let mut surfaces = BTreeMap::new();
    for (name, n) in calls {
        let surface = name.split('/').next().unwrap_or_default().to_owned();
        *surfaces.entry(surface).or_default() += n;
    }
    surfaces
}

/// The share of each language that has at least one view in [`LANGUAGE_ONE_IN`].
#[expect(clippy::cast_precision_loss, reason = "a share of a number of views")]
fn languages(views: &BTreeMap<String, u64>) -> BTreeMap<String, f64> {
    let all: u64 = views.values().sum();
    let named = views.iter().filter(|(_, n)| **n * LANGUAGE_ONE_IN >= all);
    named.map(|(language, n)| (language.clone(), *n as f64 / all as f64)).collect()
}

/// The names with most calls.
fn most(calls: BTreeMap<String, u64>, most: usize) -> Vec<NamedCalls> {
    let mut named: Vec<NamedCalls> = calls.into_iter().map(|(name, calls)| NamedCalls { name, calls }).collect();
    named.sort_by_key(|named| Reverse(named.calls));
    named.truncate(most);
    named
}

/// JSON with every number rounded to two significant digits, but for the one share that has four digits after the point.
/// `name`: of the member that it is.
fn rounded(value: Value, name: &str) -> Value {
    match value {
        Value::Number(number) if name == EXACT => Value::Number(number),
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => two_digits(whole).into(),
            (None, Some(part)) => format!("{part:.1e}").parse::<f64>().unwrap_or(part).into(),
            (None, None) => Value::Null,
        },
        Value::Array(items) => items.into_iter().map(|item| rounded(item, name)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| {
                let value = rounded(value, &name);
                (name, value)
            })
            .collect(),
        other => other,
    }
}

/// A number rounded to two significant digits.
fn two_digits(n: u64) -> u64 {
    let unit = 10_u64.pow(n.checked_ilog10().unwrap_or_default().saturating_sub(1));
    n.saturating_add(unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NOW, service_on};
    use model::money::Micros;
    use serde_json::json;
    use store::NewCredit;

    #[tokio::test]
    async fn credit_of_the_last_30_days_is_published() {
        let test = service_on(|config| config.showcase.revenue = true).await;
        for (days, dollars) in [(0, 1), (29, 5), (31, 10)] {
            let new = NewCredit {
                id: format!("credit-{days}"),
                token_digest: [u8::try_from(days).unwrap(); 32],
                owner: None,
                is_dev: false,
                network: None,
                created_at: NOW.plus_ms(-days * DAY_MS),
            };
            test.services.database().store().create_dev_credit(new, Micros::of_dollars(dollars)).await.unwrap();
        }
        assert_eq!(measured(&test.services).await.unwrap().support.credit_usd, Some(6.0));
    }

    #[test]
    fn the_ten_agents_with_most_calls_are_named() {
        let calls: BTreeMap<String, u64> = (1..=12).map(|n| (format!("agent-{n:02}"), n)).collect();
        let named: Vec<u64> = most(calls, MOST_AGENTS).into_iter().map(|named| named.calls).collect();
        assert_eq!(named, [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    }

    #[test]
    fn numbers_are_published_with_two_digits() {
        for (n, wanted) in [
            (0, 0),
            (7, 7),
            (99, 99),
            (100, 100),
            (104, 100),
            (105, 110),
            (1_234, 1_200),
            (995, 1_000),
            (87_654, 88_000),
        ] {
            assert_eq!(two_digits(n), wanted, "{n}");
        }
        let exact = json!({"a": [1234, null], "disponibilidade": 0.9987, "erros_5xx": 0.0123, "versao": "2026-11"});
        let wanted = json!({"a": [1200, null], "disponibilidade": 0.9987, "erros_5xx": 0.012, "versao": "2026-11"});
        assert_eq!(rounded(exact, ""), wanted);
    }

    #[test]
    fn languages_of_less_than_a_hundredth_are_not_named() {
        let views = |pairs: &[(&str, u64)]| pairs.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        let named = languages(&views(&[("pt", 150), ("en", 48), ("de", 1), ("fr", 2)]));
        assert_eq!(named.keys().map(String::as_str).collect::<Vec<_>>(), ["en", "pt"]);
        assert_eq!(languages(&views(&[])).len(), 0);
        // A hundredth itself is named.
        let shares = languages(&views(&[("pt", 100), ("en", 97), ("de", 2), ("fr", 1)]));
        let wanted = [("de", 0.01), ("en", 0.485), ("pt", 0.5)].map(|(name, share)| (name.to_owned(), share));
        assert_eq!(shares, BTreeMap::from(wanted));
    }

    #[test]
    fn what_was_published_is_stale_after_26_hours_and_empty_before() {
        let at = Timestamp(0);
        let none = public("p".to_owned(), None, at);
        assert_eq!(
            serde_json::to_value(&none).unwrap(),
            json!({"v": 1, "produto": "p", "publicado": false, "atualizado_em": null, "stale": true})
        );
        let damaged = Publication { published_at: at, body: "{".to_owned() };
        assert!(!public("p".to_owned(), Some(damaged), at).is_published);
    }
}
