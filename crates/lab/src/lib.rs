//! Lab tests: one simulated visit of a page, measured by Lighthouse.
//!
//! A [`provider::Provider`] gives the JSON of a Lighthouse result, from the PageSpeed Insights API or from a local program;
//! [`reading`] takes from it what is kept, and the rest is discarded.

pub mod failure;
pub mod lighthouse;
pub mod outcome;
pub mod pagespeed;
pub mod provider;
pub mod reading;
pub mod request;
