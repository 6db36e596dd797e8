//! What real visitors measured: asked of the Chrome UX Report API while the other files of an audit are fetched.

use std::fmt;
use std::time::Duration;

use fetch::Fetcher;
use model::capture::Capture;
use model::field_data::FieldData;
use serde_json::json;
use tokio::time::Instant;
use url::Url;

/// For both questions together: beside the probes, which have eight seconds, it makes no audit longer.
const FIELD_DATA_TIME: Duration = Duration::from_secs(5);
/// Bytes of an address that is asked for (`fetch::intake`).
const LONGEST_URL: usize = 2_048;

/// Where field data is asked for: the method `records:queryRecord`, with the operator's key in its address.
#[derive(Clone)]
pub struct FieldDataSource {
    endpoint: Url,
}

impl FieldDataSource {
    /// An endpoint of http or https.
    pub fn new(endpoint: Url) -> Self {
        Self { endpoint }
    }
}

/// Without the key.
impl fmt::Debug for FieldDataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldDataSource").field("host", &self.endpoint.host_str()).finish_non_exhaustive()
    }
}

/// Field data of a page, else of its origin; `None` where nobody is to be asked, or nothing is known.
pub(super) async fn field_data(
    fetcher: &Fetcher,
    source: Option<&FieldDataSource>,
    capture: &Capture,
    deadline: Instant,
) -> Option<FieldData> {
    let source = source?;
    let mut url = Url::parse(&capture.page.response()?.url).ok().filter(|url| url.as_str().len() <= LONGEST_URL)?;
    url.set_fragment(None);
    let deadline = deadline.min(Instant::now() + FIELD_DATA_TIME);
    match ask(fetcher, source, json!({ "url": url.as_str() }).to_string(), deadline).await? {
        Known::Data(data) => Some(data),
        Known::Nothing => {
            let origin = json!({ "origin": url.origin().ascii_serialization() });
            match ask(fetcher, source, origin.to_string(), deadline).await? {
                Known::Data(data) => Some(data),
                Known::Nothing => None,
            }
        }
    }
}

/// One question; `None` where the service can't be asked, which is no news of the page.
async fn ask(fetcher: &Fetcher, source: &FieldDataSource, question: String, deadline: Instant) -> Option<Known> {
    match fetcher.post_to_service(&source.endpoint, question, deadline).await {
        Ok(answer) if answer.status == 404 => Some(Known::Nothing),
        Ok(answer) if answer.status == 200 => Some(audit::field_data(&answer.body).map_or(Known::Nothing, Known::Data)),
        Ok(answer) => {
            tracing::warn!(status = answer.status, "the field data service refused a question");
            None
        }
        Err(error) => {
            tracing::warn!(%error, "no field data");
            None
        }
    }
}

/// What the service knows of an address.
enum Known {
    Data(FieldData),
    /// It has no record: too few visitors.
    Nothing,
}
