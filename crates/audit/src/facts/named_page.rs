//! What is wrong with a page that the audited one vouches for: the target of its canonical, and itself over http.

use std::borrow::Cow;

use model::capture::{Capture, Exchange, Fetched, WantKind};
use url::Url;

use super::challenge;
use super::discovery::change_password::refresh_target;
use super::discovery::named_pages::{canonical_target, plain_http};
use super::known::Facts;
use super::not_measured::NotMeasured;
use super::url_identity::same_page;

/// What an address that the page vouches for is instead of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TargetFault {
    /// It answers this status.
    Status(u16),
    /// It leads on with this status, finally to there.
    Redirect(u16, String),
    /// It asks Google not to index it.
    NoIndex,
    /// Its own alternates do not name the audited page.
    NoReturn,
}

/// The outcome of a request for a page. `Err` where other visitors may get another.
pub(super) fn answered(fetched: &Fetched) -> Result<Result<&Exchange, TargetFault>, NotMeasured> {
    let exchange = match fetched {
        // Something leads on, whatever comes of it.
        Fetched::Failed(failure) => {
            let hop = failure.hops.first().ok_or(NotMeasured::Probe)?;
            return Ok(Err(TargetFault::Redirect(hop.status, failure.url.clone())));
        }
        Fetched::Response(exchange) => exchange,
    };
    if challenge::blocked(fetched).is_some() {
        return Err(NotMeasured::Probe);
    }
    if let Some(hop) = exchange.hops.first() {
        return Ok(Err(TargetFault::Redirect(hop.status, exchange.url.clone())));
    }
    match exchange.status {
        200..=299 => Ok(Ok(exchange)),
        401 | 403 | 429 => Err(NotMeasured::Probe),
        400..=499 => Ok(Err(TargetFault::Status(exchange.status))),
        _ => Err(NotMeasured::Probe),
    }
}

/// The answer to the request for an address, whatever it was asked for.
pub(super) fn answer_of<'c>(capture: &'c Capture, url: &Url) -> Option<&'c Fetched> {
    let is_page = |kind| matches!(kind, WantKind::CanonicalTarget | WantKind::HreflangTarget);
    let mut pages = capture.extras.iter().filter(|extra| is_page(extra.want.kind));
    pages
        .find(|extra| Url::parse(&extra.want.url).is_ok_and(|requested| same_page(&requested, url)))
        .map(|extra| &extra.fetched)
}

impl Facts<'_> {
    /// What is wrong with the page that the canonical names, when it is another one of this origin. `Err(Absent)` where
    /// there is none such.
    pub(crate) fn canonical_target_fault(&self) -> Result<Option<(Url, TargetFault)>, NotMeasured> {
        let target = canonical_target(&self.site()?).ok_or(NotMeasured::Absent)?;
        let url = target.url().ok_or(NotMeasured::Probe)?;
        let fetched = answer_of(self.capture, url).ok_or(NotMeasured::Probe)?;
        Ok(answered(fetched)?.err().map(|fault| (url.clone(), fault)))
    }

    /// Whether the page's address answers 2xx over http without leading to https; the address, if so.
    pub(crate) fn insecure_form(&self) -> Result<Option<String>, NotMeasured> {
        self.https()?;
        if !self.capture.requested_url.starts_with("https:") {
            // The way from http to here is the redirect.
            return Ok(None);
        }
        plain_http(&self.site()?).ok_or(NotMeasured::Absent)?;
        let extra = self.capture.extras.iter().find(|extra| extra.want.kind == WantKind::PlainHttp);
        let extra = extra.ok_or(NotMeasured::Probe)?;
        let exchange = extra.fetched.response().ok_or(NotMeasured::Probe)?;
        if challenge::blocked(&extra.fetched).is_some() {
            return Err(NotMeasured::Probe);
        }
        let location = match exchange.status {
            200..=299 => refresh_target(&exchange.body.bytes, exchange.header("refresh")).map(Cow::Owned),
            300..=399 => Some(Cow::Borrowed(exchange.header("location").ok_or(NotMeasured::Probe)?)),
            // Nothing is shown over http.
            _ => return Ok(None),
        };
        let Some(location) = location else { return Ok(Some(exchange.url.clone())) };
        let target =
            Url::parse(&exchange.url).ok().and_then(|url| url.join(&location).ok()).ok_or(NotMeasured::Probe)?;
        // One that stays on http may still lead to https at its next step.
        if target.scheme() == "https" { Ok(None) } else { Err(NotMeasured::Probe) }
    }
}

#[cfg(test)]
mod tests {
    use model::capture::{FailureKind, Hop};

    use super::*;
    use crate::facts::discovery::testing::*;

    const CANONICAL: &str = "<link rel=canonical href=/other>";

    #[test]
    fn a_canonical_target_must_answer_itself() {
        const KIND: WantKind = WantKind::CanonicalTarget;
        let fault = |extras| with_facts(CANONICAL, extras, |facts| facts.canonical_target_fault());
        let page = |status| extra(KIND, "/other", status, "text/html", "<p>x");
        let known = |fault: Result<Option<(Url, TargetFault)>, NotMeasured>| fault.unwrap().map(|(_, fault)| fault);
        assert_eq!(known(fault(vec![page(200)])), None);
        assert_eq!(known(fault(vec![page(404)])), Some(TargetFault::Status(404)));
        assert_eq!(known(fault(vec![page(410)])), Some(TargetFault::Status(410)));
        for unknown in [401, 403, 429, 500, 503, 304] {
            assert_eq!(fault(vec![page(unknown)]), Err(NotMeasured::Probe), "{unknown}");
        }
        let led = after_redirect(page(200), "https://example.com/docs/page");
        assert_eq!(
            known(fault(vec![led])),
            Some(TargetFault::Redirect(302, "https://example.com/docs/page".to_owned()))
        );
        assert_eq!(fault(vec![failed(KIND, "/other", FailureKind::Timeout)]), Err(NotMeasured::Probe));
        let mut looping = failed(KIND, "/other", FailureKind::Unreachable);
        if let Fetched::Failed(failure) = &mut looping.fetched {
            failure.hops.push(Hop { url: failure.url.clone(), status: 301, location: "/other".to_owned() });
        }
        assert_eq!(
            known(fault(vec![looping])),
            Some(TargetFault::Redirect(301, "https://example.com/other".to_owned()))
        );
        assert_eq!(fault(Vec::new()), Err(NotMeasured::Probe));
        assert_eq!(with_facts("<p>x", Vec::new(), |facts| facts.canonical_target_fault()), Err(NotMeasured::Absent));
    }

    #[test]
    fn http_must_lead_to_https_or_show_nothing() {
        const KIND: WantKind = WantKind::PlainHttp;
        const FORM: &str = "http://example.com/docs/page";
        let form = |extras| with_facts("<p>x", extras, |facts| facts.insecure_form());
        let page = |status, body: &str| extra(KIND, FORM, status, "text/html", body);
        assert_eq!(form(vec![page(200, "<p>x")]), Ok(Some(FORM.to_owned())));
        assert_eq!(form(vec![redirecting(KIND, FORM, 301, "https://example.com/docs/page")]), Ok(None));
        assert_eq!(form(vec![page(200, "<meta http-equiv=refresh content='0;url=https://example.com/'>")]), Ok(None));
        assert_eq!(form(vec![page(404, "")]), Ok(None));
        for unknown in [
            redirecting(KIND, FORM, 301, "http://www.example.com/"),
            redirecting(KIND, FORM, 301, "https://["),
            page(304, ""),
            page(429, ""),
            failed(KIND, FORM, FailureKind::Unreachable),
        ] {
            assert_eq!(form(vec![unknown]), Err(NotMeasured::Probe));
        }
        assert_eq!(form(Vec::new()), Err(NotMeasured::Probe));
    }
}
