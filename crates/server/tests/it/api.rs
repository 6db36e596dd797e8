//! The API as a black box, on both databases.

mod audits;
mod field_data;
mod limits;
mod surroundings;
mod verify;
