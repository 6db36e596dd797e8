//! The API as a black box, on both databases.

mod audits;
mod catalog;
mod field_data;
mod limits;
mod surroundings;
mod verify;
