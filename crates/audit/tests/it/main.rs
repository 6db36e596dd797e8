//! The core from outside: captures in, reports out.
#![expect(
    clippy::disallowed_methods,
    reason = "tests are the clock, the network and the environment of what they test"
)]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests fail by panicking and say what they pass over")]

mod browser;
mod capture;
mod corpus;
mod discovery;
mod fixtures;
mod hostile;
mod images;
mod invented;
mod parallel;
mod patch;
mod proof;
mod properties;
mod registry;
mod replay;
mod report;
mod robots;
mod rules;
mod site;
mod sitemap;
mod standing;
mod stored;
mod structured_data;
mod unchanged;
mod worth;
