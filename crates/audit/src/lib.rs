//! The pure core: a capture in, a report out. No I/O, no clock, no randomness: the same capture gives the same bytes.

pub mod facts;
