//! The counter of a server.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::time::Timestamp;
use store::CountSpan;

use super::event::{Event, kind};
use super::latency::Latencies;
use super::minutes::MinuteUses;
use super::reader::{CountedReader, ReaderKind};
use super::tally::PendingCounts;
use super::visitors;
use crate::allowance::DaySalt;
use crate::database::{Database, DatabaseError};
use crate::network::Network;
use crate::ports::Ports;

/// How often numbers are written: what a crash loses at most.
pub const FLUSH_EVERY: Duration = Duration::from_secs(10);
/// Page views that one network may report within a minute, to each server.
const VISITS_PER_MINUTE: u32 = 60;
/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;

/// Where the service was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// A page for people.
    Page,
    /// A call of the API.
    Api,
    /// A call of a tool over MCP.
    Mcp,
    /// The widget in a page of another site.
    Widget,
    /// A badge.
    Badge,
    /// A document for programs.
    Documents,
}

impl Surface {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Page, Self::Api, Self::Mcp, Self::Widget, Self::Badge, Self::Documents];

    /// Its name among the numbers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Page => "pagina",
            Self::Api => "api",
            Self::Mcp => "mcp",
            Self::Widget => "widget",
            Self::Badge => "badge",
            Self::Documents => "documentos",
        }
    }
}

/// An answered request.
#[derive(Debug, Clone, Copy)]
pub struct AnsweredRequest<'a> {
    /// Where; `None` for what is no use of the service, such as a style sheet.
    pub surface: Option<Surface>,
    /// Who asked.
    pub reader: &'a CountedReader,
    /// From which network.
    pub network: Network,
    /// The tool that was called over MCP.
    pub tool: Option<&'static str>,
    /// Method and pattern of the route; `None` where none matched.
    pub route: Option<&'a str>,
    /// The status of the answer.
    pub status: u16,
    /// How long the answer took.
    pub took: Duration,
}

/// Counts what is used on this server until it is written.
#[derive(Debug, Default)]
pub struct Counter {
    tally: Mutex<PendingCounts>,
    key: DaySalt,
    visits: MinuteUses,
}

impl Counter {
    /// Counts an answered request.
    pub async fn answered(&self, database: &Database, ports: &Ports, answered: &AnsweredRequest<'_>) {
        let now = ports.now();
        self.count_route(now, answered);
        let Some(surface) = answered.surface else { return };
        self.count_use(now, surface, answered);
        // The widget and badges are shown on pages of other sites: who sees them does not visit us.
        if !matches!(surface, Surface::Widget | Surface::Badge) {
            self.note_visitor(database, ports, answered).await;
        }
    }

    /// Counts the page view of a person that no answer of a server stands for.
    pub async fn viewed(&self, database: &Database, ports: &Ports, reader: &CountedReader, network: Network) {
        let answered = AnsweredRequest {
            surface: None,
            reader,
            network,
            tool: None,
            route: None,
            status: 200,
            took: Duration::ZERO,
        };
        self.count_use(ports.now(), Surface::Page, &answered);
        self.note_visitor(database, ports, &answered).await;
    }

    /// Whether a network may report one more page view within this minute.
    pub fn admits_visit(&self, network: Network, now: Timestamp) -> bool {
        self.visits.spend(network, now, VISITS_PER_MINUTE)
    }

    /// Notes a visitor, without counting anything.
    async fn note_visitor(&self, database: &Database, ports: &Ports, answered: &AnsweredRequest<'_>) {
        let day = ports.now().day();
        // Without the key of the day, which servers agree on through the database, nobody can be told from another.
        let Ok(key) = self.key.of(database, ports, day).await else { return };
        let reader = answered.reader.kind.word();
        self.tally().visit(day, reader, |seen| seen.add(&key, day, answered.network, &answered.reader.user_agent));
    }

    fn count_route(&self, now: Timestamp, answered: &AnsweredRequest<'_>) {
        let class = (answered.status / 100).to_string();
        let mut tally = self.tally();
        tally.add(day(now), kind::STATUS, &class, 1);
        let Some(route) = answered.route else { return };
        let name = format!("{route}\t{class}\t{}", Latencies::bucket(answered.took));
        tally.add(hour(now), kind::ROUTE, &name, 1);
    }

    fn count_use(&self, now: Timestamp, surface: Surface, answered: &AnsweredRequest<'_>) {
        let mut tally = self.tally();
        tally.reach("borda", now);
        tally.add(day(now), kind::CALLS, &format!("{}/{}", surface.word(), answered.reader.kind.word()), 1);
        if let ReaderKind::Agent(name) = answered.reader.kind {
            tally.add(day(now), kind::AGENT, name, 1);
        }
        if let Some(tool) = answered.tool {
            tally.add(day(now), kind::TOOL, tool, 1);
        }
        if let (Some(language), Surface::Page, ReaderKind::Person) =
            (&answered.reader.language, surface, answered.reader.kind)
        {
            tally.add(day(now), kind::LANGUAGE, language, 1);
        }
    }

    /// Counts an event of the product.
    pub fn add(&self, event: &Event, now: Timestamp) {
        let mut tally = self.tally();
        match event {
            Event::ClientError { code, phase, path } => {
                let part = |text: &str| text.replace('\t', " ");
                let name = format!("{}\t{}\t{}", part(code), part(phase), part(path));
                tally.add(hour(now), kind::CLIENT_ERROR, &name, 1);
            }
            Event::RefusedTarget(code) => tally.add(hour(now), kind::REFUSED_TARGET, code, 1),
            event => event.word().into_iter().for_each(|word| tally.add(day(now), kind::EVENT, word, 1)),
        }
        if *event == Event::CommandLine {
            tally.reach("cli", now);
        }
    }

    /// Counts the findings of a stored audit, by code; and the time that it took this server, without its target's.
    pub fn add_findings<'c>(
        &self,
        codes: impl IntoIterator<Item = &'c str>,
        own_time: Option<Duration>,
        now: Timestamp,
    ) {
        let mut by_code = std::collections::BTreeMap::<&str, u64>::new();
        for code in codes {
            *by_code.entry(code).or_default() += 1;
        }
        let mut tally = self.tally();
        tally.add(day(now), kind::EVENT, "audit_read", 1);
        for (code, n) in by_code {
            tally.add(day(now), kind::FINDING, code, n);
            tally.add(day(now), kind::AUDIT_WITH, code, 1);
        }
        if let Some(took) = own_time {
            tally.add(day(now), kind::AUDIT_TIME, &Latencies::bucket(took).to_string(), 1);
        }
    }

    /// Writes what was counted. What can't be written, as the database is away, waits for the next time.
    pub async fn flush(&self, database: &Database, ports: &Ports) -> Result<(), DatabaseError> {
        // The second batch is what came while the first one waited.
        for _ in 0..2 {
            let Some(batch) = self.tally().batch(ports.now(), || ports.id()) else { return Ok(()) };
            let id = batch.id.clone();
            database.insist(|store| store.add_counts(batch, visitors::merge)).await?;
            self.tally().confirm(&id);
        }
        Ok(())
    }

    /// Poisoned or not: numbers can't be left half written.
    fn tally(&self) -> MutexGuard<'_, PendingCounts> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn day(now: Timestamp) -> CountSpan {
    CountSpan::Day(now.day().0)
}

fn hour(now: Timestamp) -> CountSpan {
    CountSpan::Hour(now.0.div_euclid(HOUR_MS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    /// `cargo test -p service counting::counter -- --ignored --nocapture` prints what docs/performance.md says.
    #[test]
    #[ignore = "measures, and proves nothing"]
    fn what_counting_a_request_costs() {
        const REQUESTS: u32 = 100_000;
        let (counter, now) = (Counter::default(), Timestamp(0));
        let begun = tokio::time::Instant::now();
        for request in 0..REQUESTS {
            let reader =
                CountedReader::of("Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Firefox/150.0", "", "pt-BR", false);
            let network = Network::of(Ipv4Addr::from(request).into());
            let took = Duration::from_micros(u64::from(request));
            let route = format!("{} {}", "POST", "/api/audit");
            let answered = AnsweredRequest {
                surface: None,
                reader: &reader,
                network,
                tool: None,
                route: Some(&route),
                status: 200,
                took,
            };
            counter.count_route(now, &answered);
            counter.count_use(now, Surface::Api, &answered);
            counter.tally().visit(now.day(), "pessoa", |seen| {
                seen.add(&[7; 32], now.day(), network, &reader.user_agent);
            });
        }
        println!("{:?} a request", begun.elapsed() / REQUESTS);
    }
}
