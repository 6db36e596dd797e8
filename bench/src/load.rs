//! Load in an open model: calls arrive at a constant rate whether or not the ones before are answered, and each is timed from
//! the moment at which it was due. So what waits is counted as waiting, also where this program itself falls behind.

mod accounts;
mod arrivals;
mod stored;
mod target;

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::crowd;
use crate::service::{self, Service};
use arrivals::{Answers, Pool, Request, json, run, text};
use target::{TARGET, slow_site};

/// The argument with which this program makes load.
pub(crate) const NAME: &str = "load";
/// What there is, by name.
const PARTS: [&str; 6] = ["reads", "audits", "sign-ins", "hostile", "burst", "soak"];
/// Seconds of each part, but for the soak.
const SECONDS: u64 = 20;
/// Seconds of the soak.
const SOAK: u64 = 30 * 60;

/// Runs the parts that are named, or all but the soak; `--seconds N` for another length of each; `--stored N` fills a database
/// with so many audits and measures start, reads and removal instead.
pub(crate) fn measure(program: &Path, arguments: &[String]) -> Result<()> {
    let (mut parts, mut seconds, mut arguments) = (Vec::new(), None, arguments.iter());
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().context("a number is missing")?.parse::<u64>().context("no number");
        match argument.as_str() {
            "--seconds" => seconds = Some(number()?),
            "--stored" => return stored::measure(program, number()?),
            part if PARTS.contains(&part) => parts.push(part.to_owned()),
            other => bail!("there is no part {other}; there are {}, and --stored N", PARTS.join(", ")),
        }
    }
    if parts.is_empty() {
        parts.extend(PARTS.iter().filter(|part| **part != "soak").map(|part| (*part).to_owned()));
    }
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
        for part in parts {
            let lasts = Duration::from_secs(seconds.unwrap_or(if part == "soak" { SOAK } else { SECONDS }));
            let scene = Scene::start(program, &part).await?;
            println!("\n{part}, {} s", lasts.as_secs());
            match part.as_str() {
                "reads" => reads(&scene, lasts).await?,
                "audits" => audits(&scene, lasts).await?,
                "sign-ins" => accounts::sign_ins(program, lasts).await?,
                "hostile" => beside_hostile(&scene, lasts).await?,
                "burst" => burst(&scene, lasts).await?,
                _ => soak(&scene, lasts).await?,
            }
        }
        Ok(())
    })
}

/// A service with a shared report, and the site that it audits.
struct Scene {
    service: Service,
    pool: Arc<Pool>,
    /// Badge, share page, report.
    reads: Vec<Request>,
    audit: Request,
}

impl Scene {
    async fn start(program: &Path, name: &str) -> Result<Self> {
        let origin = slow_site().await?;
        let (service, _) = service::start_logging(program, name, "error", Stdio::null())?;
        let pool = Arc::new(Pool::new(&service.address)?);
        let guest = json(&pool, &Request::new("POST", "/api/guest", "", "")).await?;
        let token = format!("x-guest-token: {}\r\n", text(&guest, "token")?);
        let body = format!("{{\"url\":\"{origin}/\"}}");
        let audited = json(&pool, &Request::new("POST", "/api/audit", &token, &body)).await?;
        let id = text(&audited, "id")?;
        let shared = json(&pool, &Request::new("POST", &format!("/api/audits/{id}/share"), &token, "")).await?;
        let slug = text(&shared, "slug")?;
        let reads = vec![
            Request::new("GET", &format!("/badge/{slug}.svg"), "", ""),
            Request::new("GET", &format!("/r/{slug}"), "", ""),
            Request::new("GET", &format!("/api/audits/{id}"), &token, ""),
        ];
        Ok(Self { service, pool, reads, audit: Request::new("POST", "/api/audit", "", &body) })
    }
}

async fn reads(scene: &Scene, lasts: Duration) -> Result<()> {
    for rate in [500, 1_000, 2_000] {
        run(&scene.pool, &scene.reads, rate, lasts).await?.print(&format!("badge, share page, report, {rate}/s"));
    }
    Ok(())
}

async fn audits(scene: &Scene, lasts: Duration) -> Result<()> {
    let audit = std::slice::from_ref(&scene.audit);
    for rate in [1, 10, 25, 50] {
        run(&scene.pool, audit, rate, lasts).await?.print(&format!("audits of a site of {TARGET:?}, {rate}/s"));
    }
    Ok(())
}

async fn beside_hostile(scene: &Scene, lasts: Duration) -> Result<()> {
    let mix = mix(scene);
    run(&scene.pool, &mix, 100, lasts).await?.print("9 reads and an audit, 100/s, alone");
    let crowd = crowd::keep_hostile(scene.service.address.clone(), Instant::now() + lasts);
    let (beside, calls) = tokio::join!(run(&scene.pool, &mix, 100, lasts), crowd);
    beside?.print("the same beside 64 hostile audits at any time");
    println!("{:<52} {:>6} MB at most, {} hostile audits", "", memory(scene).1 / 1024, calls?);
    Ok(())
}

/// Nine reads for each audit.
fn mix(scene: &Scene) -> Vec<Request> {
    (0..3).flat_map(|_| scene.reads.clone()).chain(std::iter::once(scene.audit.clone())).collect()
}

/// Ten times as many audits as the service is asked for usually, then as many as before.
async fn burst(scene: &Scene, lasts: Duration) -> Result<()> {
    let audit = std::slice::from_ref(&scene.audit);
    run(&scene.pool, audit, 20, lasts).await?.print("audits, 20/s");
    run(&scene.pool, audit, 200, lasts).await?.print("audits, 200/s");
    let after = Duration::from_secs(5);
    run(&scene.pool, audit, 20, after).await?.print("audits, 20/s, the 5 s after");
    run(&scene.pool, audit, 20, after).await?.print("audits, 20/s, the next 5 s");
    Ok(())
}

/// A twentieth of the time at each line.
async fn soak(scene: &Scene, lasts: Duration) -> Result<()> {
    let mix = mix(scene);
    for part in 1..=20 {
        let answers: Answers = run(&scene.pool, &mix, 50, lasts / 20).await?;
        answers.print(&format!("9 reads and an audit, 50/s, part {part} of 20"));
        let process = scene.service.child_id();
        let files = std::fs::read_dir(format!("/proc/{process}/fd"))?.count();
        let log = std::fs::metadata(scene.service.folder().join("bench.db-wal")).map_or(0, |file| file.len());
        println!("{:<52} {:>6} KB resident, {files} files, log {} KB", "", memory(scene).0, log / 1024);
    }
    Ok(())
}

/// Resident kilobytes: now, and at most.
fn memory(scene: &Scene) -> (u64, u64) {
    service::memory(scene.service.child_id()).unwrap_or_default()
}
