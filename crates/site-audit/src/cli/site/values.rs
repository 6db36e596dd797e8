//! What the file of a run has beside its pages: how the run began, and what is known of its site.

use anyhow::{Result, ensure};
use engine::SitemapList;
use model::time::Timestamp;
use site::{SiteInputs, UrlList};
use store::SiteRunFile;

/// Addresses of sitemaps in one value. There may be a million: all in one would be in memory several times while they are written.
const AT_ONCE: usize = 10_000;
/// Value that says how many values the addresses have, by names with their numbers.
const LISTED: &str = "listed";

/// Keeps how a run began: when, its nonce, and what was read of the sitemaps.
pub(super) async fn keep_begun(
    file: &mut SiteRunFile,
    (started_at, nonce): (Timestamp, &str),
    mut sitemaps: SitemapList,
) -> Result<()> {
    // First: what is named in the beginning is there.
    keep_listed(file, sitemaps.listed.take()).await?;
    let begun = serde_json::to_string(&(started_at, nonce, sitemaps))?;
    Ok(file.keep_value("begun", &begun).await?)
}

/// How a run began; `None` for one that has not.
pub(super) async fn begun(file: &mut SiteRunFile) -> Result<Option<(Timestamp, String, SitemapList)>> {
    let Some(begun) = file.value("begun").await? else { return Ok(None) };
    let (started_at, nonce, mut sitemaps): (Timestamp, String, SitemapList) = serde_json::from_str(&begun)?;
    add_listed(file, &mut sitemaps.listed).await?;
    Ok(Some((started_at, nonce, sitemaps)))
}

/// Keeps what is known of the site of a run that has begun.
pub(super) async fn keep_inputs(file: &mut SiteRunFile, inputs: &mut SiteInputs) -> Result<()> {
    // They are kept since the beginning.
    let listed = inputs.listed.take();
    let text = serde_json::to_string(inputs)?;
    inputs.listed = listed;
    Ok(file.keep_value("inputs", &text).await?)
}

/// What is known of the site of a run; `None` for one that has not ended.
pub(super) async fn inputs(file: &mut SiteRunFile) -> Result<Option<SiteInputs>> {
    let Some(inputs) = file.value("inputs").await? else { return Ok(None) };
    let mut inputs: SiteInputs = serde_json::from_str(&inputs)?;
    add_listed(file, &mut inputs.listed).await?;
    Ok(Some(inputs))
}

async fn keep_listed(file: &mut SiteRunFile, listed: Option<UrlList>) -> Result<()> {
    let Some(listed) = listed else { return Ok(file.keep_value(LISTED, "none").await?) };
    let mut urls = listed.iter().peekable();
    let mut count = 0;
    while urls.peek().is_some() {
        let part: UrlList = urls.by_ref().take(AT_ONCE).collect();
        file.keep_value(&part_name(count), &serde_json::to_string(&part)?).await?;
        count += 1;
    }
    Ok(file.keep_value(LISTED, &count.to_string()).await?)
}

/// Adds the addresses that have values of their own. Runs of older programs have them where they are named, and no such value.
async fn add_listed(file: &mut SiteRunFile, listed: &mut Option<UrlList>) -> Result<()> {
    let Some(count) = file.value(LISTED).await?.and_then(|count| count.parse::<usize>().ok()) else { return Ok(()) };
    let mut all = UrlList::default();
    for number in 0..count {
        let part = file.value(&part_name(number)).await?;
        ensure!(part.is_some(), "the file of the run lacks addresses of its sitemaps");
        let part: UrlList = serde_json::from_str(&part.unwrap_or_default())?;
        part.iter().for_each(|url| all.push(&url));
    }
    *listed = Some(all);
    Ok(())
}

fn part_name(number: usize) -> String {
    format!("{LISTED} {number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_kept_of_a_run_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SiteRunFile::open(&folder.path().join("run.db")).await.unwrap();
        assert_eq!(begun(&mut file).await.unwrap(), None);
        let started_at = Timestamp::parse("2026-11-29T10:00:00Z").unwrap();
        for count in [Some(2 * AT_ONCE + 7), Some(0), None, Some(3)] {
            let listed =
                count.map(|count| (0..count).map(|number| format!("https://e.com/{number}")).collect::<UrlList>());
            let sitemaps = SitemapList { listed: listed.clone(), complete: true, ..SitemapList::default() };
            keep_begun(&mut file, (started_at, "abc"), sitemaps.clone()).await.unwrap();
            assert_eq!(begun(&mut file).await.unwrap(), Some((started_at, "abc".to_owned(), sitemaps)));
            let mut known = SiteInputs { listed, start: "https://e.com/".to_owned(), ..SiteInputs::default() };
            keep_inputs(&mut file, &mut known).await.unwrap();
            assert_eq!(inputs(&mut file).await.unwrap(), Some(known));
        }
    }

    #[tokio::test]
    async fn a_run_of_an_older_program_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = SiteRunFile::open(&folder.path().join("run.db")).await.unwrap();
        let listed: UrlList = ["https://e.com/a", "https://e.com/b"].iter().collect();
        let known = SiteInputs { listed: Some(listed), ..SiteInputs::default() };
        file.keep_value("inputs", &serde_json::to_string(&known).unwrap()).await.unwrap();
        assert_eq!(inputs(&mut file).await.unwrap(), Some(known));
    }
}
