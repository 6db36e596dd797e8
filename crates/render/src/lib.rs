//! Reports and the catalog of checks in words and pictures, independent of callers and transports.

pub mod badge;
pub mod band;
pub mod calendar;
pub mod catalog;
pub mod diff;
pub mod edits;
pub mod event;
pub mod format;
pub mod lab;
pub mod mail;
pub mod picture;
pub mod qr;
pub mod reason;
pub mod shown;
pub mod site_report;
