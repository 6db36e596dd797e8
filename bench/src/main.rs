//! `cargo xtask bench`: the report over a folder of pages beside the bare parse of the same bytes, then hostile shapes,
//! then whole audits through the service.
//!
//! The first two run on one core, in one process, in turns; medians of several rounds are printed.
#![expect(clippy::disallowed_methods, reason = "it measures time, and serves its own pages")]
#![expect(clippy::print_stdout, reason = "a benchmark talks to the person who started it")]

mod bare;
mod comparison;
mod corpus;
mod crowd;
mod dense;
mod flood;
mod load;
mod parser;
mod reads;
mod service;
mod shapes;

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use audit::check::Check;
use audit::facts::Facts;
use audit::facts::document::Document;
use audit::{Page, SiteFiles};
use corpus::capture;
use model::capture::{Capture, Extra, Fetched, Want, WantKind};

/// Rounds over the whole folder.
const ROUNDS: usize = 9;
/// Bytes of each hostile page: what is read of a page at most.
const HOSTILE_BYTES: usize = 2_000_000;

/// What can be measured alone, by name.
const PARTS: [&str; 6] = ["html", "report", "hostile", "service", "reads", "flood"];

fn main() -> Result<()> {
    let named: Vec<String> = std::env::args().skip(1).collect();
    if let [sender, address, round] = named.as_slice()
        && sender == flood::SENDER
    {
        return flood::send(address, round.parse()?);
    }
    if let [load, arguments @ ..] = named.as_slice()
        && load == load::NAME
    {
        return load::measure(&std::env::current_exe()?.with_file_name("site-audit"), arguments);
    }
    if let Some(unknown) = named.iter().find(|name| !PARTS.contains(&name.as_str())) {
        bail!("there is no part {unknown}; there are {}", PARTS.join(", "));
    }
    let wanted = |part: &str| named.is_empty() || named.iter().any(|name| name == part);
    if wanted("html") {
        if let Some(pages) = corpus::pages()? {
            parser::corpus(&pages);
        }
        parser::hostile();
    }
    if wanted("report")
        && let Some(pages) = corpus::pages()?
    {
        report(&pages);
    }
    if wanted("hostile") {
        hostile();
        hostile_robots();
    }
    if wanted("service") {
        let program = std::env::current_exe()?.with_file_name("site-audit");
        comparison::measure(&program)?;
    }
    if wanted("reads") {
        reads::measure(&std::env::current_exe()?.with_file_name("site-audit"))?;
    }
    if wanted("flood") {
        flood::measure(&std::env::current_exe()?.with_file_name("site-audit"))?;
    }
    Ok(())
}

fn report(pages: &[Vec<u8>]) {
    let bytes: usize = pages.iter().map(Vec::len).sum();
    let captures: Vec<Capture> = pages.iter().cloned().map(capture).collect();
    let mut times: [Vec<Duration>; 5] = Default::default();
    for _ in 0..ROUNDS {
        let [bare, tree, page, judge, json] = &mut times;
        bare.push(timed(|| pages.iter().for_each(|page| bare::parse(&String::from_utf8_lossy(page)))).0);
        tree.push(
            timed(|| {
                for page in pages {
                    black_box(Document::parse(String::from_utf8_lossy(page).into_owned()));
                }
            })
            .0,
        );
        let (took, read) = timed(|| captures.iter().map(Page::read).collect::<Vec<_>>());
        page.push(took);
        // Of a page alone; the files of a site are measured with whole audits.
        let files = SiteFiles::default();
        let (took, reports) = timed(|| {
            captures
                .iter()
                .zip(&read)
                .map(|(capture, page)| audit::report_on(capture, page, &files))
                .collect::<Vec<_>>()
        });
        judge.push(took);
        json.push(timed(|| reports.iter().for_each(|report| drop(black_box(serde_json::to_vec(report))))).0);
    }
    let [bare, tree, page, judge, json] = times.map(median);
    let whole = page + judge + json;
    println!("{} pages, {:.1} MB, medians of {ROUNDS} rounds\n", pages.len(), bytes as f64 / 1e6);
    for (name, took) in [
        ("bare parse", bare),
        ("tree with places", tree),
        ("decode, tree, facts", page),
        ("judge, fixes", judge),
        ("JSON", json),
        ("whole report", whole),
    ] {
        let ratio = took.as_secs_f64() / bare.as_secs_f64();
        println!("{name:<20} {:>7.1} ms  {ratio:>5.2} x bare", took.as_secs_f64() * 1e3);
    }
    println!(
        "\n{:.0} pages/s, {:.0} MB/s on one core\n",
        pages.len() as f64 / whole.as_secs_f64(),
        bytes as f64 / 1e6 / whole.as_secs_f64()
    );
    dearest(&captures);
}

/// Checks that are named.
const DEAREST: usize = 10;

/// The checks that take longest, each run alone over all pages. What several of them share, and is made once, counts for
/// the first that asks.
fn dearest(captures: &[Capture]) {
    let read: Vec<Page> = captures.iter().map(Page::read).collect();
    let files = SiteFiles::default();
    let facts: Vec<Facts<'_>> =
        captures.iter().zip(&read).map(|(capture, page)| Facts::new(capture, page, &files)).collect();
    let time = |check: &Check| {
        let rounds =
            (0..ROUNDS).map(|_| timed(|| facts.iter().for_each(|facts| drop(black_box((check.run)(facts))))).0);
        median(rounds.collect())
    };
    let mut times: Vec<(&str, Duration)> = audit::checks::all().map(|check| (check.code, time(check))).collect();
    let all: Duration = times.iter().map(|(_, took)| *took).sum();
    times.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
    println!("{} checks take {:.1} ms; the dearest", times.len(), all.as_secs_f64() * 1e3);
    for (code, took) in times.iter().take(DEAREST) {
        let share = took.as_secs_f64() / all.as_secs_f64() * 100.0;
        println!("{code:<32} {:>7.2} ms  {share:>4.0} %", took.as_secs_f64() * 1e3);
    }
    println!();
}

/// A shape: its name, and what it repeats for each number.
type NamedShape = (&'static str, fn(usize) -> String);

/// Levels that are nested before what is repeated in them.
const DEEP: usize = 500;

const SHAPES: [NamedShape; 24] = [
    ("nested div", |_| "<div>".to_owned()),
    ("nested ul li", |_| "<ul><li>".to_owned()),
    ("nested b", |_| "<b>".to_owned()),
    ("b xN p", |n| format!("<b x{n}><p>")),
    ("nested svg g", |_| "<svg><g>".to_owned()),
    ("nested template", |_| "<template>".to_owned()),
    ("siblings", |_| "<p>a".to_owned()),
    ("text before tables", |_| "<table>a<tr b=c>".to_owned()),
    ("character references", |_| "&amp;".to_owned()),
    ("links", |_| "<a href=/x>y</a>".to_owned()),
    ("images", |_| "<img src=http://a/b>".to_owned()),
    ("headings", |_| "<h1>a</h1><h4>b</h4>".to_owned()),
    ("images, deep", |n| if n < DEEP { "<div>" } else { "<img src=/a>" }.to_owned()),
    ("links, deep", |n| if n < DEEP { "<div>" } else { "<a href=/x></a>" }.to_owned()),
    ("keys", |_| "ghp_AKIAsk_live_xoxb-SG.".to_owned()),
    ("titles", |_| "<title>a</title>".to_owned()),
    ("metas", |_| "<meta name=description content=a>".to_owned()),
    ("canonicals", |n| format!("<link rel=canonical href=/{n}>")),
    ("hreflangs", |n| format!("<link rel=alternate hreflang=en_{n} href=/{n}>")),
    ("JSON-LD blocks", |_| "<script type=application/ld+json>{\"a\":1}</script>".to_owned()),
    ("words of one value", |n| if n == 0 { "<p class='".to_owned() } else { "a ".to_owned() }),
    ("value, then attributes", |n| match n {
        0 => format!("<p class='{}' ", "a ".repeat(500_000)),
        n => format!("a{n} "),
    }),
    ("tags of 1,300 attributes", |n| {
        if n % 1_300 == 0 {
            "<p ".to_owned()
        } else if n % 1_300 == 1_299 {
            ">".to_owned()
        } else {
            "a ".replace('a', &format!("a{}", n % 1_300))
        }
    }),
    ("attributes of one tag", |n| if n == 0 { "<p ".to_owned() } else { format!("a{n} ") }),
];

fn hostile() {
    println!("hostile pages of 2 MB, whole report each");
    for (name, shape) in SHAPES {
        let mut page = String::with_capacity(HOSTILE_BYTES);
        for n in 0.. {
            let piece = shape(n);
            if page.len() + piece.len() > HOSTILE_BYTES {
                break;
            }
            page.push_str(&piece);
        }
        let capture = capture(page.into_bytes());
        let took = median((0..3).map(|_| timed(|| black_box(audit::report(&capture))).0).collect());
        println!("{name:<22} {:>7.1} ms", took.as_secs_f64() * 1e3);
    }
}

/// A robots.txt as large as is read.
fn hostile_robots() {
    println!("\nhostile robots.txt of 500 KiB, whole report each");
    let path = format!("https://www.example.com/{}", "a".repeat(2_000));
    for (name, start, part) in [
        ("groups", "", "User-agent: a\nDisallow: /\n"),
        ("rules of stars", "User-agent: *\n", "Disallow: /*a*a*a*a*a*a*a*a*a*a*b\n"),
        ("rules of one prefix", "User-agent: *\n", "Disallow: /aaaaaaaaaaaaaaaaaaab\n"),
    ] {
        let mut robots = capture(format!("{start}{}", part.repeat(500 * 1024 / part.len())).into_bytes());
        let mut page = capture(b"<!doctype html><title>A page</title><a href=/x>y</a>".repeat(200));
        if let (Fetched::Response(page), Fetched::Response(robots)) = (&mut page.page, &mut robots.page) {
            page.url.clone_from(&path);
            robots.url = "https://www.example.com/robots.txt".to_owned();
        }
        let want = Want { kind: WantKind::RobotsTxt, url: "https://www.example.com/robots.txt".to_owned() };
        page.extras.push(Extra { want, fetched: robots.page });
        let took = median((0..5).map(|_| timed(|| black_box(audit::report(&page))).0).collect());
        println!("{name:<22} {:>7.1} ms", took.as_secs_f64() * 1e3);
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begun = Instant::now();
    let done = work();
    (begun.elapsed(), done)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
