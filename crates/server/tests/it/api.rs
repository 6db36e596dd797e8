//! The API as a black box, on both databases.

mod audits;
mod limits;
mod surroundings;
mod verify;
