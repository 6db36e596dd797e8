//! All followed pages of a reader as one table: score, change, the last thirty runs as a line, the next run.

use std::cmp::Reverse;

use askama::Template;
use axum::response::Response;
use http::StatusCode;
use model::id::Owner;
use model::lang::{Lang, Text, text};
use model::tab::Tab;
use store::RunScore;
use url::form_urlencoded::{Serializer, parse};

use super::space::{EmptyPage, Space, direction, name};
use super::visit::WorkspaceVisit;
use crate::allowance::NextAudit;
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use crate::running;
use render::shown::{age, signed};
use service::accounts::organizations;
use service::error::ServiceError;
use service::{run_all, tabs};

/// Width and height of the line of a page's runs, in its own units.
const WIDTH: f64 = 96.0;
const HEIGHT: f64 = 24.0;
/// Columns by which the table is sorted.
const SORTS: [&str; 4] = ["change", "name", "score", "next"];

#[derive(Template)]
#[template(path = "workspace_all.html")]
struct OverviewPage<'a> {
    frame: Frame<'a>,
    space: Space,
    /// Id of the organization whose pages these are; `None` for the reader's own.
    organization: Option<String>,
    lines: Vec<PageLine>,
    words: String,
    sort: &'static str,
    /// Every tag, and whether it is chosen.
    tags: Vec<(String, String, bool)>,
    /// Pages that "run all" would run now.
    to_run: usize,
    /// All that are followed, also those that a search leaves out.
    followed: usize,
    /// What is worth knowing first: a class, a sentence, and what it is about.
    news: Vec<(&'static str, String, String)>,
}

/// A followed page in the table.
struct PageLine {
    id: String,
    name: String,
    tags: Vec<String>,
    note: Option<String>,
    score: Option<u32>,
    /// Points since the run before.
    change: Option<i32>,
    points: String,
    /// Class of the change: `good`, `bad` or none.
    class: &'static str,
    /// The address, where the page has a name of its own.
    address: Option<String>,
    /// The line of its runs.
    spark: Option<Spark>,
    last: Option<String>,
    next: Option<String>,
    next_at: Option<i64>,
    audit_id: Option<String>,
    /// Path of the page of its running audit.
    running: Option<String>,
}

/// The scores of a page's runs as a line, oldest at the left.
#[derive(Debug, PartialEq)]
struct Spark {
    points: String,
    /// Its last point.
    end: (String, String),
}

impl OverviewPage<'_> {
    /// The address of this page sorted by a column.
    fn sorted(&self, by: &str) -> String {
        let mut pairs = vec![("sort", by)];
        if !self.words.is_empty() {
            pairs.push(("q", &self.words));
        }
        address(self.organization.as_deref(), self.frame.reader.lang, &pairs)
    }

    /// The address of this page without a filter.
    fn whole(&self) -> String {
        address(self.organization.as_deref(), self.frame.reader.lang, &[])
    }
}

/// The address of the table, of an organization or the reader's own, with parameters.
fn address(organization: Option<&str>, lang: Lang, pairs: &[(&str, &str)]) -> String {
    let mut query = Serializer::new(String::new());
    query.append_pair("lang", lang.tag()).extend_pairs(organization.map(|id| ("organization", id))).extend_pairs(pairs);
    format!("/workspace?{}", query.finish())
}

/// The table, or how to follow a first page.
pub(super) async fn page(visit: &WorkspaceVisit) -> Result<Response, ServiceError> {
    let lang = visit.reader.lang;
    let query = visit.query.as_deref().unwrap_or_default();
    let field =
        |wanted: &str| parse(query.as_bytes()).find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned());
    let organization = match field("organization") {
        Some(id) => Some(organizations::read(&visit.cx, &id).await?.id),
        None => None,
    };
    let owner = organization.clone().map(Owner::Organization).or_else(|| visit.owner.clone());
    let mut space = visit.space_of(owner.as_ref(), None).await?;
    let Some(owner) = owner.as_ref().filter(|_| !space.tabs.is_empty()) else {
        let page = EmptyPage { frame: visit.frame(), space, tab: None, view: "" };
        return Ok(html(StatusCode::OK, &page, lang));
    };
    // The table has them.
    space.tabs.clear();
    let (words, tag) = (field("q").unwrap_or_default(), field("tag"));
    let sort = field("sort").and_then(|by| SORTS.into_iter().find(|name| *name == by)).unwrap_or("change");
    let mut lines = lines(visit, owner).await?;
    let (news, followed) = (news(&lines, lang), lines.len());
    let mut tags: Vec<String> = lines.iter().flat_map(|line| line.tags.clone()).collect();
    tags.sort_unstable();
    tags.dedup();
    let is_wanted = |line: &PageLine| {
        let text = format!("{} {} {}", line.name, line.tags.join(" "), line.note.as_deref().unwrap_or_default());
        let text = text.to_lowercase();
        words.to_lowercase().split_whitespace().all(|word| text.contains(word))
            && tag.as_ref().is_none_or(|tag| line.tags.contains(tag))
    };
    lines.retain(is_wanted);
    lines.sort_by_key(|line| line.name.to_lowercase());
    match sort {
        "score" => lines.sort_by_key(|line| line.score),
        "next" => lines.sort_by_key(|line| (line.next_at.is_none(), line.next_at)),
        // What broke first, then what got better, then what stayed.
        "change" => lines.sort_by_key(|line| {
            let change = line.change.unwrap_or_default();
            (change >= 0, if change < 0 { Reverse(-i64::from(change)) } else { Reverse(i64::from(change)) })
        }),
        _ => {}
    }
    let organization = organization.map(|id| id.0);
    let tagged = |name: &str| address(organization.as_deref(), lang, &[("tag", name)]);
    // Members only read what is the organization's.
    let to_run = if organization.is_none() { run_all::tabs_to_run(&visit.cx, owner).await?.len() } else { 0 };
    space.cost = NextAudit::of(&visit.cx).await?.for_audits(to_run, lang);
    let page = OverviewPage {
        frame: visit.frame(),
        tags: tags.into_iter().map(|name| (tagged(&name), name.clone(), tag.as_ref() == Some(&name))).collect(),
        to_run,
        followed,
        news,
        space,
        organization,
        lines,
        words,
        sort,
    };
    Ok(html(StatusCode::OK, &page, lang))
}

async fn lines(visit: &WorkspaceVisit, owner: &Owner) -> Result<Vec<PageLine>, ServiceError> {
    let (services, lang) = (&visit.cx.services, visit.reader.lang);
    let scores = tabs::scores(services, owner).await?;
    // The page of a running audit is for its owner alone.
    let running_now = match owner {
        Owner::Organization(_) => Vec::new(),
        _ => services.running().of_owner(owner),
    };
    let now = services.ports().now();
    let line = |tab: Tab| {
        let runs: Vec<&RunScore> = scores.iter().filter(|run| run.url == tab.url).collect();
        let mut newest = runs.iter().rev().filter_map(|run| run.score);
        let change = newest
            .next()
            .zip(newest.next())
            .and_then(|(now, before)| Some(i32::try_from(now).ok()? - i32::try_from(before).ok()?));
        PageLine {
            name: name(&tab),
            score: tab.score,
            change,
            points: change.filter(|points| *points != 0).map(signed).unwrap_or_default(),
            class: change.map_or("", direction),
            address: tab.alias.is_some().then(|| tab.url.clone()),
            spark: spark(&runs),
            last: runs.last().map(|run| age(run.created_at, now, lang)),
            next: tab.monitor_next_at.map(|at| soon(at.0.saturating_sub(now.0), lang)),
            next_at: tab.monitor_next_at.map(|at| at.0),
            running: running_now.iter().find(|audit| audit.url == tab.url).map(|audit| running::path(&audit.id)),
            audit_id: tab.audit_id,
            tags: tab.tags,
            note: tab.note,
            id: tab.id,
        }
    };
    Ok(tabs::list(services, owner).await?.into_iter().map(line).collect())
}

/// Which pages got worse and which got better with their last run, the largest change by name.
fn news(lines: &[PageLine], lang: Lang) -> Vec<(&'static str, String, String)> {
    const WORSE: Text = text("{n} {n|page|pages} got worse", "{n} {n|página piorou|páginas pioraram}");
    const BETTER: Text = text("{n} {n|page|pages} got better", "{n} {n|página melhorou|páginas melhoraram}");
    let moved = |class: &'static str, sentence: Text| {
        let of_class = || lines.iter().filter(move |line| line.class == class);
        let most = of_class().max_by_key(|line| line.change.map(i32::unsigned_abs))?;
        let said = sentence.phrase(&[("n", of_class().count().into())]).in_lang(lang).to_owned();
        Some((class, said, format!("{} {}", most.name, most.points)))
    };
    [moved("bad", WORSE), moved("good", BETTER)].into_iter().flatten().collect()
}

/// In how long a watch runs, in whole hours.
fn soon(ms: i64, lang: Lang) -> String {
    let hours = (ms.max(0) / 3_600_000).min(48);
    match lang {
        Lang::En if hours == 0 => "within the hour".to_owned(),
        Lang::En => format!("in {hours} h"),
        Lang::PtBr if hours == 0 => "dentro de uma hora".to_owned(),
        Lang::PtBr => format!("em {hours} h"),
    }
}

/// The scores of runs as a line; `None` below two.
fn spark(runs: &[&RunScore]) -> Option<Spark> {
    let scores: Vec<u32> = runs.iter().filter_map(|run| run.score).collect();
    let steps = scores.len().checked_sub(1).filter(|steps| *steps > 0)?;
    let step = WIDTH / f64::from(u32::try_from(steps).unwrap_or(u32::MAX));
    let points = scores.iter().zip(0_u32..).map(|(score, at)| {
        let height = HEIGHT * (1.0 - f64::from(*score.min(&100)) / 100.0);
        (format!("{:.1}", f64::from(at) * step), format!("{height:.1}"))
    });
    let points: Vec<(String, String)> = points.collect();
    let end = points.last()?.clone();
    Some(Spark { points: points.into_iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" "), end })
}

#[cfg(test)]
mod tests {
    use model::time::Timestamp;

    use super::*;

    #[test]
    fn a_line_goes_from_the_oldest_run_to_the_newest_and_skips_what_was_not_reached() {
        let runs = [Some(0), None, Some(50), Some(100)].map(|score| RunScore {
            url: String::new(),
            created_at: Timestamp(0),
            score,
        });
        let drawn = |runs: &[RunScore]| spark(&runs.iter().collect::<Vec<_>>());
        let (points, end) = ("0.0,24.0 48.0,12.0 96.0,0.0".to_owned(), ("96.0".to_owned(), "0.0".to_owned()));
        assert_eq!(drawn(&runs), Some(Spark { points, end }));
        assert_eq!(drawn(&runs[..2]), None);
    }
}
