//! The API as a black box, on both databases.

pub(crate) mod accounts;
mod audits;
pub(crate) mod avatar;
mod bodies;
mod catalog;
mod claim;
mod departure;
mod documents;
mod embed;
mod errors;
mod field_data;
mod identity;
mod keys;
mod limits;
mod links;
mod organizations;
mod outages;
mod passkeys;
pub(crate) mod people;
mod permissions;
mod reading;
mod retention;
mod shares;
mod surroundings;
pub(crate) mod tabs;
mod verify;
mod watches;
