//! Whole audits through the service, beside a loop that only makes the same requests and parses the page.
//!
//! Site, loop and clients share this process; the service is its own. Both sides are measured in turns.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use fetch::{Budget, FetchConfig, Fetcher};
use model::capture::{Want, WantKind};
use tokio::task::JoinSet;
use url::Url;

use crate::service::{CROWD, Service, at, cpu_ms, memory, site, start, through};
use crate::{bare, crowd};

/// Rounds of each side.
const ROUNDS: usize = 5;
/// Audits of one round.
const AUDITS: usize = 600;
/// Audits in flight.
const AT_ONCE: usize = 32;

/// The same requests and the bare parse, nothing else: pages a second.
async fn bare_loop(fetcher: &Fetcher, origin: &str, pages: usize) -> Result<f64> {
    let url = Url::parse(&format!("{origin}/"))?;
    let left = Arc::new(AtomicUsize::new(pages));
    let begun = Instant::now();
    let mut workers = JoinSet::new();
    for _ in 0..AT_ONCE {
        let (fetcher, url, left) = (fetcher.clone(), url.clone(), Arc::clone(&left));
        workers.spawn(async move {
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                one(&fetcher, &url).await?;
            }
            Ok::<_, anyhow::Error>(())
        });
    }
    while let Some(done) = workers.join_next().await {
        done??;
    }
    Ok(pages as f64 / begun.elapsed().as_secs_f64())
}

async fn one(fetcher: &Fetcher, url: &Url) -> Result<()> {
    let deadline = tokio::time::Instant::now() + Duration::from_secs(24);
    let page = fetcher.page(url, deadline).await;
    let page = page.response().context("the site answered no page")?;
    let source = String::from_utf8_lossy(&page.body.bytes).into_owned();
    let parsed = tokio::task::spawn_blocking(move || bare::parse(&source));
    let wants = [
        (WantKind::RobotsTxt, "/robots.txt"),
        (WantKind::NotFound, "/0123456789abcdef0123456789abcdef"),
        (WantKind::SecurityTxt, "/.well-known/security.txt"),
        (WantKind::ApiCatalog, "/.well-known/api-catalog"),
        (WantKind::Sitemap, "/sitemap.xml"),
        (WantKind::Llms, "/llms.txt"),
        (WantKind::Favicon, "/favicon.ico"),
        (WantKind::SecurityTxtLegacy, "/security.txt"),
    ];
    let budget = Budget::new(wants.len());
    // Two at a time, as an audit does.
    for pair in wants.chunks(2) {
        let fetch = |at: usize| {
            let want =
                pair.get(at).and_then(|(kind, path)| Some(Want { kind: *kind, url: url.join(path).ok()?.into() }));
            let budget = &budget;
            async move {
                if let Some(want) = want {
                    drop(fetcher.extra(&want, budget, deadline).await);
                }
            }
        };
        tokio::join!(fetch(0), fetch(1));
    }
    parsed.await?;
    Ok(())
}

/// One side of the comparison: the loop, or a program.
struct ComparedSide {
    name: String,
    /// `None`: the loop.
    service: Option<Service>,
    rates: Vec<f64>,
    times: Vec<Duration>,
    /// Milliseconds of CPU: of this process, which is site and clients, and the loop; of the service.
    cpu: [f64; 2],
}

impl ComparedSide {
    fn new(name: &str, service: Option<Service>) -> Self {
        Self { name: name.to_owned(), service, rates: Vec::new(), times: Vec::new(), cpu: [0.0; 2] }
    }

    async fn round(&mut self, fetcher: &Fetcher, origin: &str) -> Result<()> {
        let pids = [Some(std::process::id()), self.service.as_ref().map(Service::child_id)];
        let spent = || pids.map(|pid| pid.map_or(0.0, cpu_ms));
        let before = spent();
        match &self.service {
            None => self.rates.push(bare_loop(fetcher, origin, AUDITS).await?),
            Some(service) => {
                let (rate, took) = through(&service.address, origin, AUDITS, AT_ONCE).await?;
                self.rates.push(rate);
                self.times.extend(took);
            }
        }
        self.cpu.iter_mut().zip(before.iter().zip(spent())).for_each(|(sum, (from, to))| *sum += to - from);
        Ok(())
    }

    fn rate(&mut self) -> f64 {
        self.rates.sort_by(f64::total_cmp);
        self.rates.get(self.rates.len() / 2).copied().unwrap_or_default()
    }

    fn print(&mut self, of_loop: f64) {
        let rate = self.rate();
        let [here, there] = self.cpu.map(|ms| ms / (ROUNDS * AUDITS) as f64);
        self.times.sort();
        println!(
            "{:<24} {rate:>7.0} {:>7.0} {here:>10.2} {there:>12.2} {:>9.1} {:>9.1}",
            self.name,
            rate / of_loop * 100.0,
            at(&self.times, 0.5),
            at(&self.times, 0.99)
        );
    }
}

/// Names another program to measure in turns with this one: an older build.
const BESIDE: &str = "SITE_AUDIT_BENCH_BESIDE";

/// Measures and prints.
pub(crate) fn measure(program: &Path) -> Result<()> {
    let size = std::fs::metadata(program).with_context(|| format!("{} is not built", program.display()))?.len();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let origin = site().await?;
        let fetcher = Fetcher::new(FetchConfig {
            allow_private: vec!["127.0.0.2/32".parse()?],
            allow_ports: Vec::new(),
            ..FetchConfig::default()
        })?;
        let (service, first_answer) = start(program, "this")?;
        let (pid, address) = (service.child_id(), service.address.clone());
        let (idle, _) = memory(pid).unwrap_or_default();
        let mut sides =
            vec![ComparedSide::new("requests and bare parse", None), ComparedSide::new("whole audits", Some(service))];
        if let Some(other) = std::env::var_os(BESIDE) {
            sides.push(ComparedSide::new("the other program's", Some(start(Path::new(&other), "other")?.0)));
        }
        // A warm-up round, so that no side is measured cold.
        bare_loop(&fetcher, &origin, AUDITS / 4).await?;
        for service in sides.iter().filter_map(|side| side.service.as_ref()) {
            through(&service.address, &origin, AUDITS / 4, AT_ONCE).await?;
        }
        for _ in 0..ROUNDS {
            for side in &mut sides {
                side.round(&fetcher, &origin).await?;
            }
        }
        through(&address, &origin, AUDITS, CROWD).await?;
        let (_, peak) = memory(pid).unwrap_or_default();
        let of_loop = sides.first_mut().map_or(0.0, ComparedSide::rate);
        println!("\nwhole audits over HTTP, {AT_ONCE} in flight, medians of {ROUNDS} rounds of {AUDITS} in turns\n");
        println!(
            "{:<24} {:>7} {:>7} {:>10} {:>12} {:>9} {:>9}",
            "", "1/s", "%", "CPU here", "CPU service", "median", "p99 ms"
        );
        sides.iter_mut().for_each(|side| side.print(of_loop));
        println!(
            "\nmemory                   idle {} MB, highest with {CROWD} in flight {} MB",
            idle / 1024,
            peak / 1024
        );
        println!("start to first answer    {:.0} ms", first_answer.as_secs_f64() * 1e3);
        println!("program                  {:.1} MB", size as f64 / 1e6);
        let Some(service) = sides.into_iter().nth(1).and_then(|side| side.service) else { return Ok(()) };
        crowd::measure(&service, &origin).await
    })
}
