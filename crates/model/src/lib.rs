//! Types that cross a border: between crates, to the database, to the wire.
//!
//! Rust names are the field's English terms; Portuguese wire names appear only in serde attributes.

pub mod account;
pub mod billing;
pub mod capture;
pub mod change;
pub mod claim;
pub mod credit;
pub mod dates;
pub mod discovery;
pub mod expiry;
pub mod field_data;
pub mod finding;
pub mod fix;
pub mod id;
pub mod lab;
pub mod lang;
pub mod money;
pub mod organization;
pub mod page_event;
pub mod partners;
pub mod patch;
pub mod path;
pub mod pricing;
pub mod rendered;
pub mod report;
pub mod searchable;
pub mod summary;
pub mod tab;
pub mod time;
