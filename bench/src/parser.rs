//! The parser beside others: the corpus in rotating order of engines, thread CPU time, the best of several rounds for
//! each page; then hostile shapes.

use std::cell::Cell;
use std::hint::black_box;
use std::time::Duration;

use html::{Kind, NodeId, Options, Tree};
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use rustix::time::{ClockId, clock_gettime};

use crate::corpus::capture;
use crate::{bare, dense, shapes};
use model::capture::Capture;

/// Rounds over each page.
const ROUNDS: usize = 15;
/// Bytes of each hostile source.
const HOSTILE_BYTES: usize = 2_000_000;

/// An engine, and what it does of a page.
type ParserEngine = (&'static str, fn(&BenchPage, String));

/// A page in the forms that engines take.
struct BenchPage {
    source: String,
    capture: Capture,
}

const ENGINES: [ParserEngine; 7] = [
    ("html5ever, tree", |page, _| bare::parse(&page.source)),
    ("html5ever, tokens", tokens),
    ("html5gum, tokens", gum),
    ("lol_html, every element", lol),
    ("html, tree", |_, source| drop(black_box(parse(source)))),
    ("html, tree, all values", |_, source| {
        black_box(read_all(&parse(source)));
    }),
    ("html, tree, page facts", |page, _| drop(black_box(audit::Page::read(&page.capture)))),
];
/// Place of the engine that the others are compared with.
const OLD: usize = 0;

/// CPU time of this thread.
fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or_default(), u32::try_from(now.tv_nsec).unwrap_or_default())
}

fn parse(source: String) -> Tree {
    html::parse(source, &Options::default())
}

/// Reads every text and every attribute, and says how many bytes they are.
fn read_all(tree: &Tree) -> usize {
    let mut bytes = 0;
    for id in tree.descendants(NodeId::DOCUMENT) {
        match tree.kind(id) {
            Kind::Text => bytes += tree.texts(id).map(str::len).sum::<usize>(),
            Kind::Element => {
                bytes += tree.attributes(id).map(|one| one.name().local.len() + one.value().len()).sum::<usize>();
            }
            _ => bytes += tree.data(id).len(),
        }
    }
    bytes
}

#[derive(Default)]
struct Counter(Cell<usize>);

impl TokenSink for Counter {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        black_box(&token);
        self.0.set(self.0.get() + 1);
        TokenSinkResult::Continue
    }
}

fn tokens(page: &BenchPage, _: String) {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(&page.source));
    let tokenizer = Tokenizer::new(Counter::default(), TokenizerOpts::default());
    let _ = black_box(tokenizer.feed(&input));
    tokenizer.end();
    black_box(tokenizer.sink.0.get());
}

fn gum(page: &BenchPage, _: String) {
    for token in html5gum::Tokenizer::new(&page.source) {
        drop(black_box(token));
    }
}

fn lol(page: &BenchPage, _: String) {
    let settings = lol_html::Settings::new().append_element_content_handler(lol_html::element!("*", |element| {
        black_box(element.attributes().len());
        Ok(())
    }));
    if let Err(reason) = black_box(lol_html::rewrite_str(&page.source, settings)) {
        println!("lol_html gave up: {reason}");
    }
}

/// Measures all engines over some pages and prints what each takes beside the old one.
pub(crate) fn corpus(pages: &[Vec<u8>]) {
    let of_source = |source: String| BenchPage { capture: capture(source.clone().into_bytes()), source };
    let pages: Vec<BenchPage> =
        pages.iter().map(|page| of_source(String::from_utf8_lossy(page).into_owned())).collect();
    table(&format!("{} real pages", pages.len()), &pages);
    table("generated reference page (like a documentation's)", &[of_source(dense::documentation())]);
    table("generated list of products (like a shop's)", &[of_source(dense::shop())]);
}

fn table(title: &str, pages: &[BenchPage]) {
    let mut best = vec![[Duration::MAX; ENGINES.len()]; pages.len()];
    for round in 0..ROUNDS {
        for (page, best) in pages.iter().zip(&mut best) {
            for turn in 0..ENGINES.len() {
                // Another order in each round, so that none always comes after the same other.
                let at = (turn + round) % ENGINES.len();
                let (Some((_, engine)), Some(best)) = (ENGINES.get(at), best.get_mut(at)) else { continue };
                // Our own parser keeps the source it is given.
                let source = page.source.clone();
                let begun = cpu();
                engine(page, source);
                *best = (*best).min(cpu() - begun);
            }
        }
    }
    let bytes: usize = pages.iter().map(|page| page.source.len()).sum();
    println!("\n{title}, {:.2} MB, CPU time, best of {ROUNDS} for each page", bytes as f64 / 1e6);
    println!("{:<26} {:>9} {:>8} {:>14} {:>20}", "", "ms", "MB/s", "html5ever = 1", "median of the pages");
    let sum = |at: usize| best.iter().filter_map(|page| page.get(at)).sum::<Duration>().as_secs_f64();
    for (at, (name, _)) in ENGINES.iter().enumerate() {
        let ratio = |page: &[Duration; ENGINES.len()]| {
            let of = |at: usize| page.get(at).map_or(f64::NAN, Duration::as_secs_f64);
            of(OLD) / of(at)
        };
        let mut ratios: Vec<f64> = best.iter().map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        let median = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
        let took = sum(at);
        println!(
            "{name:<26} {:>9.2} {:>8.0} {:>12.2} x {:>18.2} x",
            took * 1e3,
            bytes as f64 / 1e6 / took,
            sum(OLD) / took,
            median
        );
    }
}

/// Times hostile shapes.
pub(crate) fn hostile() {
    println!("\nhostile sources of 2 MB, tree only; work is what the limit counts");
    for (name, shape) in shapes::HOSTILE {
        let source = shapes::filled(*shape, HOSTILE_BYTES);
        let mut best = Duration::MAX;
        let mut summary = String::new();
        for _ in 0..3 {
            let source = source.clone();
            let begun = cpu();
            let tree = html::parse(source, &Options::default());
            best = best.min(cpu() - begun);
            let cut = if tree.cut().work { ", stopped" } else { "" };
            summary = format!("{:>9} nodes, {:>9} work{cut}", tree.len(), tree.work());
        }
        println!("{name:<28} {:>7.1} ms  {summary}", best.as_secs_f64() * 1e3);
    }
}
