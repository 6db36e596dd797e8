//! Probe 2: contact for vulnerability reports (`security.txt`, RFC 9116).

use std::borrow::Cow;

use model::capture::WantKind;
use model::dates;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use model::time::{DAY_MS, Timestamp};
use url::Url;

use super::answer::{Answer, File};
use super::notes::{Notes, ProbeOutcome, info, named, quoted};
use super::site::{ProbedSite, Target};
use crate::facts::content_type::looks_like_html;
use crate::facts::url_identity::same_page;

/// Where the file belongs.
pub(crate) const PATH: &str = "/.well-known/security.txt";
const LEGACY_PATH: &str = "/security.txt";
const REFERENCE: &str = "https://www.rfc-editor.org/rfc/rfc9116";
/// Days that `Expires` should lie ahead at most (RFC 9116 §2.5.5).
const LONGEST_DAYS: i64 = 365;

/// Fields of RFC 9116 §2.5 and of the IANA registry that it founds.
const KNOWN: [&str; 9] = [
    "acknowledgments",
    "canonical",
    "contact",
    "csaf",
    "encryption",
    "expires",
    "hiring",
    "policy",
    "preferred-languages",
];

/// Always asked.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    site.file(PATH)
}

/// Asked only after the right place was empty.
pub(super) fn legacy_target(site: &ProbedSite<'_>) -> Option<Target> {
    site.file(LEGACY_PATH).filter(|_| site.is_gone(WantKind::SecurityTxt))
}

/// Passes on a text file with contacts that can be used and one date of expiry ahead.
pub(super) fn check(site: &ProbedSite<'_>) -> DiscoveryCheck {
    if let Some(target) = legacy_target(site) {
        // The file at the old place counts when it is one; else the right place is simply empty.
        let answer = site.answer(WantKind::SecurityTxtLegacy, target, REFERENCE);
        let judged = judge(&answer, site.capture.started_at, true);
        if judged.is_ok() {
            return answer.check(judged);
        }
    }
    let answer = site.answer(WantKind::SecurityTxt, target(site).unwrap_or(Target::Elsewhere), REFERENCE);
    answer.check(judge(&answer, site.capture.started_at, false))
}

fn judge(answer: &Answer<'_>, now: Timestamp, is_legacy: bool) -> ProbeOutcome {
    const ABSENT: Text = text(
        "{file} answers {status}. It is optional and tells people who find a vulnerability who to contact.",
        "{file} responde {status}. É opcional e diz a quem encontra uma vulnerabilidade a quem avisar.",
    );
    const MEASURED: Text = text(
        "{file} names {count} {count|contact|contacts} and expires {date}.",
        "{file} indica {count} {count|contato|contatos} e expira em {date}.",
    );
    const UNDATED: Text = text(
        "{file} names {count} {count|contact|contacts} and has no readable date of expiry.",
        "{file} indica {count} {count|contato|contatos} e não tem data de expiração legível.",
    );
    let file = answer.file(ABSENT)?;
    let source = file.text();
    let fields = FileFields::read(&source);
    if fields.of("contact").next().is_none() {
        file.unless_masked()?;
    }
    if is_legacy && (file.is_html() || fields.pairs.is_empty()) {
        // A page at the old place is no file at the old place.
        return Err(info(ABSENT, &file.values()));
    }
    let mut notes = Notes::default();
    if is_legacy {
        const LEGACY: Text =
            text("it is only at the old location: move it to {path}", "está só no lugar antigo: mova-o para {path}");
        notes.wrong(LEGACY, &[("path", PATH.into())]);
    }
    fields.judge_delivery(&file, &mut notes);
    fields.judge_contacts(&mut notes);
    let expires = fields.judge_expiry(now, &mut notes);
    fields.judge_others(answer, &file, &mut notes);
    let [name, _] = file.values();
    let count = ("count", fields.of("contact").count().into());
    Ok(match expires {
        Some(date) => notes.verdict(MEASURED, &[name, count, ("date", date.day().to_string().into())]),
        None => notes.verdict(UNDATED, &[name, count]),
    })
}

/// When the site's file expires; `None` without a file, or where it does not say one date.
pub(crate) fn expiry(site: &ProbedSite<'_>) -> Option<Timestamp> {
    let source = source(site)?;
    let fields = FileFields::read(&source);
    let mut dates = fields.of("expires");
    dates::rfc3339(dates.next()?).filter(|_| dates.next().is_none())
}

/// The site's file as text, at its place or else at the old one.
fn source<'s>(site: &ProbedSite<'s>) -> Option<Cow<'s, str>> {
    let kinds = [WantKind::SecurityTxt, WantKind::SecurityTxtLegacy];
    let exchanges = kinds.into_iter().filter_map(|kind| site.extra(kind)?.fetched.response());
    let found = exchanges.filter(|exchange| exchange.is_success()).find(|exchange| !exchange.body.bytes.is_empty());
    found.map(|exchange| String::from_utf8_lossy(&exchange.body.bytes))
}

/// Whether a page answers in place of the file.
pub(crate) fn is_page(site: &ProbedSite<'_>) -> bool {
    let exchange = site.extra(WantKind::SecurityTxt).and_then(|extra| extra.fetched.response());
    exchange.is_some_and(|exchange| exchange.is_success() && looks_like_html(&exchange.body.bytes))
}

/// Lines of the site's file that a corrected one can keep: known fields but `Expires`, and no address that is none or
/// goes over http.
pub(crate) fn usable_lines(site: &ProbedSite<'_>) -> Vec<String> {
    /// Lines taken over at most: a file has few.
    const MOST_LINES: usize = 50;
    let source = source(site).unwrap_or_default();
    let mut languages = 0;
    let is_usable = |line: &&str| {
        let Some((name, value)) = line.split_once(':') else { return false };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        languages += usize::from(name == "preferred-languages");
        let is_address = has_scheme(value) && !value.to_ascii_lowercase().starts_with("http:");
        match name.as_str() {
            "preferred-languages" => languages == 1,
            "expires" => false,
            name => KNOWN.contains(&name) && is_address,
        }
    };
    unsigned(&source).into_iter().filter(is_usable).take(MOST_LINES).map(|line| line.trim().to_owned()).collect()
}

/// The fields of a file: names in lower case, values trimmed.
#[derive(Debug)]
struct FileFields<'s> {
    pairs: Vec<(String, &'s str)>,
}

impl<'s> FileFields<'s> {
    /// Reads lines of `name: value`, signed or not. Comments, blank lines and what has no colon are passed over.
    fn read(source: &'s str) -> Self {
        let pairs = unsigned(source)
            .into_iter()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()))
            .filter(|(name, _)| is_field_name(name));
        Self { pairs: pairs.collect() }
    }

    fn of(&self, name: &str) -> impl Iterator<Item = &'s str> {
        self.pairs.iter().filter(move |(known, _)| known == name).map(|(_, value)| *value)
    }

    fn judge_delivery(&self, file: &File<'_>, notes: &mut Notes) {
        const TYPE: Text = text(
            "its media type is \"{value}\" and must be text/plain",
            "o tipo de mídia é \"{value}\" e deve ser text/plain",
        );
        const INSECURE: Text = text("it is not served over https", "não é servido por https");
        let kind = file.media_type();
        if kind != "text/plain" {
            notes.wrong(TYPE, &[("value", quoted(&kind))]);
        }
        if !file.exchange.url.starts_with("https:") {
            notes.wrong(INSECURE, &[]);
        }
    }

    fn judge_contacts(&self, notes: &mut Notes) {
        const NONE: Text = text("there is no Contact", "não há Contact");
        const NO_SCHEME: Text = text(
            "the Contact \"{value}\" is not an address with a scheme, such as mailto: or https:",
            "o Contact \"{value}\" não é um endereço com esquema, como mailto: ou https:",
        );
        const HTTP: Text = text(
            "the address \"{value}\" must begin with https://",
            "o endereço \"{value}\" deve começar com https://",
        );
        if self.of("contact").next().is_none() {
            notes.wrong(NONE, &[]);
        }
        if let Some(value) = self.of("contact").find(|value| !has_scheme(value)) {
            notes.wrong(NO_SCHEME, &[("value", quoted(value))]);
        }
        let is_http = |value: &&str| value.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"));
        let mut known = self.pairs.iter().filter(|(name, _)| KNOWN.contains(&name.as_str())).map(|(_, value)| *value);
        if let Some(value) = known.find(is_http) {
            notes.wrong(HTTP, &[("value", quoted(value))]);
        }
    }

    /// Exactly one date, ahead, and not too far.
    fn judge_expiry(&self, now: Timestamp, notes: &mut Notes) -> Option<Timestamp> {
        const NONE: Text = text("there is no Expires", "não há Expires");
        const SEVERAL: Text = text(
            "there are {count} Expires fields, but only one is allowed",
            "há {count} campos Expires, mas só um é permitido",
        );
        const UNREADABLE: Text = text(
            "Expires \"{value}\" is not a date such as 2027-01-31T09:30:00Z",
            "Expires \"{value}\" não é uma data como 2027-01-31T09:30:00Z",
        );
        const EXPIRED: Text = text("it expired {days} {days|day|days} ago", "expirou há {days} {days|dia|dias}");
        const FAR: Text = text(
            "Expires is {days} days ahead, but should be less than a year ahead",
            "Expires está {days} dias à frente, mas deveria estar a menos de um ano",
        );
        let mut all = self.of("expires");
        let Some(first) = all.next() else {
            notes.wrong(NONE, &[]);
            return None;
        };
        let more = all.count();
        if more > 0 {
            notes.wrong(SEVERAL, &[("count", (more + 1).into())]);
        }
        let Some(expires) = dates::rfc3339(first) else {
            notes.wrong(UNREADABLE, &[("value", quoted(first))]);
            return None;
        };
        let ahead = expires.0.saturating_sub(now.0);
        if ahead <= 0 {
            notes.wrong(EXPIRED, &[("days", (ahead.saturating_neg() / DAY_MS).into())]);
        } else if ahead > LONGEST_DAYS * DAY_MS {
            notes.hint(FAR, &[("days", (ahead / DAY_MS).into())]);
        }
        Some(expires)
    }

    fn judge_others(&self, answer: &Answer<'_>, file: &File<'_>, notes: &mut Notes) {
        const LANGUAGES: Text = text(
            "there are {count} Preferred-Languages fields, but only one is allowed",
            "há {count} campos Preferred-Languages, mas só um é permitido",
        );
        const CANONICAL: Text = text(
            "Canonical lists other addresses but not this one, for example \"{value}\"",
            "Canonical indica outros endereços, mas não este, por exemplo \"{value}\"",
        );
        const UNKNOWN: Text = text("these fields are not known: {value}", "estes campos não são conhecidos: {value}");
        let languages = self.of("preferred-languages").count();
        if languages > 1 {
            notes.wrong(LANGUAGES, &[("count", languages.into())]);
        }
        let own: Vec<Url> = Url::parse(&file.exchange.url).ok().into_iter().chain(answer.requested.clone()).collect();
        let is_own = |value: &str| Url::parse(value).is_ok_and(|url| own.iter().any(|own| same_page(own, &url)));
        if let Some(first) = self.of("canonical").next().filter(|_| !self.of("canonical").any(is_own)) {
            notes.hint(CANONICAL, &[("value", quoted(first))]);
        }
        let mut unknown =
            self.pairs.iter().map(|(name, _)| name.as_str()).filter(|name| !KNOWN.contains(name)).peekable();
        if unknown.peek().is_some() {
            notes.hint(UNKNOWN, &[("value", named(unknown))]);
        }
    }
}

/// A field name (RFC 9116 §4, as in RFC 5322 §3.6.8): printable, without spaces. Anything else is prose or markup.
fn is_field_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

/// A URI with a scheme that is no host name: `example.com:443/x` parses as one.
fn has_scheme(value: &str) -> bool {
    let scheme = value.split_once(':').map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| !scheme.contains('.')) && Url::parse(value).is_ok()
}

/// The lines inside a clear-text signature (RFC 9580 §7), or all of them. The signature is not verified.
fn unsigned(source: &str) -> Vec<&str> {
    let lines: Vec<&str> = source.split(['\n', '\r']).map(str::trim).collect();
    let start = lines.iter().position(|line| !line.is_empty()).unwrap_or_default();
    if lines.get(start) != Some(&"-----BEGIN PGP SIGNED MESSAGE-----") {
        return lines;
    }
    // Both ends of a CR LF are split, so the blank line that ends the envelope's head is told by what follows it.
    let head = |line: &&&str| line.is_empty() || line.starts_with("Hash:") || line.starts_with("-----BEGIN PGP SIGNED");
    let signed = lines.iter().skip(start).skip_while(head).take_while(|line| **line != "-----BEGIN PGP SIGNATURE-----");
    signed.map(|line| line.strip_prefix("- ").unwrap_or(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::Extra;
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    const GOOD: &str = "# Thanks\nContact: mailto:security@example.com\nExpires: 2027-05-01T00:00:00Z\nPreferred-Languages: en, pt\nCanonical: https://example.com/.well-known/security.txt\n";

    fn file(status: u16, body: &str) -> Extra {
        extra(WantKind::SecurityTxt, PATH, status, "text/plain; charset=utf-8", body)
    }

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site("", &[], extras, check), status, words);
    }

    #[test]
    fn files_are_judged_field_by_field() {
        check_of(vec![file(200, GOOD)], Pass, "1 contact and expires 2027-05-01");
        check_of(vec![file(200, &GOOD.replace('\n', "\r\n").replace("Contact", "CONTACT"))], Pass, "1 contact");
        for (from, to, words) in [
            ("2027-05-01", "2026-11-01", "expired 20 days ago"),
            ("2027-05-01T00:00:00Z", "tomorrow", "Expires \"tomorrow\" is not a date"),
            ("Expires:", "#", "no Expires"),
            ("Expires:", "Expires: 2027-01-01T00:00:00Z\nExpires:", "2 Expires"),
            ("Contact:", "#", "no Contact"),
            ("mailto:", "", "\"security@example.com\" is not an address with a scheme"),
            ("mailto:security@", "", "\"example.com\" is not an address"),
            ("mailto:security@example.com", "example.com:443/report", "\"example.com:443/report\" is not an address"),
            ("mailto:security@example.com", "http://example.com/", "must begin with https://"),
            ("Preferred-Languages:", "Preferred-Languages: de\nPreferred-Languages:", "2 Preferred-Languages"),
        ] {
            check_of(vec![file(200, &GOOD.replace(from, to))], Warn, words);
        }
        check_of(vec![extra(WantKind::SecurityTxt, PATH, 200, "text/html", GOOD)], Warn, "\"text/html\" and must be");
        check_of(vec![after_redirect(file(200, GOOD), "http://example.com/s")], Warn, "not served over https");
        check_of(vec![file(200, "<!doctype html><p>app")], Warn, "no Contact");
        for (from, to, words) in [
            ("2027-05-01", "2029-05-01", "days ahead"),
            ("/.well-known/security.txt", "/other.txt", "for example \"https://example.com/other.txt\""),
            ("# Thanks", "Phone: 1", "not known: phone"),
        ] {
            check_of(vec![file(200, &GOOD.replace(from, to))], Info, words);
        }
        check_of(vec![file(404, "")], Info, "optional");
        check_of(vec![file(403, "")], Info, "restricted");
        check_of(vec![file(500, "")], Unverified, "500");
        check_of(Vec::new(), Unverified, "not requested");
    }

    #[test]
    fn a_clear_signature_is_unwrapped() {
        let signed = format!(
            "\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{}-----BEGIN PGP SIGNATURE-----\nVersion: 1\n\nabc\n",
            GOOD.replace("# Thanks", "- # Thanks")
        );
        check_of(vec![file(200, &signed)], Pass, "1 contact");
        check_of(vec![file(200, &signed.replace('\n', "\r\n"))], Pass, "1 contact");
    }

    #[test]
    fn the_old_place_is_asked_after_the_right_one_and_counts_when_it_is_a_file() {
        let legacy = |body: &str| extra(WantKind::SecurityTxtLegacy, LEGACY_PATH, 200, "text/plain", body);
        check_of(vec![file(404, ""), legacy(GOOD)], Warn, "only at the old location");
        check_of(vec![file(404, ""), legacy("<p>app")], Info, "/.well-known/security.txt answers 404");
        check_of(vec![missing(200, "x"), file(404, ""), legacy("x")], Info, "answers 404");
        let asked = |extras| with_site("", &[], extras, |site| legacy_target(site).is_some());
        assert!(asked(vec![file(404, "")]) && asked(vec![file(410, "")]));
        assert!(!asked(vec![file(200, "")]) && !asked(vec![file(403, "")]) && !asked(Vec::new()));
    }

    #[test]
    fn a_masked_file_proves_itself_by_its_contact() {
        check_of(vec![missing(200, "<p>a"), file(200, "<p>b")], Unverified, "missing addresses");
        check_of(vec![missing(200, "<p>a"), file(200, GOOD)], Pass, "1 contact");
    }
}
