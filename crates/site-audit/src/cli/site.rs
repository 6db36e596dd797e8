//! `site-audit site`: audits a whole site.

mod comparison;
mod options;
mod outputs;
mod progress;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use engine::{Cores, Crawl, CrawlFailure, CrawledPage, Engine, Scheme};
use fetch::{Fetcher, KnownVersion};
use model::finding::Severity;
use model::lang::{Lang, Text, text};
use service::ports::Ports;
use site::{PageAnswer, PageFacts, PageRole, SiteBuilder, SiteFacts, SiteInputs, report};
use store::{SitePageRow, SiteRunFile};
use tokio::time::Instant;
use url::Url;

use super::failure;
use super::input::with_scheme;
use super::output::{BELOW_THE_BAR, COULD_NOT_AUDIT, print, tell};
use comparison::Changes;
pub(super) use options::SiteArguments;
use progress::RunTeller;

/// Name of the file of a run in its folder.
const RUN: &str = "run.db";
/// Name of the file of the run before it.
const PREVIOUS: &str = "previous.db";
/// Pages kept in one commit at most, and the longest time between two.
const BATCH: usize = 32;
const BATCH_TIME: Duration = Duration::from_millis(500);
/// Pages read of a file at a time.
const READ_AT_ONCE: i64 = 200;
/// Place of the first image or page of another site among the rows of a run.
const RESOURCES_FROM: i64 = 1 << 40;
/// Images, and pages of other sites, that a run asks for.
const MOST_RESOURCES: usize = 10_000;

/// What came of a run.
struct Finished {
    file: SiteRunFile,
    inputs: SiteInputs,
}

impl SiteArguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no runtime")?;
        runtime.block_on(self.audit())
    }

    async fn audit(self) -> Result<ExitCode> {
        let lang = Lang::from(self.lang);
        let cores = Cores::of_the_machine().context("no threads")?;
        let engine = Engine::new(Fetcher::new(super::audit::config(self.allow_private)?)?, cores);
        let (typed, scheme) = with_scheme(&self.url);
        let url = match engine.fetcher().intake(&typed) {
            Ok(url) => url,
            Err(refused) => bail!("{}", failure::unfetched(refused).message(lang)),
        };
        let folder = self.folder(&url);
        std::fs::create_dir_all(&folder).with_context(|| format!("{} could not be created", folder.display()))?;
        let file = self.file(&folder, &url).await?;
        let mut previous = match folder.join(PREVIOUS) {
            path if path.exists() && !self.resume => Some(SiteRunFile::open(&path).await.context("the run before")?),
            _ => None,
        };
        let Some(Finished { mut file, inputs }) = self.crawl(engine, &url, scheme, file, previous.as_mut()).await?
        else {
            const STOPPED: Text = text(
                "Stopped. Run the same command with --resume to continue.",
                "Interrompido. Rode o mesmo comando com --resume para continuar.",
            );
            tell(STOPPED.in_lang(lang));
            return Ok(ExitCode::from(COULD_NOT_AUDIT));
        };
        let site = built(&mut file, inputs).await?;
        let report = report(&site);
        let changes = match &self.baseline {
            Some(path) => {
                let mut before = SiteRunFile::open(&run_file(path)).await.context("--baseline")?;
                let inputs = before.value("inputs").await?.context("--baseline: that run is not finished")?;
                let before = built(&mut before, serde_json::from_str(&inputs)?).await?;
                Some(Changes::between(&before, &site))
            }
            None => None,
        };
        outputs::write(&folder, &mut file, &site, &report, lang).await?;
        file.close().await?;
        if !self.quiet {
            print(&render::site_report::text(&report, lang))?;
            if let Some(changes) = &changes {
                print(&changes.text(lang))?;
            }
            const WRITTEN: Text = text("Report and tables: {folder}", "Relatório e tabelas: {folder}");
            let written = WRITTEN.phrase(&[("folder", folder.display().to_string().into())]);
            tell(written.in_lang(lang));
        }
        let is_below = self.fail_under.is_some_and(|bar| report.score.is_none_or(|score| score < bar));
        let is_severe = self.fail_on.is_some_and(|bar| {
            let bar = bar.severity();
            match &changes {
                Some(changes) => changes.worst().is_some_and(|worst| worst <= bar),
                None => {
                    let of_site = report.findings.iter().map(|finding| finding.severity);
                    let worst: Option<Severity> =
                        of_site.chain(report.page_findings.iter().map(|finding| finding.severity)).min();
                    worst.is_some_and(|worst| worst <= bar)
                }
            }
        });
        Ok(if is_below || is_severe { ExitCode::from(BELOW_THE_BAR) } else { ExitCode::SUCCESS })
    }

    /// The folder of the run: as given, or named by the host.
    fn folder(&self, url: &Url) -> PathBuf {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).replace(':', "-");
        self.out.clone().unwrap_or_else(|| PathBuf::from(format!("site-audit-{host}")))
    }

    /// The file of the run: a new one, or the one to resume. A finished one becomes the run before.
    async fn file(&self, folder: &Path, url: &Url) -> Result<SiteRunFile> {
        let path = folder.join(RUN);
        if !path.exists() {
            if self.resume {
                bail!("there is no run to resume in {}; run without --resume", folder.display());
            }
            return Ok(SiteRunFile::open(&path).await?);
        }
        let mut file = SiteRunFile::open(&path).await?;
        let is_finished = file.value("finished").await?.is_some();
        let start = file.value("url").await?;
        if self.resume {
            if start.as_deref().is_some_and(|start| start != url.as_str()) {
                bail!("the run in {} is of {}", folder.display(), start.unwrap_or_default());
            }
            return Ok(file);
        }
        if !is_finished && start.is_some() {
            bail!(
                "{} holds a run that is not finished: continue it with --resume, or remove {}",
                folder.display(),
                path.display()
            );
        }
        file.close().await?;
        let previous = folder.join(PREVIOUS);
        std::fs::rename(&path, &previous).with_context(|| format!("{} could not be renamed", path.display()))?;
        Ok(SiteRunFile::open(&path).await?)
    }

    /// Crawls to the end; `None` where the user stopped it.
    async fn crawl(
        &self,
        engine: Engine,
        url: &Url,
        scheme: Scheme,
        mut file: SiteRunFile,
        mut previous: Option<&mut SiteRunFile>,
    ) -> Result<Option<Finished>> {
        let lang = Lang::from(self.lang);
        let ports = Ports::real();
        let mut options = self.crawl_options(&engine, ports.now(), ports.nonce())?;
        if let Some(begun) = file.value("begun").await? {
            (options.started_at, options.nonce, options.listed) = serde_json::from_str(&begun)?;
        }
        if let Some(previous) = previous.as_deref_mut() {
            // What another version of the program found is judged again.
            if previous.value("program").await?.as_deref() == Some(&*program()) {
                options.known = versions(previous).await?;
            }
        }
        let (started_at, nonce) = (options.started_at, options.nonce.clone());
        let mut crawl = Crawl::begin(engine, url, scheme, options).await.map_err(|failed| why(failed, lang))?;
        let begun = serde_json::to_string(&(started_at, nonce, crawl.inputs().listed))?;
        file.keep_value("url", url.as_str()).await?;
        file.keep_value("begun", &begun).await?;
        file.keep_value("program", &program()).await?;
        replay(&mut file, &mut crawl).await?;
        let mut teller = RunTeller::new(self.quiet, lang, self.max_pages);
        let mut batch: Vec<SitePageRow> = Vec::new();
        let mut kept_at = Instant::now();
        let mut stop = std::pin::pin!(tokio::signal::ctrl_c());
        loop {
            let page = tokio::select! {
                page = crawl.next() => page,
                _ = &mut stop => {
                    file.add(batch).await?;
                    file.close().await?;
                    return Ok(None);
                }
            };
            let Some(page) = page else { break };
            let place = i64::try_from(crawl.progress().1).unwrap_or(i64::MAX);
            let (row, facts) = row(page, place, previous.as_deref_mut()).await?;
            crawl.commit(&facts);
            teller.page(&facts, crawl.progress());
            batch.push(row);
            if batch.len() >= BATCH || kept_at.elapsed() >= BATCH_TIME {
                file.add(std::mem::take(&mut batch)).await?;
                kept_at = Instant::now();
            }
        }
        file.add(batch).await?;
        let mut inputs = crawl.inputs();
        self.resources(&crawl, &mut file, &mut inputs).await?;
        teller.end();
        file.keep_value("inputs", &serde_json::to_string(&inputs)?).await?;
        file.keep_value("finished", "yes").await?;
        Ok(Some(Finished { file, inputs }))
    }

    /// Asks for images and for pages of other sites, where that was wanted.
    async fn resources(&self, crawl: &Crawl, file: &mut SiteRunFile, inputs: &mut SiteInputs) -> Result<()> {
        if !self.images && !self.external {
            return Ok(());
        }
        let (mut images, mut external, mut pages) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let mut from = 0;
        loop {
            let rows = file.pages(from, READ_AT_ONCE).await?;
            let Some(last) = rows.last() else { break };
            from = last.place + 1;
            for row in rows {
                let facts: PageFacts = serde_json::from_slice(&row.facts)?;
                pages.insert(facts.url);
                let PageAnswer::Document(document) = facts.answer else { continue };
                images.extend(document.images);
                let is_external =
                    |link: &&site::PageLink| Url::parse(&link.url).is_ok_and(|url| !crawl.is_internal(&url));
                external.extend(document.links.iter().filter(is_external).map(|link| link.url.clone()));
            }
        }
        let mut rows = Vec::new();
        for (is_wanted, urls, role) in
            [(self.images, images, PageRole::Image), (self.external, external, PageRole::External)]
        {
            let urls = urls.into_iter().filter(|url| is_wanted && !pages.contains(url)).take(MOST_RESOURCES).collect();
            for page in crawl.resources(urls, role).await {
                let place = RESOURCES_FROM + i64::try_from(rows.len()).unwrap_or_default();
                rows.push(row(page, place, None).await?.0);
            }
        }
        (inputs.images_asked, inputs.external_asked) = (self.images, self.external);
        Ok(file.add(rows).await?)
    }
}

/// The version of the program and of its catalog.
fn program() -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), audit::report::CATALOG_VERSION)
}

/// The file of a run: itself, or in its folder.
fn run_file(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(RUN) } else { path.to_owned() }
}

/// A page as a row, with its facts. One that has not changed has those of the run before.
async fn row(page: CrawledPage, place: i64, previous: Option<&mut SiteRunFile>) -> Result<(SitePageRow, PageFacts)> {
    let KnownVersion { etag, last_modified } = page.version;
    if let Some(facts) = page.facts {
        let row = SitePageRow {
            place,
            url: page.url,
            facts: serde_json::to_vec(&facts)?,
            report: page.report,
            etag,
            last_modified,
        };
        return Ok((row, facts));
    }
    let known = match previous {
        Some(previous) => previous.page(&page.url).await?,
        None => None,
    };
    let known = known.with_context(|| format!("{}: the run before has no such page", page.url))?;
    let facts = serde_json::from_slice(&known.facts)?;
    Ok((SitePageRow { place, etag, last_modified, ..known }, facts))
}

/// The versions of the pages of a run.
async fn versions(file: &mut SiteRunFile) -> Result<HashMap<String, KnownVersion>> {
    let mut versions = HashMap::new();
    let mut from = 0;
    loop {
        let rows = file.pages(from, READ_AT_ONCE).await?;
        let Some(last) = rows.last() else { return Ok(versions) };
        from = last.place + 1;
        for row in rows.into_iter().filter(|row| row.etag.is_some() || row.last_modified.is_some()) {
            versions.insert(row.url, KnownVersion { etag: row.etag, last_modified: row.last_modified });
        }
    }
}

/// Commits the pages that an interrupted run had kept.
async fn replay(file: &mut SiteRunFile, crawl: &mut Crawl) -> Result<()> {
    let mut from = 0;
    loop {
        let rows = file.pages(from, READ_AT_ONCE).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        from = last.place + 1;
        for row in rows.iter().filter(|row| row.place < RESOURCES_FROM) {
            if !crawl.commit(&serde_json::from_slice(&row.facts)?) {
                bail!("the run can't be resumed with other options or another start page; remove it to begin again");
            }
        }
    }
}

/// The site of a run's file.
async fn built(file: &mut SiteRunFile, inputs: SiteInputs) -> Result<SiteFacts> {
    let mut builder = SiteBuilder::default();
    let mut from = 0;
    loop {
        let rows = file.pages(from, READ_AT_ONCE).await?;
        let Some(last) = rows.last() else { return Ok(builder.finish(inputs)) };
        from = last.place + 1;
        for row in rows {
            builder.add(serde_json::from_slice(&row.facts)?);
        }
    }
}

/// Why a crawl could not begin, with what to do.
fn why(failed: CrawlFailure, lang: Lang) -> anyhow::Error {
    const CLOSED: Text = text(
        "robots.txt could not be read, so crawlers have to stay away. Try again later. On your own site, add --own-site --respect-robots=false.",
        "O robots.txt não pôde ser lido, e rastreadores devem se afastar. Tente mais tarde. No seu próprio site, acrescente --own-site --respect-robots=false.",
    );
    match failed {
        CrawlFailure::Audit(failure) => anyhow::anyhow!("{}", failure::unaudited(failure).message(lang)),
        CrawlFailure::Pattern(error) => anyhow::anyhow!("--include or --exclude: {error}"),
        CrawlFailure::RobotsUnreachable => anyhow::anyhow!("{}", CLOSED.in_lang(lang)),
    }
}
