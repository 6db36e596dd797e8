//! Lighthouse as a program on this machine.

use model::lab::Strategy;
use model::lang::Lang;
use url::Url;

use crate::failure::Failure;

/// Runs the program `lighthouse`.
#[derive(Debug)]
pub struct Runner;

impl Runner {
    /// The JSON of the Lighthouse result of a page.
    pub async fn run(&self, _url: &Url, _strategy: Strategy, _locale: Lang) -> Result<Vec<u8>, Failure> {
        Err(Failure::Unavailable("no_program"))
    }
}
