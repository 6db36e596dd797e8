//! URL intake: checks of the text of a URL, before any network access.

use std::collections::HashSet;

use model::capture::FailureKind;
use url::{Host, Url};

/// Length limit of a URL in bytes, as typed and as serialised.
pub const LONGEST_URL: usize = 2_048;
/// Length limit of a host in bytes, without the final dot (RFC 1035 §2.3.4).
const LONGEST_HOST: usize = 253;
/// Length limit of one label of a host in bytes (RFC 1035 §2.3.4).
const LONGEST_LABEL: usize = 63;

/// Names that are not on the public internet (RFC 6761, 6762, 7686, 8375, 9476, and usual private ones).
const SPECIAL: [&str; 11] =
    ["localhost", "local", "internal", "home.arpa", "lan", "test", "invalid", "example", "onion", "alt", "localdomain"];

/// Rules on the text of a URL.
#[derive(Debug, Clone, Default)]
pub struct Intake {
    /// Ports that may be contacted; empty for any.
    pub allow_ports: Vec<u16>,
    /// Names whose address is configured: exempt from the special names.
    pub known_names: HashSet<String>,
    /// Whether special names, and those of one label, are taken.
    pub local_names: bool,
}

/// A refusal: its kind, and its reason, the word that `detail` starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UrlRefusal {
    /// [`FailureKind::InvalidUrl`] or [`FailureKind::AddressNotAllowed`].
    pub kind: FailureKind,
    /// `scheme`, `userinfo`, `control_character`, `too_long`, `syntax`, `port`, `host` or `address`.
    pub reason: &'static str,
}

const fn invalid(reason: &'static str) -> UrlRefusal {
    UrlRefusal { kind: FailureKind::InvalidUrl, reason }
}

impl Intake {
    /// Reads a URL as typed.
    pub fn read(&self, text: &str) -> Result<Url, UrlRefusal> {
        let text = text.trim_matches(' ');
        // Checked on the raw text: the parser silently removes tabs and line ends.
        if text.chars().any(char::is_control) {
            return Err(invalid("control_character"));
        }
        if text.len() > LONGEST_URL {
            return Err(invalid("too_long"));
        }
        let scheme = text.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        if !matches!(scheme.as_deref(), Some("http" | "https")) {
            return Err(invalid("scheme"));
        }
        let url = Url::parse(text).map_err(|_| invalid("syntax"))?;
        // Checked on the raw text: the parser removes an empty user name.
        if has_userinfo(text) {
            return Err(invalid("userinfo"));
        }
        self.judge(&url)?;
        Ok(url)
    }

    /// Checks a parsed URL of a caller or of a redirect.
    pub fn judge(&self, url: &Url) -> Result<(), UrlRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid("scheme"));
        }
        if url.as_str().len() > LONGEST_URL {
            return Err(invalid("too_long"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("userinfo"));
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if port == 0 || !self.allow_ports.is_empty() && !self.allow_ports.contains(&port) {
            return Err(invalid("port"));
        }
        match url.host() {
            Some(Host::Domain(host)) => self.judge_host(host),
            Some(_) => Ok(()),
            None => Err(invalid("syntax")),
        }
    }

    fn judge_host(&self, host: &str) -> Result<(), UrlRefusal> {
        let host = host.strip_suffix('.').unwrap_or(host);
        let bad_label = host.split('.').any(|label| label.is_empty() || label.len() > LONGEST_LABEL);
        if host.len() > LONGEST_HOST || bad_label {
            return Err(invalid("host"));
        }
        if self.local_names || self.known_names.contains(host) {
            return Ok(());
        }
        let special =
            SPECIAL.iter().any(|name| host == *name || host.strip_suffix(name).is_some_and(|h| h.ends_with('.')));
        if special || !host.contains('.') {
            return Err(UrlRefusal { kind: FailureKind::AddressNotAllowed, reason: "address" });
        }
        Ok(())
    }
}

/// Whether the authority of an http or https URL has an `@`, and so a user name, which may be empty
/// (<https://url.spec.whatwg.org/#authority-state>).
fn has_userinfo(text: &str) -> bool {
    let after_scheme = text.split_once(':').map_or("", |(_, rest)| rest).trim_start_matches(['/', '\\']);
    after_scheme.split(['/', '\\', '?', '#']).next().is_some_and(|authority| authority.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reason(text: &str) -> Option<&'static str> {
        let intake = Intake {
            allow_ports: vec![80, 443, 8080, 8443],
            known_names: ["intranet".to_owned()].into(),
            local_names: false,
        };
        intake.read(text).err().map(|refusal| refusal.reason)
    }

    fn check(reason_wanted: Option<&str>, texts: &[&str]) {
        for text in texts {
            assert_eq!(reason(text), reason_wanted, "{text}");
        }
    }

    #[test]
    fn u01_u02_u04_u19_schemes_userinfo_and_control_characters_are_refused() {
        check(
            Some("scheme"),
            &[
                "ftp://example.com/",
                "gopher://x/",
                "ws://x/",
                "file:///some/file",
                "data:text/html,x",
                "javascript:alert(1)",
                "blob:https://x/",
                "view-source:http://x/",
                "example.com",
                "//example.com/",
                "",
            ],
        );
        check(
            Some("userinfo"),
            &[
                "http://user:pw@example.com/",
                "http://user@example.com/",
                "http://example.com:80@127.0.0.1/",
                "http://127.0.0.1%2f@example.com/",
                "http://example.com%23@evil.test/",
                "http://@example.com/",
                "http://:@example.com/",
                "http:@example.com",
                "https:\\\\@example.com\\x",
            ],
        );
        check(
            Some("control_character"),
            &["http://exa\tmple.com/", "http://example.com/\r\nX: y", "http://e.com/\0", "http://e.com/\u{85}"],
        );
    }

    #[test]
    fn u06_to_u12_u17_length_syntax_port_and_host_are_refused() {
        check(
            Some("too_long"),
            &[&format!("http://example.com/{}", "a".repeat(2_048)), &format!("http://example.com/{}", "é".repeat(600))],
        );
        check(
            Some("syntax"),
            &[
                "http://example.com:65536/",
                "http://example.com:80:80/",
                "http://example.com:\u{ff18}\u{ff10}/",
                "http://:80/",
                "http://@/",
                "http://[]/",
                "http://[::1",
                "http://[1::2::3]/",
                "http://[::ffff:127.1]/",
                "http://127.0.0.256/",
                "http://1.2.3.4.5/",
                "http://4294967296/",
                "http://0x100000001/",
                "http://foo.0x4/",
                "http://[fe80::1%25eth0]/",
                "http://[fe80::1%eth0]/",
                "http://xn--/",
                "http://xn--zzz---/",
            ],
        );
        for port in [0, 22, 25, 6379, 9200] {
            check(Some("port"), &[&format!("http://example.com:{port}/")]);
        }
        check(
            Some("host"),
            &[
                "http://example..com/",
                "http://.example.com/",
                &format!("http://{}.com/", "a".repeat(64)),
                &format!("http://{}com/", "a.".repeat(126)),
            ],
        );
    }

    #[test]
    fn u03_u05_u09_u16_u20_ordinary_spellings_pass() {
        check(
            None,
            &[
                " http://example.com/ ",
                "http://example.com/%0d%0aX:y",
                "http://example.com:00080/",
                "http://example.com:/",
                "http://example.com./",
                "http://münchen.de/",
                "http:example.com",
                "https:/example.com",
                "http:\\\\example.com\\x",
                "http://intranet/",
                "http://example.com/@x?@#@",
                "http://example.com?@",
                "http:\\\\example.com\\@x",
            ],
        );
    }

    #[test]
    fn u13_u18_a_host_is_told_as_it_was_read() {
        let intake = Intake { allow_ports: vec![80, 443], known_names: ["none".to_owned()].into(), local_names: false };
        for (text, host) in [
            ("http://example.com./", "example.com."),
            ("http://exam\u{ad}ple.com/", "example.com"),
            ("http://exa\u{200b}mple.com/", "example.com"),
            ("http://\u{17f}ite.com/", "site.com"),
            ("http://\u{24d4}xample.com/", "example.com"),
        ] {
            assert_eq!(intake.read(text).unwrap().host_str(), Some(host), "{text:?}");
        }
    }

    #[test]
    fn u14_u15_names_off_the_public_internet_are_refused() {
        check(
            Some("address"),
            &[
                "http://single/",
                "http://1e3/",
                "http://localhost/",
                "http://LOCALHOST./",
                "http://x.localhost/",
                "http://a.local/",
                "http://a.internal/",
                "http://a.home.arpa/",
                "http://a.lan/",
                "http://a.test/",
                "http://a.invalid/",
                "http://a.example/",
                "http://a.onion/",
                "http://a.alt/",
            ],
        );
        check(None, &["http://mylocal.com/", "http://example.com/"]);
        let of_this_machine = Intake { local_names: true, ..Intake::default() };
        for text in ["http://localhost:3000/", "http://intranet/", "http://shop.test/"] {
            assert!(of_this_machine.read(text).is_ok(), "{text}");
        }
        assert_eq!(of_this_machine.read("http://a..test/").unwrap_err().reason, "host");
    }

    proptest! {
        #[test]
        fn what_passes_stays_itself_when_written_and_read_again(text in "https?://[a-zA-Z0-9é.:@%/?#\\[\\]-]{0,40}") {
            let intake = Intake::default();
            if let Ok(url) = intake.read(&text) {
                let again = intake.read(url.as_str());
                prop_assert_eq!(again.as_ref(), Ok(&url));
            }
        }
    }
}
