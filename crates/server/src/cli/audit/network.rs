//! Auditing addresses: the same engine as a server's, without one.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use fetch::{FetchConfig, Fetcher};
use model::capture::{FailureKind, FetchFailure};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Outcome, now, with_scheme};
use crate::engine::{AuditFailure, Engine, Given, Progress, Step};
use crate::ports::Ports;

/// Bytes read of a list of addresses.
const LIST_BYTES: u64 = 1024 * 1024;
/// Addresses of one run.
const MOST_ADDRESSES: usize = 1_000;

/// The addresses of arguments, file and standard input: blank lines and lines with # are passed over.
pub(super) fn addresses(arguments: &[String], file: Option<&Path>) -> Result<Vec<String>> {
    let mut urls: Vec<String> = arguments.iter().filter(|url| *url != "-").cloned().collect();
    if let Some(path) = file {
        let opened = std::fs::File::open(path).with_context(|| format!("{} could not be opened", path.display()))?;
        urls.extend(list(opened, &path.display().to_string())?);
    }
    if arguments.iter().any(|url| url == "-") {
        urls.extend(list(std::io::stdin().lock(), "standard input")?);
    }
    match urls.len() {
        0 => bail!("there is no address to audit"),
        1..=MOST_ADDRESSES => Ok(urls),
        many => bail!("{many} addresses are too many for one run; the most is {MOST_ADDRESSES}"),
    }
}

/// The addresses of one list, a line each.
fn list(source: impl std::io::Read, name: &str) -> Result<Vec<String>> {
    let mut text = String::new();
    source.take(LIST_BYTES + 1).read_to_string(&mut text).with_context(|| format!("{name} could not be read"))?;
    if text.len() as u64 > LIST_BYTES {
        bail!("{name} is longer than {LIST_BYTES} bytes");
    }
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// Audits all of them, `jobs` at once; outcomes come in the order of the addresses.
pub(super) fn audit(urls: Vec<String>, jobs: u8, allow_private: bool, progress: bool) -> Result<Vec<Outcome>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no runtime")?;
    let engine = Engine::new(Fetcher::new(config(allow_private)?)?, cores());
    let steps = progress && urls.len() == 1;
    runtime.block_on(async {
        let slots = Arc::new(Semaphore::new(usize::from(jobs)));
        let mut running = JoinSet::new();
        for (index, url) in urls.into_iter().enumerate() {
            let (engine, slots) = (engine.clone(), Arc::clone(&slots));
            running.spawn(async move {
                let _slot = slots.acquire().await.context("the run ended")?;
                let outcome = one(&engine, &url, steps.then(told)).await?;
                Ok::<_, anyhow::Error>((index, outcome))
            });
        }
        let mut outcomes = Vec::new();
        while let Some(done) = running.join_next().await {
            let (index, outcome) = done.context("an audit was cut off")??;
            if progress {
                tell(&outcome);
            }
            outcomes.push((index, outcome));
        }
        outcomes.sort_by_key(|(index, _)| *index);
        Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
    })
}

/// Tells of each step of one page on standard error, with the time it took since the start.
fn told() -> Progress {
    let begun = Instant::now();
    Arc::new(move |step| {
        let what = match step {
            Step::Page => "page fetched",
            Step::Files => "robots.txt and sitemaps read",
            Step::Discovery => "discovery files read",
            Step::Judged => "judged",
        };
        // Progress that can't be shown is no reason to stop.
        drop(writeln!(std::io::stderr(), "{:>6.1} s  {what}", begun.elapsed().as_secs_f64()));
    })
}

fn config(allow_private: bool) -> Result<FetchConfig> {
    let mut config = FetchConfig {
        user_agent: format!("SiteAudit/{} (command line)", env!("CARGO_PKG_VERSION")),
        ..FetchConfig::default()
    };
    if allow_private {
        config.allow_private = vec!["0.0.0.0/0".parse()?, "::/0".parse()?];
        config.allow_ports = Vec::new();
    }
    Ok(config)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

async fn one(engine: &Engine, typed: &str, progress: Option<Progress>) -> Result<Outcome> {
    let at = now()?;
    let typed = with_scheme(typed);
    let url = match engine.fetcher().intake(&typed) {
        Ok(url) => url,
        Err(failure) => return Ok(Outcome { url: typed, at, report: Err(sentence(&failure)) }),
    };
    let given = Given { started_at: at, nonce: Ports::real().nonce(), progress, keep_sitemaps: false };
    let report = match engine.audit(&url, given).await {
        Ok(audited) => Ok(audited.report),
        Err(AuditFailure::Fetch(failure)) => Err(sentence(&failure)),
        Err(AuditFailure::Blocked(blocked)) if blocked.rate_limited => {
            Err(format!("the target limits its rate (status {}); try again later", blocked.status))
        }
        Err(AuditFailure::Blocked(blocked)) => {
            Err(format!("{} answered instead of the page (status {})", blocked.vendor, blocked.status))
        }
        Err(AuditFailure::Overloaded) => {
            Err("no processor was free in time; audit fewer pages at once (--jobs)".to_owned())
        }
        Err(AuditFailure::Defect) => Err("the audit failed; this is a defect of Site Audit".to_owned()),
    };
    Ok(Outcome { url: url.to_string(), at, report })
}

/// A failure as a sentence that says what to do.
fn sentence(failure: &FetchFailure) -> String {
    match failure.kind {
        FailureKind::InvalidUrl if failure.reason == "port" => {
            "audits don't go to this port; --allow-private lifts this for your own machines".to_owned()
        }
        FailureKind::InvalidUrl => format!("not an address that can be audited ({})", failure.reason),
        FailureKind::AddressNotAllowed => {
            "its address is not on the public internet; --allow-private lifts this for your own machines".to_owned()
        }
        FailureKind::RedirectNotAllowed => {
            format!(
                "it redirects to where audits don't go, after {} hops; --allow-private lifts this for your own machines",
                failure.hops.len()
            )
        }
        FailureKind::Unreachable => format!("unreachable ({})", failure.reason),
        FailureKind::Timeout => format!("no answer in time ({})", failure.reason),
        FailureKind::TargetBusy => "the target is being audited already; try again later".to_owned(),
    }
}

/// One line on standard error when a page is done.
fn tell(outcome: &Outcome) {
    let line = match &outcome.report {
        Ok(report) => format!("done {} {}\n", outcome.url, report.score),
        Err(_) => format!("failed {}\n", outcome.url),
    };
    // Progress that can't be shown is no reason to stop.
    let _written = std::io::stderr().write_all(line.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_pass_over_blank_lines_and_comments_and_have_an_end() {
        let read = |text: &str| list(text.as_bytes(), "list");
        assert_eq!(
            read("# pages\n\nexample.com\n  https://example.org/a ").unwrap(),
            ["example.com", "https://example.org/a"]
        );
        assert!(read(&"a".repeat(1024 * 1024 + 1)).is_err());
        assert!(addresses(&[], None).is_err());
    }
}
