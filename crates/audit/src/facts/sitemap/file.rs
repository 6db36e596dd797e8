//! One sitemap file: the outcome of its request, and its content.

use std::borrow::Cow;
use std::io::Read;

use encoding_rs::{Encoding, UTF_8};
use flate2::read::MultiGzDecoder;
use model::capture::{BodyCut, Coding, Exchange, Fetched, SITEMAP_BYTES};
use url::Url;

use super::fault::{self, SitemapFault};
use super::kind::{MOST_URLS, SitemapKind};
use super::reading::{Child, SitemapEntry, SitemapReading};
use super::tally::Tally;
use super::target::ListedPage;
use super::{plain, xml};
use crate::facts::challenge;

/// Bytes of a file that a report holds: it is there twice, in the fix and in the patch, and a report has 1 MiB.
pub const MOST_FILE_BYTES: usize = 64 * 1024;
/// The first bytes of gzip (RFC 1952 §2.3.1).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
/// Bytes within which an XML declaration names its encoding.
const DECLARATION_BYTES: usize = 256;

/// How far a file was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// To its end.
    Whole,
    /// Up to our limit on bytes, or it lists more than the protocol allows.
    TooLarge,
    /// Not, or not to its end: the status, or the reason as a word.
    Unread(String),
    /// 400 to 499 except 401, 403, 408 and 429: there is no such file.
    Gone(u16),
}

/// What is known of one file.
#[derive(Debug, Clone)]
pub struct SitemapFile {
    /// As it was asked for.
    pub url: String,
    /// After redirects.
    pub final_url: String,
    /// Its form; `None` when nothing in it is of a sitemap.
    pub kind: Option<SitemapKind>,
    /// How far it was read.
    pub end: End,
    /// Pages that it lists; 0 for an index.
    pub urls: u64,
    /// The entries that list the page, one for each of its addresses.
    pub entries: Vec<SitemapEntry>,
    /// Files that it lists, if it is an index.
    pub listed_files: u64,
    /// The same as addresses, in its order: where every page is looked for, those that can be fetched.
    pub every_child: Vec<Url>,
    /// What its entries are like.
    pub tally: Tally,
    /// What makes it no valid sitemap.
    pub fault: Option<SitemapFault>,
    /// Decoded bytes that were read.
    pub size: usize,
    /// Bytes of the whole file as the server states them: of one that was cut and is not packed.
    pub stated_size: Option<u64>,
    pub(in crate::facts) children: Vec<Child>,
    pub(in crate::facts) children_left_out: bool,
    /// Byte of the root's end tag in the text; `None` for other forms.
    pub(in crate::facts) closing: Option<usize>,
    /// The text, of a file that can be given back whole: small, whole, and not packed on the server.
    pub(in crate::facts) source: Option<String>,
}

impl SitemapFile {
    /// Judges the answer to the request for a file. Total on any bytes.
    pub fn read(url: &str, fetched: &Fetched, target: &ListedPage) -> Self {
        let mut file = Self {
            url: url.to_owned(),
            final_url: url.to_owned(),
            kind: None,
            end: End::Whole,
            urls: 0,
            entries: Vec::new(),
            listed_files: 0,
            every_child: Vec::new(),
            tally: Tally::default(),
            fault: None,
            size: 0,
            stated_size: None,
            children: Vec::new(),
            children_left_out: false,
            closing: None,
            source: None,
        };
        match fetched {
            Fetched::Failed(failure) => file.end = End::Unread(failure.reason.clone()),
            Fetched::Response(exchange) => {
                file.final_url.clone_from(&exchange.url);
                file.end = match exchange.status {
                    _ if challenge::blocked(fetched).is_some() => End::Unread("challenge".to_owned()),
                    200..=299 => file.take(exchange, target),
                    status @ (401 | 403 | 408 | 429) => End::Unread(status.to_string()),
                    status @ 400..=499 => End::Gone(status),
                    status => End::Unread(status.to_string()),
                };
            }
        }
        file
    }

    /// Whether it is one, valid or not.
    pub fn is_sitemap(&self) -> bool {
        self.kind.is_some()
    }

    fn take(&mut self, exchange: &Exchange, target: &ListedPage) -> End {
        if let Coding::Unknown(name) = &exchange.body.coding {
            return End::Unread(name.clone());
        }
        let mut decoded = Decoded::new(exchange);
        self.size = decoded.bytes.len();
        let is_plain = exchange.body.coding == Coding::Identity && matches!(decoded.bytes, Cow::Borrowed(_));
        self.stated_size =
            decoded.cut.filter(|_| is_plain).and_then(|_| exchange.header("content-length")?.parse().ok());
        let mut reading = SitemapReading::new(target);
        if let Some(fault) = decoded.fault.take() {
            reading.fail(fault);
        }
        let cut = decoded.cut.is_some();
        let source = text(&decoded.bytes, cut, &mut reading);
        if source.trim_start().starts_with('<') {
            xml::read(&source, cut, &mut reading);
        } else {
            plain::read(&source, cut, &mut reading);
        }
        let too_many = reading.urls.max(reading.children_seen) > MOST_URLS;
        self.kind = reading.kind;
        self.urls = reading.urls;
        self.entries = reading.entries;
        self.listed_files = reading.children_seen;
        self.every_child = reading.every_child;
        self.tally = reading.counting.finish();
        self.fault = reading.fault;
        self.children = reading.children;
        self.children_left_out = reading.children_left_out;
        self.closing = reading.closing;
        self.source = own_text(&decoded);
        match decoded.cut {
            _ if too_many => End::TooLarge,
            Some(BodyCut::Size) => End::TooLarge,
            Some(BodyCut::Time) => End::Unread("timeout".to_owned()),
            Some(BodyCut::Connection) => End::Unread("connection".to_owned()),
            None => End::Whole,
        }
    }
}

/// The text that a fix may start from.
fn own_text(decoded: &Decoded<'_>) -> Option<String> {
    let Cow::Borrowed(bytes) = decoded.bytes else { return None };
    if decoded.cut.is_some() || bytes.len() > MOST_FILE_BYTES {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    Some(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned())
}

/// The bytes of a file without gzip.
struct Decoded<'b> {
    bytes: Cow<'b, [u8]>,
    cut: Option<BodyCut>,
    fault: Option<SitemapFault>,
}

impl<'b> Decoded<'b> {
    /// Undoes gzip by its first bytes, also when no `Content-Encoding` said so: `sitemap.xml.gz` is a file of that kind.
    fn new(exchange: &'b Exchange) -> Self {
        let body = &exchange.body;
        if body.bytes.starts_with(&GZIP_MAGIC) {
            return gunzip(&body.bytes, body.cut);
        }
        let path = exchange.url.split(['?', '#']).next().unwrap_or_default();
        let is_misnamed = path.to_ascii_lowercase().ends_with(".gz") && body.coding == Coding::Identity;
        let fault = match &body.coding {
            Coding::Broken(_) => Some(SitemapFault::of_file(fault::BAD_GZIP)),
            _ if is_misnamed && !body.bytes.is_empty() => Some(SitemapFault::of_file(fault::NOT_GZIP)),
            _ => None,
        };
        Self { bytes: Cow::Borrowed(&body.bytes), cut: body.cut, fault }
    }
}

/// Every member in order, up to the cap on decoded bytes: a bomb costs no more than an honest file.
fn gunzip(bytes: &[u8], cut: Option<BodyCut>) -> Decoded<'_> {
    let mut out = Vec::new();
    let most = u64::try_from(SITEMAP_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let read = MultiGzDecoder::new(bytes).take(most).read_to_end(&mut out);
    let over = out.len() > SITEMAP_BYTES;
    out.truncate(SITEMAP_BYTES);
    // The end of a cut file is missing, which is no fault of it.
    let fault = (read.is_err() && cut.is_none()).then(|| SitemapFault::of_file(fault::BAD_GZIP));
    let cut = if over { Some(BodyCut::Size) } else { cut };
    Decoded { bytes: Cow::Owned(out), cut, fault }
}

/// The text of a file: UTF-8, as the protocol wants it, or what a mark or the XML declaration says.
pub(super) fn text<'b>(bytes: &'b [u8], cut: bool, reading: &mut SitemapReading<'_>) -> Cow<'b, str> {
    let declared = match Encoding::for_bom(bytes) {
        Some((encoding, _)) => Some(encoding),
        None => declared_encoding(bytes),
    };
    if let Some(encoding) = declared.filter(|encoding| *encoding != UTF_8) {
        return encoding.decode_with_bom_removal(bytes).0;
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            let lossy = String::from_utf8_lossy(bytes);
            // Half a character at the end of a cut file is the cut's doing.
            if !cut || error.error_len().is_some() {
                reading.fail(SitemapFault::at(&lossy, error.valid_up_to(), fault::NOT_UTF8.into()));
            }
            lossy
        }
    }
}

/// What `<?xml … encoding="…"?>` says, where it names an encoding of the WHATWG standard.
fn declared_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..DECLARATION_BYTES).unwrap_or(bytes);
    let head = head.strip_prefix(b"<?xml").and_then(|rest| rest.split(|byte| *byte == b'>').next())?;
    let head = std::str::from_utf8(head).ok()?;
    let (_, value) = head.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let label = value.strip_prefix(['"', '\''])?.split(['"', '\'']).next()?;
    Encoding::for_label(label.as_bytes())
}
