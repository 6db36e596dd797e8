//! What a provider is asked for.

use std::time::Duration;

use model::lab::Strategy;
use model::lang::Lang;
use url::Url;

/// Timeout of one measurement. Usual ones take 10 to 30 seconds, slow pages up to two minutes.
pub const TEST_TIME: Duration = Duration::from_secs(120);

/// What to measure.
#[derive(Debug, Clone)]
pub struct LabRequest {
    /// An http or https URL that was audited.
    pub url: Url,
    /// The device to simulate.
    pub strategy: Strategy,
    /// The language of titles and displayed values.
    pub lang: Lang,
}
