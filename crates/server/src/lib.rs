//! Site Audit as a program: the audit loop, the service over it, and the command line.

pub mod allowance;
pub mod api;
pub mod app;
pub mod audits;
mod blocking;
pub mod caller;
pub mod catalog;
pub mod ceilings;
pub mod cli;
pub mod config;
pub mod cores;
pub mod database;
pub mod engine;
pub mod error;
pub mod gate;
pub mod jobs;
pub mod observe;
pub mod operation;
mod pages;
pub mod payments;
pub mod ports;
mod reason;
mod shown;
pub mod supplied;
pub mod surfaces;
pub mod verification;
pub mod web;
