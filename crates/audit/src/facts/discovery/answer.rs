//! What an answer means whatever the file: statuses, failures, challenges, cuts, and masking by a soft 404.

use model::capture::{BodyCut, Coding, Exchange, FailureKind, FetchFailure, Fetched, PROBE_BYTES};
use model::discovery::{DiscoveryCheck, DiscoveryStatus};
use model::lang::{Phrase, Text, Value, text};
use url::Url;

use super::json::{self, Json};
use super::notes::{Judged, ProbeOutcome, info, quoted, unverified, warn};
use crate::facts::challenge;
use crate::facts::content_type;
use crate::facts::content_type::looks_like_html;
use crate::facts::fetch_failure;

/// Characters kept of an observed `Content-Type`.
const CONTENT_TYPE_CHARACTERS: usize = 200;
/// Two pages of one title are alike when their lengths differ by no more than this share of the longer.
const ALIKE_PERCENT: usize = 10;

/// The answer to one probe.
#[derive(Debug)]
pub(super) struct Answer<'c> {
    /// The address that was or would be asked; `None` when the page names one that is not fetched.
    pub(super) requested: Option<Url>,
    /// What came; `None` when it was not asked.
    pub(super) fetched: Option<&'c Fetched>,
    /// The standard that rules.
    pub(super) reference: &'static str,
    /// The page of a missing address, when that is answered 2xx.
    pub(super) mask: Option<&'c Exchange>,
}

/// A whole 2xx body.
#[derive(Debug)]
pub(super) struct File<'c> {
    /// The response.
    pub(super) exchange: &'c Exchange,
    /// Its bytes without a byte order mark.
    pub(super) bytes: &'c [u8],
    /// Path that was asked, for messages.
    pub(super) name: Value,
    masked: bool,
}

const NOT_ASKED: Text = text(
    "{file} was not requested: the time or the requests for additional files were used up.",
    "{file} não foi pedido: o tempo ou as requisições para arquivos adicionais acabaram.",
);
const ELSEWHERE: Text = text(
    "The page declares an address that is not fetched: it is not http(s), not on this origin, or too long.",
    "A página declara um endereço que não é buscado: não é http(s), não é desta origem ou é longo demais.",
);
const BLOCKED: Text = text(
    "{file} is blocked: its URL, or one that it redirects to, may not be fetched.",
    "{file} está bloqueado: a URL, ou uma para a qual redireciona, não pode ser buscada.",
);
const CHALLENGE: Text = text(
    "A bot protection or rate limit ({vendor}) answered {status} instead of {file}.",
    "Uma proteção contra robôs ou um limite de acessos ({vendor}) respondeu {status} no lugar de {file}.",
);
const RESTRICTED: Text = text(
    "{file} answers {status}: access is restricted, so its content is unknown.",
    "{file} responde {status}: o acesso é restrito; o conteúdo é desconhecido.",
);
const UNUSUAL: Text = text("The usual status of a missing file is 404.", "O status usual de um arquivo ausente é 404.");
const UNTELLING: Text = text(
    "{file} answers {status}, which does not show whether the file exists.",
    "{file} responde {status}, o que não mostra se o arquivo existe.",
);
const TOO_LONG: Text = text(
    "{file} is longer than {limit} KB, the most that is read, so it was not checked.",
    "{file} passa de {limit} KB, o máximo que é lido, então não foi verificado.",
);
const BROKE_OFF: Text = text(
    "The response for {file} was cut off before its end, so it was not checked.",
    "A resposta de {file} foi interrompida antes do fim, então não foi verificada.",
);
const UNREADABLE: Text = text(
    "{file} has a content coding that could not be read: {coding}.",
    "{file} tem uma codificação de conteúdo que não pôde ser lida: {coding}.",
);
const MASKED: Text = text(
    "{file} answers {status} with a page like the one for missing addresses, so it is unknown whether the file exists.",
    "{file} responde {status} com uma página como a de endereços inexistentes, então não se sabe se o arquivo existe.",
);
const HTML_FOR_JSON: Text = text(
    "{file} answers {status} with an HTML page instead of JSON.",
    "{file} responde {status} com uma página HTML em vez de JSON.",
);
const NOT_JSON: Text = text(
    "{file} answers {status}, but its {bytes} {bytes|byte|bytes} are not valid JSON.",
    "{file} responde {status}, mas seus {bytes} {bytes|byte|bytes} não são JSON válido.",
);

impl<'c> Answer<'c> {
    /// The wire form of a verdict on this answer.
    pub(super) fn check(&self, outcome: ProbeOutcome) -> DiscoveryCheck {
        let (status, message): (DiscoveryStatus, Phrase) = outcome.unwrap_or_else(|early| early);
        let response = self.fetched.and_then(Fetched::response);
        DiscoveryCheck {
            status,
            url: self.url(),
            http_status: response.map_or(0, |exchange| exchange.status),
            content_type: response
                .and_then(content_type::declared)
                .map(|value| value.chars().take(CONTENT_TYPE_CHARACTERS).collect())
                .unwrap_or_default(),
            message,
            reference: self.reference.to_owned(),
        }
    }

    /// The final URL; `None` where we do not go.
    fn url(&self) -> Option<String> {
        match self.fetched {
            Some(Fetched::Response(exchange)) => Some(exchange.url.clone()),
            Some(Fetched::Failed(failure)) => (!is_refused(failure)).then(|| failure.url.clone()),
            None => self.requested.as_ref().map(Url::to_string),
        }
    }

    /// Path that was asked, for messages.
    pub(super) fn name(&self) -> Value {
        quoted(self.requested.as_ref().map_or("", Url::path))
    }

    /// The status when it says that the file is not there: 4xx but 401, 403 and 429, and no challenge.
    pub(super) fn absent_status(&self) -> Option<u16> {
        let exchange = self.fetched?.response()?;
        let absent = (400..500).contains(&exchange.status) && !matches!(exchange.status, 401 | 403 | 429);
        (absent && challenge::blocked(self.fetched?).is_none()).then_some(exchange.status)
    }

    /// Status and `Location` of a redirect that is itself the answer.
    pub(super) fn redirect(&self) -> Option<(u16, &'c str)> {
        let exchange = self.fetched?.response()?;
        let status = Some(exchange.status).filter(|status| matches!(status, 301 | 302 | 303 | 307 | 308))?;
        Some((status, exchange.header("location").unwrap_or_default()))
    }

    /// A 2xx response, its body whole or not. `absent` words a 404, with `{file}` and `{status}`.
    pub(super) fn response(&self, absent: Text) -> Result<&'c Exchange, Judged> {
        let file = || ("file", self.name());
        let Some(fetched) = self.fetched else {
            return Err(if self.requested.is_some() {
                unverified(NOT_ASKED, &[file()])
            } else {
                unverified(ELSEWHERE, &[])
            });
        };
        let exchange = match fetched {
            Fetched::Response(exchange) => exchange,
            Fetched::Failed(failure) if is_refused(failure) => return Err(unverified(BLOCKED, &[file()])),
            Fetched::Failed(failure) => {
                return Err(unverified(fetch_failure::sentence(&failure.reason), &[("url", self.name())]));
            }
        };
        let status = || ("status", exchange.status.into());
        if let Some(blocked) = challenge::blocked(fetched) {
            return Err(unverified(CHALLENGE, &[file(), status(), ("vendor", quoted(&blocked.vendor))]));
        }
        match exchange.status {
            200..=299 => Ok(exchange),
            401 | 403 => Err(info(RESTRICTED, &[file(), status()])),
            404 | 410 => Err(info(absent, &[file(), status()])),
            400..=499 => {
                let (verdict, absent) = info(absent, &[file(), status()]);
                let join = |sentence: &str, note: &str| format!("{sentence} {note}");
                Err((verdict, Phrase { en: join(&absent.en, UNUSUAL.en), pt: join(&absent.pt, UNUSUAL.pt) }))
            }
            _ => Err(unverified(UNTELLING, &[file(), status()])),
        }
    }

    /// A 2xx response with its whole body.
    pub(super) fn file(&self, absent: Text) -> Result<File<'c>, Judged> {
        let exchange = self.response(absent)?;
        let name = self.name();
        match (&exchange.body.cut, &exchange.body.coding) {
            (Some(BodyCut::Size), _) => {
                return Err(unverified(TOO_LONG, &[("file", name), ("limit", (PROBE_BYTES / 1024).into())]));
            }
            (Some(BodyCut::Time | BodyCut::Connection), _) => return Err(unverified(BROKE_OFF, &[("file", name)])),
            (None, Coding::Broken(coding) | Coding::Unknown(coding)) => {
                return Err(unverified(UNREADABLE, &[("file", name), ("coding", quoted(coding))]));
            }
            (None, Coding::Identity | Coding::Decoded(_)) => {}
        }
        let bytes = &exchange.body.bytes;
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let masked = self.mask.is_some_and(|mask| looks_like_html(bytes) || is_alike(bytes, &mask.body.bytes));
        Ok(File { exchange, bytes, name, masked })
    }
}

impl File<'_> {
    /// Fails where the body can't be told from what a missing address gets. Asked only when the content does not
    /// prove itself.
    pub(super) fn unless_masked(&self) -> Result<(), Judged> {
        if self.masked { Err(unverified(MASKED, &self.values())) } else { Ok(()) }
    }

    /// Name and status, for messages.
    pub(super) fn values(&self) -> [(&'static str, Value); 2] {
        [("file", self.name.clone()), ("status", self.exchange.status.into())]
    }

    /// Whether the body is an HTML document by its bytes.
    pub(super) fn is_html(&self) -> bool {
        looks_like_html(self.bytes)
    }

    /// The media type without parameters, in lower case; empty when none is declared.
    pub(super) fn media_type(&self) -> String {
        let declared = content_type::declared(self.exchange).and_then(|declared| content_type::extract(&declared));
        declared.map(|kind| kind.essence).unwrap_or_default()
    }

    /// The body as text; bytes that are no UTF-8 are replaced.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }

    /// The body as JSON; what is none is masked, or a warning.
    pub(super) fn json(&self) -> Result<Json, Judged> {
        if let Some(json) = json::read(self.bytes) {
            return Ok(json);
        }
        self.unless_masked()?;
        let [file, status] = self.values();
        if self.is_html() {
            return Err(warn(HTML_FOR_JSON, &[file, status]));
        }
        Err(warn(NOT_JSON, &[file, status, ("bytes", self.bytes.len().into())]))
    }
}

/// We do not go to the address, or to one that it redirects to.
fn is_refused(failure: &FetchFailure) -> bool {
    use FailureKind::{AddressNotAllowed, InvalidUrl, RedirectNotAllowed};
    matches!(failure.kind, AddressNotAllowed | InvalidUrl | RedirectNotAllowed)
}

/// Whether two bodies are the same page: the same bytes, or one title and nearly one length.
fn is_alike(a: &[u8], b: &[u8]) -> bool {
    let longer = a.len().max(b.len());
    if a == b {
        return true;
    }
    if a.len().abs_diff(b.len()) * 100 > longer * ALIKE_PERCENT {
        return false;
    }
    let title = |bytes| challenge::title(bytes).map(<[u8]>::to_ascii_lowercase);
    title(a).is_some_and(|known| title(b) == Some(known))
}
