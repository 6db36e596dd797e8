//! What the product does, without HTTP: audits, shares, followed pages, watches, accounts, allowance, payments, jobs. A use
//! case is a function of the service and of values; it knows no routes, headers, cookies or templates.

pub mod accounts;
pub mod allowance;
pub mod audits;
pub mod billing;
pub mod blocking;
pub mod brcode;
pub mod browser_errors;
pub mod caller;
pub mod challenge;
pub mod concurrency;
pub mod config;
pub mod contact;
pub mod counting;
pub mod credential;
pub mod credit;
pub mod database;
pub mod error;
pub mod form;
pub mod form_audit;
pub mod gate;
pub mod guests;
pub mod health;
pub mod identity;
pub mod job;
pub mod jobs;
pub mod lab;
pub mod lab_tests;
pub mod mail;
pub mod network;
pub mod origin;
pub mod payments;
pub mod pix;
pub mod ports;
pub mod pricing;
pub mod services;
pub mod shares;
pub mod tabs;
pub mod unknown;
pub mod vault;
pub mod verification;
pub mod watches;
pub mod widget;
pub mod x402;

pub use services::Services;
