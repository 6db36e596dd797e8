//! Field data of the Chrome UX Report API, queried while the other files of an audit are fetched.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fetch::Fetcher;
use model::capture::Capture;
use model::field_data::FieldData;
use serde_json::json;
use tokio::time::Instant;
use url::Url;

/// Timeout of both queries together. Chosen: below the probes' eight seconds, so that no audit takes longer for it.
const FIELD_DATA_TIME: Duration = Duration::from_secs(5);
/// How long an answer is kept: the report changes once a day.
const KEPT: Duration = Duration::from_secs(86_400);
/// Answers kept at most, a few hundred bytes each. Chosen: the pages and origins of a busy day.
const MOST_KEPT: usize = 4_096;

/// Endpoint of the API method `records:queryRecord`, with the operator's key in its URL.
#[derive(Clone)]
pub struct FieldDataSource {
    endpoint: Url,
    /// Answers by their query.
    kept: Arc<Mutex<HashMap<String, (Instant, RecordAnswer)>>>,
}

impl FieldDataSource {
    /// An http or https endpoint.
    pub fn new(endpoint: Url) -> Self {
        Self { endpoint, kept: Arc::default() }
    }

    fn kept(&self, question: &str) -> Option<RecordAnswer> {
        // A poisoned lock holds whole answers.
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(question).filter(|(at, _)| at.elapsed() < KEPT).map(|(_, answer)| answer.clone())
    }

    fn keep(&self, question: String, answer: RecordAnswer) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.retain(|_, (at, _)| at.elapsed() < KEPT);
        }
        // Full of fresh answers: the cache is emptied, which costs one query for each page asked again.
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(question, (Instant::now(), answer));
    }
}

/// Leaves out the key.
impl fmt::Debug for FieldDataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldDataSource").field("host", &self.endpoint.host_str()).finish_non_exhaustive()
    }
}

/// Field data of a page, otherwise of its origin; `None` without a source or a record.
pub(super) async fn field_data(
    fetcher: &Fetcher,
    source: Option<&FieldDataSource>,
    capture: &Capture,
    deadline: Instant,
) -> Option<FieldData> {
    let source = source?;
    let mut url = Url::parse(&capture.page.response()?.url).ok()?;
    url.set_fragment(None);
    let deadline = deadline.min(Instant::now() + FIELD_DATA_TIME);
    match ask(fetcher, source, json!({ "url": url.as_str() }).to_string(), deadline).await? {
        RecordAnswer::Data(data) => Some(data),
        RecordAnswer::Nothing => {
            let origin = json!({ "origin": url.origin().ascii_serialization() });
            match ask(fetcher, source, origin.to_string(), deadline).await? {
                RecordAnswer::Data(data) => Some(data),
                RecordAnswer::Nothing => None,
            }
        }
    }
}

/// One query, or the answer to the same one within the last day; `None` when the API can't be reached, which says nothing
/// about the page.
async fn ask(fetcher: &Fetcher, source: &FieldDataSource, question: String, deadline: Instant) -> Option<RecordAnswer> {
    if let Some(answer) = source.kept(&question) {
        return Some(answer);
    }
    // In a box: without a source nobody asks, and every audit would have room for it.
    let answer = Box::pin(query(fetcher, source, question.clone(), deadline)).await?;
    source.keep(question, answer.clone());
    Some(answer)
}

async fn query(
    fetcher: &Fetcher,
    source: &FieldDataSource,
    question: String,
    deadline: Instant,
) -> Option<RecordAnswer> {
    match fetcher.post_to_service(&source.endpoint, question, deadline).await {
        Ok(answer) if answer.status == 404 => Some(RecordAnswer::Nothing),
        Ok(answer) if answer.status == 200 => {
            Some(audit::field_data(&answer.body).map_or(RecordAnswer::Nothing, RecordAnswer::Data))
        }
        Ok(answer) => {
            tracing::warn!(status = answer.status, "the field data service refused a request");
            None
        }
        Err(error) => {
            tracing::warn!(%error, "no field data");
            None
        }
    }
}

/// Result of a query.
#[derive(Clone)]
enum RecordAnswer {
    Data(FieldData),
    /// No record: too few visitors.
    Nothing,
}

#[cfg(test)]
mod tests {
    use audit::supplied::Supplied;
    use fetch::FetchConfig;
    use model::time::Timestamp;

    use super::*;

    fn source() -> FieldDataSource {
        FieldDataSource::new(Url::parse("https://api.example/records?key=secret").unwrap())
    }

    fn count(source: &FieldDataSource) -> usize {
        source.kept.lock().unwrap().len()
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_kept_for_a_day() {
        let source = source();
        assert!(source.kept("page").is_none());
        source.keep("page".to_owned(), RecordAnswer::Nothing);
        tokio::time::advance(Duration::from_secs(86_400 - 1)).await;
        assert!(source.kept("page").is_some() && source.kept("another").is_none());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(source.kept("page").is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_cache_forgets_what_is_old_and_then_everything() {
        let source = source();
        source.keep("old".to_owned(), RecordAnswer::Nothing);
        tokio::time::advance(KEPT).await;
        for number in 1..4_096 {
            source.keep(number.to_string(), RecordAnswer::Nothing);
        }
        assert_eq!(count(&source), 4_096);
        source.keep("new".to_owned(), RecordAnswer::Nothing);
        assert_eq!(count(&source), 4_096);
        assert!(!source.kept.lock().unwrap().contains_key("old") && source.kept("1").is_some());
        source.keep("newer".to_owned(), RecordAnswer::Nothing);
        assert_eq!(count(&source), 1);
        assert!(source.kept("newer").is_some());
    }

    #[tokio::test(start_paused = true)]
    #[expect(clippy::disallowed_methods, reason = "a service that never answers")]
    async fn a_service_that_never_answers_holds_an_audit_up_for_five_seconds() {
        // The system takes connections to it; nobody reads them.
        let silent = std::net::TcpListener::bind("127.0.0.2:0").unwrap();
        let source = FieldDataSource::new(format!("http://{}/", silent.local_addr().unwrap()).parse().unwrap());
        let fetcher = Fetcher::new(FetchConfig::default()).unwrap();
        let page = Supplied::page("https://example.com/".parse().unwrap(), Vec::new()).capture(Timestamp(0));
        let begun = Instant::now();
        let found = field_data(&fetcher, Some(&source), &page, begun + Duration::from_secs(23)).await;
        assert_eq!((found, begun.elapsed().as_secs()), (None, 5));
    }

    #[test]
    fn the_key_is_left_out_of_logs() {
        let shown = format!("{:?}", source());
        assert!(shown.contains("api.example") && !shown.contains("secret"), "{shown}");
    }
}
