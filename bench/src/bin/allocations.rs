//! Allocations of the report over the corpus, beside those of the bare parse. A program of its own, since counting slows
//! down what the other one times.
#![expect(clippy::disallowed_methods, reason = "where the corpus lies")]
#![expect(clippy::print_stdout, reason = "a command talks to the person who typed it")]

#[path = "../bare.rs"]
mod bare;
#[path = "../corpus.rs"]
mod corpus;

use std::alloc::System;
use std::hint::black_box;

use anyhow::Result;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> Result<()> {
    let Some(pages) = corpus::pages()? else { return Ok(()) };
    let captures: Vec<_> = pages.iter().cloned().map(corpus::capture).collect();
    let sources: Vec<String> = pages.iter().map(|page| String::from_utf8_lossy(page).into_owned()).collect();
    println!("allocations over {} pages\n", pages.len());
    let count = |name: &str, work: &dyn Fn()| {
        // Once before, for what is made once in a process.
        work();
        let region = Region::new(ALLOCATOR);
        work();
        let change = region.change();
        let calls = change.allocations + change.reallocations;
        let per_page = |number: usize| number / pages.len().max(1);
        println!("{name:<22} {:>7} a page, {:>6} KB a page", per_page(calls), per_page(change.bytes_allocated) / 1_000);
    };
    count("bare parse", &|| sources.iter().for_each(|source| bare::parse(source)));
    count("tree of our parser", &|| {
        for source in &sources {
            drop(black_box(html::parse(source.clone(), &html::Options::default())));
        }
    });
    let bytes: usize = sources.iter().map(String::len).sum();
    println!("{:<22} {:>26} KB a page, in each tree above", "copy of the source", bytes / sources.len().max(1) / 1_000);
    count("whole report", &|| {
        for capture in &captures {
            drop(black_box(serde_json::to_vec(&audit::report(capture))));
        }
    });
    Ok(())
}
