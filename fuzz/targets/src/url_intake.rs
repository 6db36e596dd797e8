//! URL intake: text as typed and as a redirect's target.

use std::sync::LazyLock;

use fetch::{FetchConfig, Fetcher, Intake};
use model::capture::FailureKind;
use url::Url;

/// Words that a refusal may give.
const REASONS: [&str; 8] = ["scheme", "userinfo", "control_character", "too_long", "syntax", "port", "host", "address"];

/// The client as it is set up by default; it asks a resolver on the loopback, which is never reached.
pub(crate) static FETCHER: LazyLock<Fetcher> = LazyLock::new(|| {
    let dns = Some(([127, 0, 0, 1], 9).into());
    Fetcher::new(FetchConfig { dns, ..FetchConfig::default() }).expect("a client can be set up")
});

/// What is accepted is accepted again as written, as the same URL; what is refused has a word for it.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    typed(&text);
    target_of_redirect(&text);
}

fn typed(text: &str) {
    let outcome = FETCHER.intake(text);
    assert_eq!(outcome, FETCHER.intake(text), "the same text was judged differently");
    match outcome {
        Ok(url) => {
            assert!(!text.chars().any(char::is_control), "a control character passed");
            assert!(text.trim_matches(' ').len() <= fetch::intake::LONGEST_URL, "a text too long passed");
            within_the_rules(&url);
            assert_eq!(FETCHER.intake(url.as_str()), Ok(url), "what was written is judged differently");
        }
        Err(failure) => {
            assert!(matches!(failure.kind, FailureKind::InvalidUrl | FailureKind::AddressNotAllowed));
            assert!(REASONS.contains(&failure.reason.as_str()), "an unknown word: {}", failure.reason);
            assert_eq!(failure.kind == FailureKind::AddressNotAllowed, failure.reason == "address");
            assert!(failure.url.chars().count() <= fetch::intake::LONGEST_URL);
            assert!(!failure.url.chars().any(char::is_control), "a control character comes out again");
        }
    }
}

fn target_of_redirect(location: &str) {
    let intake = Intake { allow_ports: vec![80, 443], ..Intake::default() };
    let base = Url::parse("https://www.example.com:8443/a/b?c").expect("a plain URL");
    let Ok(target) = base.join(location) else { return };
    let verdict = intake.judge(&target);
    if verdict.is_ok() {
        within_the_rules(&target);
    }
    if matches!(target.scheme(), "http" | "https") {
        let again = intake.read(target.as_str());
        assert_eq!(again, verdict.map(|()| target), "a redirect's target is judged differently when typed");
    }
}

fn within_the_rules(url: &Url) {
    assert!(matches!(url.scheme(), "http" | "https"));
    assert!(url.as_str().len() <= fetch::intake::LONGEST_URL);
    assert!(url.username().is_empty() && url.password().is_none());
    assert!(matches!(url.port_or_known_default(), Some(80 | 443 | 8080 | 8443)));
    assert!(url.as_str().bytes().all(|byte| byte.is_ascii_graphic()), "more than visible ASCII would be sent: {url}");
    let host = url.host_str().expect("a host was judged");
    assert!(!host.is_empty() && host.len() <= 254 && host == host.to_ascii_lowercase());
    assert_eq!(Url::parse(url.as_str()).as_ref(), Ok(url), "the URL is another when read again");
}
