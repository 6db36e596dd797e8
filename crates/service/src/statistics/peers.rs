//! The public statistics of other installations, read once an hour.

use std::time::Duration;

use model::capture::Fetched;
use serde_json::Value;
use store::Publication;
use tokio::time::Instant;

use crate::database::DatabaseError;
use crate::services::Services;

/// Timeout of one reading, redirects included.
const PEER_TIME: Duration = Duration::from_secs(5);
/// Bytes of an answer; a longer one is not kept.
const PEER_BYTES: usize = 64 * 1024;

/// Reads what the configured peers publish, and keeps it. Of one that gives no usable answer the last good one stays.
pub(super) async fn read(services: &Services) -> Result<(), DatabaseError> {
    for peer in &services.config().showcase.peers {
        match published(services, peer).await {
            Some(body) => {
                let publication = Publication { published_at: services.ports().now(), body };
                services.database().write(|store| store.keep_peer(peer, &publication)).await?;
            }
            None => tracing::warn!(peer, "a peer of showcase.peers gave no usable statistics"),
        }
    }
    Ok(())
}

async fn published(services: &Services, peer: &str) -> Option<String> {
    let fetcher = services.engine().fetcher();
    let url = fetcher.intake(&format!("{}/api/vitrine", peer.trim_end_matches('/'))).ok()?;
    let Fetched::Response(exchange) = fetcher.page(&url, Instant::now() + PEER_TIME).await else { return None };
    let bytes = &exchange.body.bytes;
    if exchange.status != 200 || exchange.body.cut.is_some() || bytes.len() > PEER_BYTES {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let document: Value = serde_json::from_str(text).ok()?;
    (document.get("v").and_then(Value::as_u64) == Some(1)).then(|| text.to_owned())
}
