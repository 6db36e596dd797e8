//! Reports and the catalog of checks in words and pictures. It knows nothing of who asks, nor over which wire.

pub mod badge;
pub mod band;
pub mod catalog;
pub mod format;
pub mod mail;
pub mod picture;
pub mod qr;
pub mod reason;
pub mod shown;
