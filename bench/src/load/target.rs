//! The audited site.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::dense;

/// How long it takes for its page.
pub(super) const TARGET: Duration = Duration::from_millis(300);

/// A site that takes [`TARGET`] for its page, and nothing for its other files.
pub(super) async fn slow_site() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.2:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let body = dense::steps();
    let page: Arc<[u8]> = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
    .into();
    tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let page = Arc::clone(&page);
            connections.spawn(async move {
                let mut head = [0; 2048];
                let Ok(read) = tokio::io::AsyncReadExt::read(&mut stream, &mut head).await else { return };
                if head.get(..read).unwrap_or_default().starts_with(b"GET / ") {
                    tokio::time::sleep(TARGET).await;
                    drop(stream.write_all(&page).await);
                } else {
                    let missing = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                    drop(stream.write_all(missing).await);
                }
            });
            while connections.try_join_next().is_some() {}
        }
    });
    Ok(origin)
}
