//! `site-audit site`: audits a whole site.

mod bars;
mod options;
mod outputs;
mod parquet;
mod place;
mod progress;
mod values;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use engine::{Cores, Crawl, CrawlFailure, CrawlOptions, CrawledPage, Engine, MOST_RESOURCES, Scheme, report_spill};
use fetch::{Fetcher, KnownVersion};
use model::lang::{Lang, Text, text};
use model::time::Timestamp;
use render::shown::printable;
use render::site_report::{OptionNames, RunChanges, RunNotes};
use service::ports::Ports;
use site::{
    ChangeSummary, PageAnswer, PageFacts, RunLimit, SiteBuilder, SiteChanges, SiteFacts, SiteInputs, Snapshot, Spill,
    report,
};
use store::{SitePageRow, SiteRunFile};
use tokio::time::Instant;
use url::Url;

use super::failure;
use super::input::with_scheme;
use super::output::{BELOW_THE_BAR, COULD_NOT_AUDIT, print, tell};
pub(super) use options::SiteArguments;
use place::{Baseline, RunPlace};
use progress::RunTeller;

/// Pages kept in one commit at most, and the longest time between two.
const BATCH: usize = 32;
const BATCH_TIME: Duration = Duration::from_millis(500);
/// Pages read of a file at a time.
const READ_AT_ONCE: i64 = 32;
/// Place of the first image or page of another site among the rows of a run.
const RESOURCES_FROM: i64 = 1 << 40;

/// What came of a run.
struct Finished {
    file: SiteRunFile,
    inputs: SiteInputs,
    started_at: Timestamp,
}

/// A run compared with its baseline.
struct Compared {
    /// Every finding that is new or gone.
    changes: SiteChanges,
    /// The same by template, as files tell it.
    told: RunChanges,
}

impl Compared {
    fn of(before: &Baseline, site: &SiteFacts, complete: bool) -> Self {
        /// Addresses named of a change, as of a finding of the report.
        const MOST_URLS: usize = 1_000;
        let after = Snapshot::of(site, complete);
        let summary = ChangeSummary::of(&before.snapshot, &after, site, MOST_URLS);
        let told = RunChanges { since: before.started_at, summary };
        Self { changes: site::changes(&before.snapshot, &after), told }
    }
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
        let ports = Ports::real();
        let options = self.crawl_options(&engine, ports.now(), ports.nonce(), &folder)?;
        let mut place = RunPlace::of(&folder, &url, self.resume, lang).await?;
        let before = match &self.baseline {
            Some(named) => match place.baseline(named, &folder, &url, lang).await {
                Ok(before) => Some(before),
                Err(refused) => {
                    place.close().await?;
                    return Err(refused);
                }
            },
            None => None,
        };
        std::fs::create_dir_all(&folder).with_context(|| format!("{} could not be created", folder.display()))?;
        let Some(Finished { mut file, inputs, started_at }) =
            self.crawl(engine, &url, scheme, options, place, &folder).await?
        else {
            const STOPPED: Text = text(
                "Stopped. Run the same command with --resume to continue.",
                "Interrompido. Rode o mesmo comando com --resume para continuar.",
            );
            tell(STOPPED.in_lang(lang));
            return Ok(ExitCode::from(COULD_NOT_AUDIT));
        };
        let complete = inputs.complete;
        let site = built(&mut file, inputs, &report_spill(Some(folder.clone()))).await?;
        let report = report(&site);
        let compared = before.map(|before| Compared::of(&before, &site, complete));
        let (changes, told) = compared.map(|compared| (compared.changes, compared.told)).unzip();
        let failed_bars = self.failed_bars(&report, changes.as_ref());
        let notes = RunNotes {
            option_names: OptionNames::CommandLine,
            started_at,
            why_ended: None,
            changes: told,
            failed_bars,
        };
        outputs::write(&folder, &mut file, &site, &report, &notes, (lang, self.parquet)).await?;
        site.check()?;
        file.keep_value("finished", if report.score.is_some() { "yes" } else { place::NO_SCORE }).await?;
        file.close().await?;
        if !self.quiet {
            print(&render::site_report::text(&report, lang))?;
            if let Some(changes) = &changes {
                print(&render::site_report::changes_text(changes, lang))?;
            }
            const WRITTEN: Text = text("Report and tables: {folder}", "Relatório e tabelas: {folder}");
            let written = WRITTEN.phrase(&[("folder", folder.display().to_string().into())]);
            tell(written.in_lang(lang));
        }
        // Told with --quiet too: a build that fails says why.
        if report.score.is_none() {
            tell(&printable(bars::unaudited(&site).in_lang(lang)));
            return Ok(ExitCode::from(COULD_NOT_AUDIT));
        }
        notes.failed_bars.iter().for_each(|bar| tell(&printable(bar.in_lang(lang))));
        // The address that was named is not audited, whatever the sitemaps led to.
        if let Some(why) = bars::unaudited_start(&site) {
            tell(&printable(why.in_lang(lang)));
            return Ok(ExitCode::from(COULD_NOT_AUDIT));
        }
        Ok(if notes.failed_bars.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(BELOW_THE_BAR) })
    }

    /// The folder of the run: as given, or named by the host.
    fn folder(&self, url: &Url) -> PathBuf {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).replace(':', "-");
        self.out.clone().unwrap_or_else(|| PathBuf::from(format!("site-audit-{host}")))
    }

    /// Crawls to the end; `None` where the user stopped it.
    async fn crawl(
        &self,
        engine: Engine,
        url: &Url,
        scheme: Scheme,
        mut options: CrawlOptions,
        mut place: RunPlace,
        folder: &Path,
    ) -> Result<Option<Finished>> {
        let lang = Lang::from(self.lang);
        let mut asked = (self.images, self.external);
        match &mut place {
            RunPlace::Empty => {}
            RunPlace::Resumed(file) => {
                if let Some((started_at, nonce, sitemaps)) = values::begun(file).await? {
                    (options.started_at, options.nonce, options.read_sitemaps) = (started_at, nonce, Some(sitemaps));
                }
                // All pages of a run are judged alike.
                if let Some(program) = file.value("program").await? {
                    options.proves = program == self::program(true);
                }
                if let Some(before) = file.value("asked").await? {
                    let (images, external): (bool, bool) = serde_json::from_str(&before)?;
                    asked = (asked.0 || images, asked.1 || external);
                }
            }
            // What another version of the program found is judged again.
            RunPlace::Finished(file) => {
                if file.value("program").await?.as_deref() == Some(&*program(options.proves)) {
                    place::keep_versions(file, &mut options.known).await?;
                }
            }
        }
        let (started_at, nonce, proves) = (options.started_at, options.nonce.clone(), options.proves);
        let mut crawl = match Crawl::begin(engine, url, scheme, options).await {
            Ok(crawl) => crawl,
            Err(failed) => {
                place.close().await?;
                return Err(why(failed, lang));
            }
        };
        // From here on the folder is changed: what could fail has not.
        let (mut file, mut previous) = place.begin(folder, lang).await?;
        file.keep_value("url", url.as_str()).await?;
        values::keep_begun(&mut file, (started_at, &nonce), crawl.sitemap_list()).await?;
        file.keep_value("program", &program(proves)).await?;
        file.keep_value("asked", &serde_json::to_string(&asked)?).await?;
        replay(&mut file, &mut crawl, lang).await?;
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
            let (row, facts) = row(page, place, previous.as_mut()).await?;
            crawl.check()?;
            crawl.commit(&facts);
            teller.page(&facts, crawl.progress());
            batch.push(row);
            if batch.len() >= BATCH || kept_at.elapsed() >= BATCH_TIME {
                file.add(std::mem::take(&mut batch)).await?;
                kept_at = Instant::now();
            }
        }
        // An address that could not be read again is none: the crawl ended too soon.
        crawl.check()?;
        file.add(batch).await?;
        let mut inputs = crawl.inputs();
        tokio::select! {
            done = resources(asked, &crawl, &mut file, &mut inputs) => done?,
            _ = &mut stop => {
                file.close().await?;
                return Ok(None);
            }
        }
        teller.end();
        values::keep_inputs(&mut file, &mut inputs).await?;
        Ok(Some(Finished { file, inputs, started_at }))
    }
}

/// Asks for images and for pages of other sites, where that was wanted.
async fn resources(
    (wants_images, wants_external): (bool, bool),
    crawl: &Crawl,
    file: &mut SiteRunFile,
    inputs: &mut SiteInputs,
) -> Result<()> {
    if !wants_images && !wants_external {
        return Ok(());
    }
    let (mut images, mut external, mut pages) = (FirstUrls::default(), FirstUrls::default(), BTreeSet::new());
    let mut from = 0;
    loop {
        let rows = file.facts(from, READ_AT_ONCE).await?;
        let Some(last) = rows.last() else { break };
        from = last.place + 1;
        for row in rows {
            let facts: PageFacts = serde_json::from_slice(&row.facts)?;
            pages.insert(facts.url);
            let PageAnswer::Document(document) = facts.answer else { continue };
            document.images.into_iter().for_each(|url| images.add(url));
            let is_external = |link: &&site::PageLink| Url::parse(&link.url).is_ok_and(|url| !crawl.is_internal(&url));
            document.links.iter().filter(is_external).for_each(|link| external.add(link.url.clone()));
        }
    }
    images.urls.retain(|url| !pages.contains(url));
    let mut came = Vec::new();
    if wants_images {
        came.push((images.more, crawl.images(images.urls).await));
    }
    if wants_external {
        came.push((external.more, crawl.external(external.urls).await));
    }
    let is_cut = came.iter().any(|(more, resources)| *more || resources.left_out);
    inputs.limits.extend(is_cut.then_some(RunLimit::Resources));
    let mut rows = Vec::new();
    for page in came.into_iter().flat_map(|(_, resources)| resources.pages) {
        let place = from.max(RESOURCES_FROM) + i64::try_from(rows.len()).unwrap_or_default();
        rows.push(row(page, place, None).await?.0);
    }
    (inputs.images_asked, inputs.external_asked) = (wants_images, wants_external);
    Ok(file.add(rows).await?)
}

/// The first of many addresses, in their order: no more are held than may be asked.
#[derive(Default)]
struct FirstUrls {
    urls: BTreeSet<String>,
    /// There are more.
    more: bool,
}

impl FirstUrls {
    fn add(&mut self, url: String) {
        self.urls.insert(url);
        if self.urls.len() > 2 * MOST_RESOURCES {
            self.urls.pop_last();
            self.more = true;
        }
    }
}

/// What reports of pages depend on besides the pages: the versions of the program, of its catalog and of its facts, and whether
/// fixes are proven.
fn program(proves: bool) -> String {
    let fixes = if proves { " fixes" } else { "" };
    format!("{} {} {}{fixes}", env!("CARGO_PKG_VERSION"), audit::report::CATALOG_VERSION, site::FACTS_VERSION)
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

/// Commits the pages that an interrupted run had kept.
async fn replay(file: &mut SiteRunFile, crawl: &mut Crawl, lang: Lang) -> Result<()> {
    const OTHER: Text = text(
        "The run can't be resumed with other options or another first page. Remove it to start again.",
        "A auditoria não pode continuar com outras opções ou outra página inicial. Remova-a para começar de novo.",
    );
    let mut from = 0;
    loop {
        let rows = file.facts(from, READ_AT_ONCE).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        from = last.place + 1;
        for row in rows.iter().filter(|row| row.place < RESOURCES_FROM) {
            if !crawl.commit(&serde_json::from_slice(&row.facts)?) {
                bail!("{}", OTHER.in_lang(lang));
            }
        }
    }
}

/// The site of a run's file, whose facts go to `spill`.
async fn built(file: &mut SiteRunFile, inputs: SiteInputs, spill: &Spill) -> Result<SiteFacts> {
    let mut builder = SiteBuilder::new(spill);
    let mut from = 0;
    loop {
        let rows = file.facts(from, READ_AT_ONCE).await?;
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
        "robots.txt could not be read, so nothing may be crawled. Try again later. On your own site, add --own-site --respect-robots=false.",
        "O robots.txt não pôde ser lido, e por isso nada pode ser rastreado. Tente mais tarde. No seu próprio site, acrescente --own-site --respect-robots=false.",
    );
    match failed {
        CrawlFailure::Audit(failure) => anyhow::anyhow!("{}", failure::unaudited(failure).message(lang)),
        CrawlFailure::Pattern(error) => anyhow::anyhow!("--include or --exclude: {error}"),
        CrawlFailure::RobotsUnreachable => anyhow::anyhow!("{}", CLOSED.in_lang(lang)),
    }
}
