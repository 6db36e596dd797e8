//! How a file has to be served where its standard says so: without a redirect, as JSON, open to crawlers.

use model::lang::{Text, text};
use url::Url;

use super::answer::{Answer, File};
use super::notes::{Judged, Notes, quoted, warn};
use super::site::ProbedSite;

const JSON: &str = "application/json";

/// Fails on a redirect: the readers of the file follow none.
pub(super) fn unredirected(answer: &Answer<'_>) -> Result<(), Judged> {
    const REDIRECTED: Text = text(
        "{file} redirects with status {status} to {url}; it must be served at this address itself.",
        "{file} redireciona com o status {status} para {url}; precisa ser servido neste próprio endereço.",
    );
    match answer.redirect() {
        Some((status, location)) => {
            Err(warn(REDIRECTED, &[("file", answer.name()), ("status", status.into()), ("url", quoted(location))]))
        }
        None => Ok(()),
    }
}

/// `application/json` over https.
pub(super) fn judge_type(file: &File<'_>, notes: &mut Notes) {
    const TYPE: Text = text(
        "its media type is \"{value}\" and must be application/json",
        "o tipo de mídia é \"{value}\" e deve ser application/json",
    );
    const INSECURE: Text = text("it is not served over https", "não é servido por https");
    let kind = file.media_type();
    if kind != JSON {
        notes.wrong(TYPE, &[("value", quoted(&kind))]);
    }
    if !file.exchange.url.starts_with("https:") {
        notes.wrong(INSECURE, &[]);
    }
}

/// Open to the crawlers that read it.
pub(super) fn judge_robots(site: &ProbedSite<'_>, url: &Url, crawlers: &[&str], notes: &mut Notes) {
    const FORBIDDEN: Text = text(
        "robots.txt forbids it to Google's crawler in line {line}: \"{value}\"",
        "o robots.txt o proíbe ao robô do Google na linha {line}: \"{value}\"",
    );
    if let Some((rule, line)) = site.forbidden(url, crawlers) {
        notes.wrong(FORBIDDEN, &[("line", line.into()), ("value", quoted(&rule))]);
    }
}
