//! The core from outside: captures in, reports out.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests fail by panicking and say what they pass over")]

mod browser;
mod capture;
mod corpus;
mod discovery;
mod hostile;
mod images;
mod patch;
mod registry;
mod report;
mod robots;
mod rules;
mod site;
mod sitemap;
mod structured_data;
