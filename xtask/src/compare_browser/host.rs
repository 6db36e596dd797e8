//! The whole internet of the browser under comparison: an HTTP proxy on loopback that has our pages and nothing else.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

/// A page to serve.
#[derive(Debug)]
pub(crate) struct Served {
    /// Its body.
    pub(crate) bytes: Vec<u8>,
    /// The encoding in its `Content-Type`; without one the page's own declaration decides.
    pub(crate) charset: Option<&'static str>,
}

impl Served {
    /// Headers that it is served with, and captured with. The policy keeps every script from running while scripting counts as
    /// on, so that the content of `noscript` stays text.
    pub(crate) fn headers(&self) -> [(&'static str, String); 3] {
        let charset = self.charset.map_or_else(String::new, |charset| format!("; charset={charset}"));
        [
            ("content-type", format!("text/html{charset}")),
            ("content-security-policy", "script-src 'none'".to_owned()),
            ("cache-control", "no-store".to_owned()),
        ]
    }
}

impl From<Vec<u8>> for Served {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, charset: None }
    }
}

/// Where the pages are, for the browser and in the captures; the number of the page follows.
const PAGES: &str = "http://www.example.com/pages/";
/// Longest silence of the browser on a connection: it opens some that it may never use.
const IDLE: Duration = Duration::from_secs(30);

/// Address of a page.
pub(crate) fn url(number: usize) -> String {
    format!("{PAGES}{number}")
}

/// What makes a browser ask the HTTP proxy on that loopback port for everything, its own errands included.
pub(crate) fn switches(proxy: u16) -> [String; 2] {
    [format!("--proxy-server=http://127.0.0.1:{proxy}"), "--proxy-bypass-list=<-loopback>".to_owned()]
}

/// Serves until the program ends; gives back the port. Whatever is not one of the pages is answered with nothing, so
/// that a page neither loads anything nor leaves when it is told to refresh.
pub(crate) fn serve(pages: Arc<[Served]>) -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let pages = Arc::clone(&pages);
            // A connection that fails shows as a page that the browser does not get.
            std::thread::spawn(move || answer(&connection, &pages).ok());
        }
    });
    Ok(port)
}

fn answer(mut connection: &TcpStream, pages: &[Served]) -> Result<()> {
    connection.set_read_timeout(Some(IDLE))?;
    connection.set_write_timeout(Some(IDLE))?;
    let mut lines = BufReader::new(connection).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let page = request
        .strip_prefix("GET ")
        .and_then(|rest| rest.split(' ').next()?.strip_prefix(PAGES)?.parse().ok())
        .and_then(|number: usize| pages.get(number));
    let Some(page) = page else {
        let status = if request.starts_with("CONNECT ") { "403 Forbidden" } else { "204 No Content" };
        write!(connection, "HTTP/1.1 {status}\r\nConnection: close\r\n\r\n")?;
        return Ok(());
    };
    write!(connection, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n", page.bytes.len())?;
    for (name, value) in page.headers() {
        write!(connection, "{name}: {value}\r\n")?;
    }
    write!(connection, "\r\n")?;
    connection.write_all(&page.bytes)?;
    Ok(())
}
