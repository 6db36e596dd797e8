//! Site Audit as a program: the audit loop, and the command line over it.

pub mod cli;
pub mod engine;
