//! Keys of human verification, and the widgets of known verification services.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use super::secret::SecretText;
use super::values::is_kept_secret_on_the_way;

/// Hours that a verification lasts at most: 30 days.
const MOST_HOURS: u32 = 720;

/// What a refused setting is told: its key, and what it takes.
type Refused = (&'static str, &'static str);

/// Human verification of browsers on our own pages that spend the free allowance. Calls of the API never meet it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Challenge")]
pub struct ChallengeSettings {
    /// `off`, `altcha` (proof of work that this server makes and checks) or `siteverify` (an outside verification service).
    pub provider: ChallengeProvider,
    /// Public key of the site at the verification service.
    pub sitekey: Option<String>,
    /// Secret key of the site at the verification service.
    pub secret: Option<SecretText>,
    /// URL that takes `secret` and `response` as a form, such as `https://challenges.cloudflare.com/turnstile/v0/siteverify`.
    pub url: Option<String>,
    /// URL of the script of the service's widget; by default that of Turnstile, hCaptcha or reCAPTCHA where `url` is theirs.
    pub script: Option<String>,
    /// Hours that a verification lasts, 1 to 720.
    pub valid_hours: u32,
}

/// Who verifies that a visitor is human.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChallengeProvider {
    /// Nobody.
    Off,
    /// This server, by proof of work.
    Altcha,
    /// A verification service.
    Siteverify,
}

/// The widget of a verification service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerificationWidget {
    /// URL of its script.
    pub script: String,
    /// Sources of its scripts, frames, styles and requests (Content Security Policy), separated by spaces.
    pub sources: String,
}

/// A verification service whose widget is known.
struct KnownService {
    /// Host of its `siteverify` URL.
    host: &'static str,
    script: &'static str,
    sources: &'static str,
}

/// Verification services with the same interface, by their own documentation: a script that takes `render=explicit` and
/// `onload`, and gives a function `render`.
const KNOWN: [KnownService; 5] = [
    KnownService {
        host: "challenges.cloudflare.com",
        script: "https://challenges.cloudflare.com/turnstile/v0/api.js",
        sources: "https://challenges.cloudflare.com",
    },
    KnownService { host: "api.hcaptcha.com", script: HCAPTCHA, sources: HCAPTCHA_SOURCES },
    KnownService { host: "hcaptcha.com", script: HCAPTCHA, sources: HCAPTCHA_SOURCES },
    KnownService {
        host: "www.google.com",
        script: "https://www.google.com/recaptcha/api.js",
        sources: "https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/ https://recaptcha.google.com/recaptcha/",
    },
    KnownService {
        host: "www.recaptcha.net",
        script: "https://www.recaptcha.net/recaptcha/api.js",
        sources: "https://www.recaptcha.net/recaptcha/ https://www.gstatic.com/recaptcha/ https://www.gstatic.cn/recaptcha/",
    },
];
const HCAPTCHA: &str = "https://js.hcaptcha.com/1/api.js";
const HCAPTCHA_SOURCES: &str = "https://hcaptcha.com https://*.hcaptcha.com";

impl Default for ChallengeSettings {
    fn default() -> Self {
        Self { provider: ChallengeProvider::Off, sitekey: None, secret: None, url: None, script: None, valid_hours: 24 }
    }
}

impl ChallengeSettings {
    /// The widget of the verification service; `None` for an unknown service without `challenge.script`.
    pub fn widget(&self) -> Option<VerificationWidget> {
        if let Some(script) = &self.script {
            let sources = Url::parse(script).ok()?.origin().ascii_serialization();
            return Some(VerificationWidget { script: script.clone(), sources });
        }
        let url = Url::parse(self.url.as_deref()?).ok()?;
        let known = KNOWN.iter().find(|known| url.host_str() == Some(known.host))?;
        Some(VerificationWidget { script: known.script.to_owned(), sources: known.sources.to_owned() })
    }

    /// Values that must agree, and URLs that a secret may be sent to.
    pub(super) fn validate(&self) -> Result<(), Refused> {
        if !(1..=MOST_HOURS).contains(&self.valid_hours) {
            return Err(("challenge.valid_hours", "must be 1 to 720"));
        }
        for (key, url) in [("challenge.url", &self.url), ("challenge.script", &self.script)] {
            let is_taken = |text: &String| {
                Url::parse(text).is_ok_and(|url| {
                    matches!(url.scheme(), "http" | "https")
                        && is_kept_secret_on_the_way(&url)
                        && url.username().is_empty()
                        && url.password().is_none()
                })
            };
            if url.as_ref().is_some_and(|text| !is_taken(text)) {
                return Err((key, "must be an https URL without user name or password"));
            }
        }
        let is_text = |text: Option<&str>| text.is_some_and(|text| !text.trim().is_empty());
        if self.provider == ChallengeProvider::Siteverify {
            for (key, is_set) in [
                ("challenge.sitekey", is_text(self.sitekey.as_deref())),
                ("challenge.secret", is_text(self.secret.as_ref().map(SecretText::expose))),
                ("challenge.url", self.url.is_some()),
            ] {
                if !is_set {
                    return Err((key, "must be set where challenge.provider is siteverify"));
                }
            }
            if self.widget().is_none() {
                let takes = "must be set where challenge.url is not that of Turnstile, hCaptcha or reCAPTCHA";
                return Err(("challenge.script", takes));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_service_has_its_widget_and_another_one_is_told() {
        let of = |url: &str, script: Option<&str>| {
            let settings = ChallengeSettings {
                url: Some(url.to_owned()),
                script: script.map(str::to_owned),
                ..ChallengeSettings::default()
            };
            settings.widget().map(|widget| (widget.script, widget.sources))
        };
        let turnstile = of("https://challenges.cloudflare.com/turnstile/v0/siteverify", None).unwrap();
        assert_eq!(turnstile.0, "https://challenges.cloudflare.com/turnstile/v0/api.js");
        assert_eq!(of("https://verify.example.com/siteverify", None), None);
        let own = of("https://verify.example.com/siteverify", Some("https://verify.example.com/api.js?a=b")).unwrap();
        assert_eq!(own.1, "https://verify.example.com");
    }
}
