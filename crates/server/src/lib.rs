//! Site Audit as a program: the command line over the pure core.

pub mod cli;
