//! The parser from outside: source in, tree out.
#![expect(
    clippy::disallowed_methods,
    reason = "tests are the clock, the network and the environment of what they test"
)]
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests fail by panicking and say what they pass over"
)]

mod again;
mod body;
mod dump;
mod elements;
mod fragments;
mod html5ever;
mod html5ever_tree;
mod instructions;
mod limits;
mod linear;
mod places;
mod properties;
mod quirks;
mod regressions;
mod shared;
mod tags;
mod tree_construction;
