//! The work whose instructions `cargo xtask instructions` counts, stage by stage, under callgrind.
//!
//! Each stage is one function that is never inlined, so that callgrind has its cost under its name. Nothing is timed here.
#![expect(clippy::disallowed_methods, reason = "where the corpus lies")]
#![expect(clippy::print_stdout, reason = "a command talks to the person who typed it")]

#[path = "../../src/bare.rs"]
mod bare;
#[path = "../../src/corpus.rs"]
mod corpus;
#[path = "../../src/dense.rs"]
mod dense;

use std::hint::black_box;

use anyhow::{Result, bail};
use audit::{Page, SiteFiles};
use model::capture::Capture;
use model::report::Report;

/// Every how many pages one is run before counting begins, for tables that are made once in a process.
const WARM_UP_STEP: usize = 10;

fn main() -> Result<()> {
    let pages = match std::env::args().nth(1).as_deref() {
        Some("corpus") => corpus::pages()?,
        Some("dense") => Some([dense::documentation(), dense::shop(), dense::steps()].map(String::into_bytes).to_vec()),
        _ => bail!("usage: counts corpus|dense"),
    };
    let Some(pages) = pages else { return Ok(()) };
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!("{} {bytes}", pages.len());
    let pages: Vec<MeasuredPage> = pages.into_iter().map(MeasuredPage::new).collect();
    pages.iter().step_by(WARM_UP_STEP).for_each(MeasuredPage::run);
    count_instructions(&pages);
    Ok(())
}

/// Callgrind collects while this runs, and only then.
#[inline(never)]
fn count_instructions(pages: &[MeasuredPage]) {
    pages.iter().for_each(MeasuredPage::run);
}

/// A page, as text for parsers and as the network brought it.
struct MeasuredPage {
    source: String,
    capture: Capture,
}

impl MeasuredPage {
    fn new(bytes: Vec<u8>) -> Self {
        Self { source: String::from_utf8_lossy(&bytes).into_owned(), capture: corpus::capture(bytes) }
    }

    fn run(&self) {
        stage_bare_parse(&self.source);
        stage_tree(self.source.clone());
        let page = stage_read(&self.capture);
        let report = stage_judge(&self.capture, &page);
        stage_json(&report);
    }
}

#[inline(never)]
fn stage_bare_parse(source: &str) {
    bare::parse(black_box(source));
}

#[inline(never)]
fn stage_tree(source: String) {
    drop(black_box(html::parse(source, &html::Options::default())));
}

#[inline(never)]
fn stage_read(capture: &Capture) -> Page {
    black_box(Page::read(capture))
}

/// Of a page alone: no files of its site.
#[inline(never)]
fn stage_judge(capture: &Capture, page: &Page) -> Report {
    black_box(audit::report_on(capture, page, &SiteFiles::default()))
}

#[inline(never)]
fn stage_json(report: &Report) {
    drop(black_box(serde_json::to_vec(report)));
}
