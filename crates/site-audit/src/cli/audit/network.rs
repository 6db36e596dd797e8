//! Auditing addresses over the network, with the engine of the service.

use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use fetch::{FetchConfig, Fetcher};
use model::lab::Strategy;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::lab::LabRun;
use super::progress::Teller;
use crate::cli::input::with_scheme;
use crate::cli::{failure, output};
use engine::Cores;
use engine::{AuditInputs, Audited, Engine, Progress};
use render::format::{PageOutcome, RequestedPages};
use service::ports::Ports;

/// Bytes read of a list of addresses.
const LIST_BYTES: u64 = 1024 * 1024;
/// Addresses of one run.
const MOST_ADDRESSES: usize = 1_000;

/// The addresses of arguments, file and standard input, and whether a list was asked for.
pub(in crate::cli) fn addresses(arguments: &[String], file: Option<&Path>) -> Result<(Vec<String>, RequestedPages)> {
    let mut urls: Vec<String> = arguments.iter().filter(|url| *url != "-").cloned().collect();
    if let Some(path) = urls.iter().find(|url| Path::new(url).is_file()) {
        bail!("{path} is a file: audit it with --html {path} --url URL; for a host name, write https:// first");
    }
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    if let Some(path) = file.filter(|path| !is_stdin(path)) {
        let opened = std::fs::File::open(path).with_context(|| format!("{} could not be opened", path.display()))?;
        urls.extend(list(opened, &path.display().to_string())?);
    }
    let from_stdin = file.is_some_and(is_stdin) || arguments.iter().any(|url| url == "-");
    if from_stdin {
        let stdin = std::io::stdin();
        if stdin.is_terminal() {
            output::tell("Type addresses, one per line; Ctrl-D ends the list.");
        }
        urls.extend(list(stdin.lock(), "standard input")?);
    }
    let pages =
        if file.is_some() || from_stdin || arguments.len() > 1 { RequestedPages::List } else { RequestedPages::Page };
    match urls.len() {
        0 => bail!("the list has no address to audit; write one per line"),
        1..=MOST_ADDRESSES => Ok((urls, pages)),
        many => bail!("{many} addresses are too many for one run; audit at most {MOST_ADDRESSES} at a time"),
    }
}

/// The addresses of one list, a line each: blank lines and lines with # are passed over, and so is the mark that editors
/// of some systems put before UTF-8.
fn list(source: impl std::io::Read, name: &str) -> Result<Vec<String>> {
    let mut text = String::new();
    source.take(LIST_BYTES + 1).read_to_string(&mut text).with_context(|| format!("{name} could not be read"))?;
    if text.len() as u64 > LIST_BYTES {
        bail!("{name} is longer than {LIST_BYTES} bytes: split it");
    }
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    Ok(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect())
}

/// How pages are audited.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given {
    /// Pages at once.
    pub(super) jobs: u8,
    /// Whether any address and port is allowed.
    pub(super) allow_private: bool,
    /// The lab test of each page.
    pub(super) lab: Option<Strategy>,
}

/// Audits all of them; outcomes come in the order of the addresses.
pub(super) fn audit(urls: Vec<String>, given: Given, mut teller: Teller) -> Result<Vec<PageOutcome>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no runtime")?;
    let cores = Cores::of_the_machine().context("no threads")?;
    let engine = Engine::new(Fetcher::new(config(given.allow_private)?)?, cores);
    let open = |strategy| LabRun::open(strategy, teller.lang(), engine.fetcher(), teller.is_heard());
    let lab = given.lab.map(open).transpose()?;
    runtime.block_on(async {
        let slots = Arc::new(Semaphore::new(usize::from(given.jobs)));
        let mut running = JoinSet::new();
        for (index, url) in urls.into_iter().enumerate() {
            let (engine, slots, progress, lab) = (engine.clone(), Arc::clone(&slots), teller.of_steps(), lab.clone());
            running.spawn(async move {
                let _slot = slots.acquire().await.context("the run ended")?;
                let mut outcome = one(&engine, &url, progress).await;
                if let Some(lab) = lab {
                    lab.add_to(&engine, &mut outcome).await?;
                }
                Ok::<_, anyhow::Error>((index, outcome))
            });
        }
        let mut outcomes = Vec::new();
        while let Some(done) = running.join_next().await {
            let (index, outcome) = done.context("an audit was cut off")??;
            teller.page_done(&outcome);
            outcomes.push((index, outcome));
        }
        outcomes.sort_by_key(|(index, _)| *index);
        Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
    })
}

pub(in crate::cli) fn config(allow_private: bool) -> Result<FetchConfig> {
    let mut config = FetchConfig {
        user_agent: format!("SiteAudit/{} (command line)", env!("CARGO_PKG_VERSION")),
        ..FetchConfig::default()
    };
    if allow_private {
        config.allow_private = vec!["0.0.0.0/0".parse()?, "::/0".parse()?];
        config.allow_ports = Vec::new();
        config.local_names = true;
    }
    Ok(config)
}

async fn one(engine: &Engine, typed: &str, progress: Option<Progress>) -> PageOutcome {
    let ports = Ports::real();
    let at = ports.now();
    let (typed, scheme) = with_scheme(typed);
    let url = match engine.fetcher().intake(&typed) {
        Ok(url) => url,
        Err(refused) => return PageOutcome { url: typed, file: None, at, result: Err(failure::unfetched(refused)) },
    };
    let given = AuditInputs { started_at: at, nonce: ports.nonce(), scheme, progress, keep_sitemaps: false };
    match engine.audit(&url, given, engine.deadline(), std::convert::identity).await {
        Ok(Audited { capture, report, .. }) => {
            PageOutcome { url: capture.requested_url, file: None, at, result: Ok(report) }
        }
        Err(failed) => PageOutcome { url: url.to_string(), file: None, at, result: Err(failure::unaudited(failed)) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_pass_over_blank_lines_and_comments_and_have_an_end() {
        let read = |text: &str| list(text.as_bytes(), "list");
        assert_eq!(
            read("\u{feff}# pages\n\nexample.com\r\n  https://example.org/a ").unwrap(),
            ["example.com", "https://example.org/a"]
        );
        assert!(read(&"a".repeat(1024 * 1024 + 1)).is_err());
        assert!(addresses(&[], None).is_err());
    }
}
