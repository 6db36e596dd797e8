//! The folder of a run: what is in it, and what becomes of it when a run begins.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use engine::{KnownVersions, report_spill};
use fetch::KnownVersion;
use model::lang::{Lang, Text, text};
use model::time::Timestamp;
use site::{FrontierScope, Snapshot};
use store::{SiteRunFile, StoreError};
use url::Url;

use super::{READ_AT_ONCE, values};

/// Name of the file of a run in its folder.
const RUN: &str = "run.db";
/// Name of the file of the run before it.
const PREVIOUS: &str = "previous.db";

/// What a run finds in its folder. Nothing there is changed before the site has answered.
#[derive(Debug)]
pub(super) enum RunPlace {
    /// No run.
    Empty,
    /// A finished run of the same site, which becomes the run before.
    Finished(SiteRunFile),
    /// A run to resume.
    Resumed(SiteRunFile),
}

/// The run that `--baseline` names.
#[derive(Debug)]
pub(super) struct Baseline {
    /// What it found.
    pub(super) snapshot: Snapshot,
    /// When it began.
    pub(super) started_at: Option<Timestamp>,
}

impl RunPlace {
    /// Looks at the folder.
    pub(super) async fn of(folder: &Path, url: &Url, resume: bool, lang: Lang) -> Result<Self> {
        const NONE: Text = text(
            "There is no run to resume in {folder}. Run without --resume.",
            "Não há auditoria a continuar em {folder}. Rode sem --resume.",
        );
        const OTHER: Text = text(
            "The folder {folder} holds a run of {url}. Name another folder with --out.",
            "A pasta {folder} tem uma auditoria de {url}. Indique outra pasta com --out.",
        );
        const UNFINISHED: Text = text(
            "The folder {folder} holds an unfinished run. Continue it with --resume, or remove {file}.",
            "A pasta {folder} tem uma auditoria que não terminou. Continue-a com --resume ou remova {file}.",
        );
        let path = folder.join(RUN);
        let refusal = |words: Text, url: &str| {
            let values = [
                ("folder", folder.display().to_string().into()),
                ("file", path.display().to_string().into()),
                ("url", url.into()),
            ];
            anyhow::anyhow!("{}", words.phrase(&values).in_lang(lang))
        };
        if !path.exists() {
            return if resume { Err(refusal(NONE, "")) } else { Ok(Self::Empty) };
        }
        let mut file = opened(&path, lang).await?;
        let Some(start) = file.value("url").await? else {
            // A run that ended before it kept anything.
            file.close().await?;
            return Ok(Self::Empty);
        };
        let is_finished = file.value("finished").await?.is_some();
        let words = match (start == url.as_str(), resume, is_finished) {
            (true, true, _) => return Ok(Self::Resumed(file)),
            (true, false, true) => return Ok(Self::Finished(file)),
            (true, false, false) => UNFINISHED,
            (false, _, _) => OTHER,
        };
        file.close().await?;
        Err(refusal(words, &start))
    }

    /// Lets go of the file, where nothing comes of the run.
    pub(super) async fn close(self) -> Result<()> {
        match self {
            Self::Empty => Ok(()),
            Self::Finished(file) | Self::Resumed(file) => Ok(file.close().await?),
        }
    }

    /// The file to write, and the run before it to ask for changes since. A finished run is set aside, unless it audited
    /// nothing.
    pub(super) async fn begin(self, folder: &Path, lang: Lang) -> Result<(SiteRunFile, Option<SiteRunFile>)> {
        let (path, previous) = (folder.join(RUN), folder.join(PREVIOUS));
        match self {
            Self::Resumed(file) => Ok((file, None)),
            Self::Empty => Ok((opened(&path, lang).await?, None)),
            Self::Finished(mut file) => {
                let has_score = file.value("finished").await?.as_deref() != Some(NO_SCORE);
                file.close().await?;
                if !has_score {
                    removed(&path)?;
                    return Ok((opened(&path, lang).await?, None));
                }
                removed(&previous)?;
                std::fs::rename(&path, &previous)
                    .with_context(|| format!("{} could not be renamed", path.display()))?;
                removed(&path)?;
                let before = opened(&previous, lang).await?;
                Ok((opened(&path, lang).await?, Some(before)))
            }
        }
    }

    /// The run that `--baseline` names, read before the crawl. In the folder of the run itself that is its last finished run.
    pub(super) async fn baseline(&mut self, named: &Path, folder: &Path, url: &Url, lang: Lang) -> Result<Baseline> {
        const NONE: Text = text(
            "--baseline: there is no finished run in {path}.",
            "--baseline: não há auditoria terminada em {path}.",
        );
        const OTHER: Text = text(
            "--baseline: the run in {path} is of another site, {url}.",
            "--baseline: a auditoria em {path} é de outro site, {url}.",
        );
        let mut path = if named.is_dir() { named.join(RUN) } else { named.to_owned() };
        let refusal = |words: Text, url: &str| {
            let values = [("path", named.display().to_string().into()), ("url", url.into())];
            anyhow::anyhow!("{}", words.phrase(&values).in_lang(lang))
        };
        let is_own = match (path.canonicalize(), folder.join(RUN).canonicalize()) {
            (Ok(path), Ok(own)) => path == own,
            _ => false,
        };
        if is_own
            && let Self::Finished(file) = self
            && file.value("finished").await?.as_deref() != Some(NO_SCORE)
        {
            return baseline(file).await?.ok_or_else(|| refusal(NONE, ""));
        }
        if is_own {
            path = folder.join(PREVIOUS);
        }
        if !path.is_file() {
            return Err(refusal(NONE, ""));
        }
        let mut file = opened(&path, lang).await.context("--baseline")?;
        let start = file.value("url").await?.unwrap_or_default();
        let is_same = Url::parse(&start)
            .is_ok_and(|start| FrontierScope::new(&start, &[], &[]).is_ok_and(|scope| scope.is_internal(url)));
        let found = if is_same { baseline(&mut file).await? } else { None };
        file.close().await?;
        let words = if is_same || start.is_empty() { NONE } else { OTHER };
        found.ok_or_else(|| refusal(words, &start))
    }
}

/// Value of `finished` of a run that audited no page.
pub(super) const NO_SCORE: &str = "no_score";

async fn baseline(file: &mut SiteRunFile) -> Result<Option<Baseline>> {
    let Some(inputs) = values::inputs(file).await? else { return Ok(None) };
    let started_at = values::begun(file).await?.map(|(started_at, ..)| started_at);
    let complete = inputs.complete;
    let snapshot = Snapshot::of(&super::built(file, inputs, &report_spill(None)).await?, complete);
    Ok(Some(Baseline { snapshot, started_at }))
}

/// Opens the file of a run.
async fn opened(path: &Path, lang: Lang) -> Result<SiteRunFile> {
    const BUSY: Text = text("Another run is writing to this folder.", "Outra auditoria está gravando nesta pasta.");
    match SiteRunFile::open(path).await {
        Err(StoreError::Busy { .. }) => bail!("{}", BUSY.in_lang(lang)),
        opened => opened.with_context(|| path.display().to_string()),
    }
}

/// Removes a file of a run with its journals, which would be taken for those of the next file of that name.
fn removed(path: &Path) -> Result<()> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match std::fs::remove_file(PathBuf::from(&name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} could not be removed", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Keeps the versions of the pages of a finished run.
pub(super) async fn keep_versions(file: &mut SiteRunFile, known: &mut KnownVersions) -> Result<()> {
    let mut from = 0;
    loop {
        let rows = file.facts(from, READ_AT_ONCE).await?;
        let Some(last) = rows.last() else { return Ok(()) };
        from = last.place + 1;
        for row in rows.into_iter().filter(|row| row.etag.is_some() || row.last_modified.is_some()) {
            known.add(&row.url, row.place, &KnownVersion { etag: row.etag, last_modified: row.last_modified });
        }
    }
}
