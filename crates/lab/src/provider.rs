//! Who measures: nobody, the PageSpeed Insights API, or a local program.

use model::lab::LabSource;

use crate::failure::Failure;
use crate::lighthouse::{self, Runner};
use crate::pagespeed::PageSpeed;
use crate::reading::{Measured, measured};
use crate::request::LabRequest;

/// The provider of lab tests.
#[derive(Debug)]
pub enum Provider {
    /// There are no lab tests.
    Off,
    /// The PageSpeed Insights API, or a server that speaks the same JSON.
    PageSpeed(PageSpeed),
    /// A program on this machine.
    Lighthouse(Runner),
}

impl Provider {
    /// Whether tests can be run.
    pub fn is_on(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Who measures; `None` where nobody does.
    pub fn source(&self) -> Option<LabSource> {
        match self {
            Self::Off => None,
            Self::PageSpeed(_) => Some(LabSource::PageSpeed),
            Self::Lighthouse(_) => Some(LabSource::Local),
        }
    }

    /// Measurements that one server may run at once. A local program takes two cores for each: with less, it measures itself.
    pub fn at_once(&self) -> usize {
        match self {
            Self::Off | Self::PageSpeed(_) => usize::MAX,
            Self::Lighthouse(_) => lighthouse::at_once(),
        }
    }

    /// Measures a page once. Takes at most [`crate::request::TEST_TIME`].
    pub async fn run(&self, request: &LabRequest) -> Result<Measured, Failure> {
        let answer = match self {
            Self::Off => return Err(Failure::Unavailable("off")),
            Self::PageSpeed(service) => service.ask(request).await?,
            Self::Lighthouse(program) => program.run(&request.url, request.strategy, request.lang).await?,
        };
        measured(&answer, request.strategy)
    }
}
