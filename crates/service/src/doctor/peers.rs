//! The systems that the service depends on, each asked once: database, mail server, its own public address, facilitator,
//! and what measures lab tests.

use std::time::Duration;

use fetch::{Fetcher, ServiceQuestion};
use lab::lighthouse::programs::Programs;
use serde_json::Value;
use store::{DatabaseFacts, DatabaseState};
use tokio::time::Instant;
use url::Url;

use super::condition::Diagnosis;
use crate::config::{Config, LabProvider};
use crate::mail::Mailer;
use crate::origin::is_loopback;
use crate::ports::Ports;
use crate::x402::{FacilitatorState, Payments};

/// Timeout of a question to the service's own public address.
const FRONT_WITHIN: Duration = Duration::from_secs(10);
/// Bytes read of an answer of that.
const FRONT_BYTES: usize = 64 * 1024;
/// Seconds that the clocks of this machine and the database may differ: above the first a warning, above the second jobs pause.
const CLOCK_SECONDS: [u64; 2] = [2, 60];
/// Connections of one server process to PostgreSQL (`crates/store/src/postgres.rs`), and those that others need.
const CONNECTIONS: i64 = 16 + 4;

/// What the others tell.
pub(super) async fn judged(config: &Config, ports: &Ports, program: &str) -> Vec<Diagnosis> {
    let base_url = config.base_url.clone().unwrap_or_else(|| format!("http://{}", config.listen));
    let mut all = database(config, ports).await;
    all.push(mail(config, &base_url).await);
    match Fetcher::new(config.fetch_config(&base_url, config.listen)) {
        Ok(fetcher) => {
            all.extend(front(config, &fetcher, program).await);
            all.extend(facilitator(config, &base_url, &fetcher).await);
        }
        Err(error) => all.push(Diagnosis::problem(
            "dns",
            format!("pages can't be fetched: {error}"),
            "Check the settings of fetch, and /etc/resolv.conf.",
        )),
    }
    all.push(lab(config).await);
    all
}

/// The database and, where it has one, its clock.
async fn database(config: &Config, ports: &Ports) -> Vec<Diagnosis> {
    let name = store::database_name(&config.database_url);
    match store::examine(&config.database_url).await {
        Err(error) => {
            let remedy = format!("{}.", store::remedy(&error));
            let cause = anyhow::Error::new(error);
            vec![Diagnosis::problem("database", format!("{name} can't be read: {cause:#}"), capital(&remedy))]
        }
        Ok(DatabaseState::Empty) => {
            vec![
                Diagnosis::ok("database", format!("{name} has no tables yet; the first start makes them")),
                Diagnosis::off("clock", "there is no database clock to compare with"),
            ]
        }
        Ok(DatabaseState::Present(facts)) => {
            let now = ports.now().0;
            let drift = facts.server.as_ref().map(|server| now.abs_diff(server.clock.0) / 1000);
            let mut all = vec![tables(&name, &facts)];
            if let Some(server) = &facts.server {
                if !server.is_encrypted {
                    all.push(Diagnosis::warning(
                        "database",
                        "the connection to PostgreSQL is not encrypted",
                        "If the connection leaves this machine, add sslmode=verify-full to database_url.",
                    ));
                }
                if server.connections < CONNECTIONS {
                    all.push(Diagnosis::warning(
                        "database",
                        format!("PostgreSQL takes {} connections; one server opens up to 16", server.connections),
                        "Raise max_connections of PostgreSQL.",
                    ));
                }
            }
            all.push(clock(drift));
            all
        }
    }
}

fn tables(name: &str, facts: &DatabaseFacts) -> Diagnosis {
    let DatabaseFacts { version, newest, is_unfinished, .. } = *facts;
    if is_unfinished {
        return Diagnosis::problem(
            "database",
            format!("a move into {name} is not finished"),
            "Run `site-audit migrate` again with the same arguments.",
        );
    }
    match version.cmp(&newest) {
        std::cmp::Ordering::Less => Diagnosis::warning(
            "database",
            format!("{name} has tables of version {version}, this program of version {newest}"),
            "Make a backup; the next start of the service, or `site-audit migrate`, brings them up to date.",
        ),
        std::cmp::Ordering::Greater => Diagnosis::warning(
            "database",
            format!("{name} has tables of version {version}, newer than this program's {newest}"),
            "Install the newer version again, unless you downgraded on purpose.",
        ),
        std::cmp::Ordering::Equal => Diagnosis::ok("database", format!("{name} has tables of version {version}")),
    }
}

/// `drift`: seconds between the clocks of this machine and the database; `None` where it has no other clock.
fn clock(drift: Option<u64>) -> Diagnosis {
    const AREA: &str = "clock";
    const SYNCHRONIZE: &str = "Synchronize both clocks, such as with systemd-timesyncd or chrony.";
    let [late, stopped] = CLOCK_SECONDS;
    match drift {
        None => Diagnosis::off(AREA, "there is no database clock to compare with"),
        Some(drift) if drift > stopped => Diagnosis::problem(
            AREA,
            format!("this clock and the database's differ by {drift} seconds, so jobs and watches pause"),
            SYNCHRONIZE,
        ),
        Some(drift) if drift > late => {
            Diagnosis::warning(AREA, format!("this clock and the database's differ by {drift} seconds"), SYNCHRONIZE)
        }
        Some(_) => Diagnosis::ok(AREA, "this clock and the database's agree"),
    }
}

/// The mail server: a connection and a sign-in, without a mail.
async fn mail(config: &Config, base_url: &str) -> Diagnosis {
    const AREA: &str = "mail";
    let checked = match Mailer::new(config, base_url) {
        Ok(None) => {
            return Diagnosis::warning(
                AREA,
                "smtp.url is not set: there are no new accounts, no alerts and no contact form",
                "Set smtp.url and smtp.from.",
            );
        }
        Ok(Some(mailer)) => mailer.check().await,
        Err(error) => Err(format!("{error:#}")),
    };
    match checked {
        Ok(()) => Diagnosis::ok(AREA, "the mail server responds and accepts this service"),
        Err(why) => Diagnosis::problem(
            AREA,
            format!("the mail server can't be used: {why}"),
            "Check host, port, user and password in smtp.url, and whether a firewall blocks the port.",
        ),
    }
}

/// The public address: its name, its TLS, and which program answers there.
async fn front(config: &Config, fetcher: &Fetcher, program: &str) -> Vec<Diagnosis> {
    let base = config.base_url.as_deref().and_then(|url| Url::parse(url).ok());
    let Some(base) = base.filter(|url| !is_loopback(url)) else {
        return vec![
            Diagnosis::off("dns", "there is no public name to resolve"),
            Diagnosis::off("tls", "there is no public address to connect to"),
        ];
    };
    let host = base.host_str().unwrap_or_default().to_owned();
    let asked = ask(fetcher, &base).await;
    let mut all = vec![match &asked {
        Err(why) if why.starts_with("dns") => Diagnosis::problem(
            "dns",
            format!("{host} has no address"),
            "Add an A or AAAA record for it, and check the resolver of this machine.",
        ),
        _ => Diagnosis::ok("dns", format!("{host} has an address")),
    }];
    match asked {
        Err(why) if why.starts_with("dns") => {}
        Err(why) => all.push(Diagnosis::problem("tls", format!("{base} can't be reached: {why}"), remedy_of(why))),
        Ok((200, body)) => all.push(answered(&base, &body, program)),
        Ok((status, _)) => all.push(Diagnosis::problem(
            "tls",
            format!("{base}api/health answers {status}"),
            "Check that the proxy passes requests on to the address in `listen`, and that the service runs.",
        )),
    }
    if base.scheme() == "https" {
        all.extend(plain(fetcher, &base).await);
    }
    all
}

/// Asks a service at an origin for its health: status and body, or a word of [`fetch::NoAnswer`].
async fn ask(fetcher: &Fetcher, origin: &Url) -> Result<(u16, Vec<u8>), &'static str> {
    let url = origin.join("/api/health").map_err(|_| "url")?;
    let question = ServiceQuestion { url: &url, body: None, authorization: None, answer_bytes: FRONT_BYTES };
    let answer = fetcher.ask_service(question, Instant::now() + FRONT_WITHIN).await.map_err(|no| no.0)?;
    Ok((answer.status, answer.body))
}

fn answered(base: &Url, body: &[u8], program: &str) -> Diagnosis {
    let health: Value = serde_json::from_slice(body).unwrap_or_default();
    match health.get("build").and_then(Value::as_str) {
        None => Diagnosis::problem(
            "tls",
            format!("another program answers at {base}"),
            "Check which program listens behind the proxy.",
        ),
        Some(build) if build != program => Diagnosis::warning(
            "tls",
            format!("{base} answers with another build ({build}) than this program ({program})"),
            "Restart the service after an upgrade.",
        ),
        Some(_) => Diagnosis::ok("tls", format!("{base} answers, with this build")),
    }
}

/// Whether plain http leads to https, where something answers there.
async fn plain(fetcher: &Fetcher, base: &Url) -> Option<Diagnosis> {
    let mut plain = base.clone();
    plain.set_scheme("http").ok()?;
    plain.set_port(None).ok()?;
    match ask(fetcher, &plain).await {
        Ok((200, _)) => Some(Diagnosis::warning(
            "tls",
            format!("{plain} serves the service without TLS"),
            "Have the proxy refuse or redirect plain http.",
        )),
        _ => None,
    }
}

/// What to do about a public address that gives no answer, by the word of [`fetch::NoAnswer`].
fn remedy_of(why: &str) -> String {
    if why.starts_with("cert") {
        return "Renew or replace the certificate of the proxy; its chain must be complete, and it must be for this host name.".to_owned();
    }
    "Start the proxy, and open its port in the firewall.".to_owned()
}

/// The facilitator, where something is charged.
async fn facilitator(config: &Config, base_url: &str, fetcher: &Fetcher) -> Option<Diagnosis> {
    const AREA: &str = "facilitator";
    let payments = Payments::new(config, base_url);
    let facilitator = payments.facilitator().filter(|_| payments.is_live())?;
    let name = facilitator.url();
    Some(match facilitator.check(fetcher, payments.chain()).await {
        FacilitatorState::Up => Diagnosis::ok(AREA, format!("{name} takes payments on this network")),
        FacilitatorState::Unfit => Diagnosis::problem(
            AREA,
            format!("{name} does not take payments on this network"),
            "Choose another facilitator, or another payments.network.",
        ),
        FacilitatorState::Unasked | FacilitatorState::Down => Diagnosis::problem(
            AREA,
            format!("{name} does not answer as a facilitator"),
            "Check payments.facilitator and payments.facilitator_auth; until then every paid call is refused.",
        ),
    })
}

/// What measures lab tests.
async fn lab(config: &Config) -> Diagnosis {
    const AREA: &str = "lab";
    let lab = &config.lab;
    match lab.provider {
        LabProvider::Off => Diagnosis::off(AREA, "lab.provider is off"),
        LabProvider::Pagespeed => {
            Diagnosis::ok(AREA, "lab.provider is pagespeed, with a key; not tested, since a test would use quota")
        }
        LabProvider::Lighthouse => {
            let folder = lab.folder.clone().unwrap_or_else(|| ::lab::lighthouse::FOLDER.into());
            let found = Programs::find(&folder, lab.chromium.as_deref()).versions().await;
            let missing: Vec<&str> = found.iter().filter(|one| !one.is_usable).map(|one| one.name).collect();
            if missing.is_empty() {
                return Diagnosis::ok(AREA, "Node, Lighthouse and Chromium are installed");
            }
            Diagnosis::problem(
                AREA,
                format!("not usable for lab tests: {}", missing.join(", ")),
                "Run `site-audit lab check` to see why, and `site-audit lab setup` to install them.",
            )
        }
    }
}

/// A sentence with a capital at its beginning.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::condition::Condition;
    use super::*;

    #[test]
    fn tables_and_clocks_are_judged_by_how_far_they_are_off() {
        let facts = |version, is_unfinished| DatabaseFacts { version, newest: 17, is_unfinished, server: None };
        for (facts, condition) in [
            (facts(17, false), Condition::Ok),
            (facts(16, false), Condition::Warning),
            (facts(18, false), Condition::Warning),
            (facts(17, true), Condition::Problem),
        ] {
            assert_eq!(tables("db", &facts).condition, condition, "{facts:?}");
        }
        for (drift, condition) in [
            (None, Condition::Off),
            (Some(2), Condition::Ok),
            (Some(3), Condition::Warning),
            (Some(60), Condition::Warning),
            (Some(61), Condition::Problem),
        ] {
            assert_eq!(clock(drift).condition, condition, "{drift:?}");
        }
    }

    #[test]
    fn an_answer_is_of_this_service_and_this_build() {
        let base = Url::parse("https://audit.example.com").unwrap();
        for (body, condition) in [
            (r#"{"build":"abc"}"#, Condition::Ok),
            (r#"{"build":"def"}"#, Condition::Warning),
            (r#"{"ok":true}"#, Condition::Problem),
            ("<html>", Condition::Problem),
        ] {
            assert_eq!(answered(&base, body.as_bytes(), "abc").condition, condition, "{body}");
        }
        assert!(remedy_of("cert_expired").starts_with("Renew") && remedy_of("connect").starts_with("Start"));
    }
}
