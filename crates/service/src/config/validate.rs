//! Validation of values that their type can't check: ranges, formats, and values that must agree.

use super::secret::SecretText;
use super::sections::{ARGON2_KIB, ARGON2_PASSES};
use super::settings::Config;
use super::values::{LabProvider, is_header_value};
use crate::credential::TokenKind;

/// Bytes of the server's secret at least; as many as the digests that are made with it (RFC 2104 section 3).
pub(crate) const SECRET_BYTES: usize = 32;

/// The most memory and passes that a sign-in is made to wait for: a second or two.
const ARGON2_MOST: (u32, u32) = (1024 * 1024, 16);

impl Config {
    /// What fits no type: values that must agree with each other, or are more than their shape.
    pub(super) fn validate(&self) -> Result<(), (&'static str, &'static str)> {
        if let Some(base) = &self.base_url {
            let origin = url::Url::parse(base).ok().filter(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.host().is_some()
                    && url.path() == "/"
                    && url.query().is_none()
                    && url.fragment().is_none()
                    && url.username().is_empty()
                    && url.password().is_none()
            });
            if origin.is_none() {
                return Err(("base_url", "must be an origin: http:// or https://, a host and at most a port"));
            }
        }
        self.validate_basics()?;
        self.validate_origins()?;
        self.validate_limits()?;
        self.validate_lab()?;
        self.validate_smtp()?;
        self.validate_otel()?;
        self.validate_secrets()?;
        self.validate_payments()?;
        self.partners.validate()?;
        self.validate_pix()?;
        self.challenge.validate()
    }

    /// Database, product and the fetching client.
    fn validate_basics(&self) -> Result<(), (&'static str, &'static str)> {
        let schemes = ["sqlite://", "postgres://", "postgresql://"];
        if !schemes.iter().any(|scheme| self.database_url.starts_with(scheme)) {
            return Err(("database_url", "must be sqlite://PATH or postgres://…"));
        }
        let id_byte = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if self.product.id.is_empty() || !self.product.id.bytes().all(id_byte) {
            return Err(("product.id", "must be lower-case letters, digits and hyphens"));
        }
        if self.product.name.trim().is_empty() || self.product.name.chars().any(char::is_control) {
            return Err(("product.name", "must be a name of at least one character, without control characters"));
        }
        for (key, value) in [
            ("product.privacy_url", &self.product.privacy_url),
            ("product.terms_url", &self.product.terms_url),
            ("product.source_url", &self.product.source_url),
        ] {
            let is_web = |url: url::Url| matches!(url.scheme(), "http" | "https") && url.has_host();
            if value.as_ref().is_some_and(|text| !url::Url::parse(text).is_ok_and(is_web)) {
                return Err((key, "takes an http or https URL"));
            }
        }
        if self.fetch.user_agent.as_ref().is_some_and(|agent| !is_header_value(agent)) {
            return Err(("fetch.user_agent", "must be a valid header value, without line breaks"));
        }
        let endpoint = url::Url::parse(&self.field_data.crux_endpoint);
        if !endpoint.is_ok_and(|url| matches!(url.scheme(), "http" | "https")) {
            return Err(("field_data.crux_endpoint", "must be an http or https URL"));
        }
        if self.field_data.crux_key.as_ref().is_some_and(|key| key.expose().trim().is_empty()) {
            return Err(("field_data.crux_key", "must be a key; leave it out to turn field data off"));
        }
        Ok(())
    }

    /// Origins of MCP callers, and how to reach the organization.
    fn validate_origins(&self) -> Result<(), (&'static str, &'static str)> {
        let is_origin = |text: &String| {
            url::Url::parse(text).is_ok_and(|url| url.origin().ascii_serialization() == text.trim_end_matches('/'))
        };
        if !self.mcp.allow_origins.iter().all(is_origin) {
            return Err(("mcp.allow_origins", "must be origins: http:// or https://, a host and at most a port"));
        }
        if !self.showcase.peers.iter().all(is_origin) {
            return Err(("showcase.peers", "must be origins: http:// or https://, a host and at most a port"));
        }
        if self.organization.url.as_ref().is_some_and(|url| !url::Url::parse(url).is_ok_and(|url| url.has_host())) {
            return Err(("organization.url", "must be an http or https URL"));
        }
        if self.organization.email.as_ref().is_some_and(|email| !email.contains('@')) {
            return Err(("organization.email", "must be an email address"));
        }
        let is_contact = |uri: &String| {
            ["mailto:", "https:", "tel:"].iter().any(|scheme| uri.starts_with(scheme)) && url::Url::parse(uri).is_ok()
        };
        if self.security.contact.as_ref().is_some_and(|uri| !is_contact(uri)) {
            return Err(("security.contact", "must be a mailto:, https: or tel: URI"));
        }
        Ok(())
    }

    /// Concurrency limits.
    fn validate_limits(&self) -> Result<(), (&'static str, &'static str)> {
        let limits = self.limits;
        for (key, value) in [
            ("limits.fetches", limits.fetches),
            ("limits.fetches_per_caller", limits.fetches_per_caller),
            ("limits.fetches_per_target", limits.fetches_per_target),
        ] {
            if value == 0 {
                return Err((key, "must be a number of at least 1"));
            }
        }
        // What more pages would take: the frontier and the report of a run are held in memory.
        if !(1..=100_000).contains(&limits.site_pages) {
            return Err(("limits.site_pages", "must be a number from 1 to 100000"));
        }
        // Callers who wait for the end of a run are told by one look at all that run.
        if !(1..=256).contains(&limits.site_runs_at_once) {
            return Err(("limits.site_runs_at_once", "must be a number from 1 to 256"));
        }
        Ok(())
    }

    fn validate_lab(&self) -> Result<(), (&'static str, &'static str)> {
        let lab = &self.lab;
        if !url::Url::parse(&lab.url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host()) {
            return Err(("lab.url", "must be an http or https URL"));
        }
        if lab.key.as_ref().is_some_and(|key| key.expose().trim().is_empty()) {
            return Err(("lab.key", "must be a key of the PageSpeed Insights API"));
        }
        if lab.provider == LabProvider::Pagespeed && lab.key.is_none() {
            return Err(("lab.key", "must be set while lab.provider is pagespeed"));
        }
        if lab.rendered && lab.provider != LabProvider::Lighthouse {
            return Err(("lab.rendered", "can be true only while lab.provider is lighthouse"));
        }
        if lab.at_once == 0 {
            return Err(("lab.at_once", "must be a number of at least 1"));
        }
        Ok(())
    }

    fn validate_smtp(&self) -> Result<(), (&'static str, &'static str)> {
        let is_server = |url: &SecretText| {
            url::Url::parse(url.expose()).is_ok_and(|url| {
                matches!(url.scheme(), "smtp" | "smtps")
                    && url.host_str().is_some_and(|host| !host.is_empty())
                    && matches!(url.path(), "" | "/")
                    && url.query().is_none()
                    && url.fragment().is_none()
            })
        };
        if self.smtp.url.as_ref().is_some_and(|url| !is_server(url)) {
            return Err(("smtp.url", "must be smtp:// or smtps://, a host, and at most a user, a password and a port"));
        }
        if self.smtp.from.as_ref().is_some_and(|from| from.parse::<lettre::message::Mailbox>().is_err()) {
            return Err(("smtp.from", "must be an email address such as Site Audit <audit@example.com>"));
        }
        if self.smtp.url.is_some() && self.smtp.from.is_none() {
            return Err(("smtp.from", "must be set while smtp.url is"));
        }
        if self.contact.to.as_ref().is_some_and(|to| to.parse::<lettre::Address>().is_err()) {
            return Err(("contact.to", "must be an email address, such as team@example.com"));
        }
        Ok(())
    }

    fn validate_otel(&self) -> Result<(), (&'static str, &'static str)> {
        let is_base = |url: &String| {
            url::Url::parse(url).is_ok_and(|url| {
                matches!(url.scheme(), "http" | "https")
                    && url.has_host()
                    && url.query().is_none()
                    && url.fragment().is_none()
                    && url.username().is_empty()
                    && url.password().is_none()
            })
        };
        if self.otel.endpoint.as_ref().is_some_and(|url| !is_base(url)) {
            return Err(("otel.endpoint", "must be an http or https URL without user, password and query"));
        }
        if self.otel.authorization.as_ref().is_some_and(|value| !is_header_value(value.expose())) {
            return Err(("otel.authorization", "must be a valid header value, without line breaks"));
        }
        Ok(())
    }

    fn validate_secrets(&self) -> Result<(), (&'static str, &'static str)> {
        let auth = &self.auth;
        for (key, secret) in [("auth.secret", &auth.secret), ("auth.previous_secret", &auth.previous_secret)] {
            if secret.as_ref().is_some_and(|secret| secret.expose().len() < SECRET_BYTES) {
                return Err((key, "must be at least 32 bytes; `openssl rand -base64 32` makes them"));
            }
        }
        if !(ARGON2_KIB..=ARGON2_MOST.0).contains(&auth.argon2_kib) {
            return Err(("auth.argon2_kib", "must be 19456 to 1048576"));
        }
        if !(ARGON2_PASSES..=ARGON2_MOST.1).contains(&auth.argon2_passes) {
            return Err(("auth.argon2_passes", "must be 2 to 16"));
        }
        let token = self.operator.token.as_ref().map(SecretText::expose);
        if token.is_some_and(|token| TokenKind::of(token).is_some() || token.trim() != token || token.is_empty()) {
            return Err((
                "operator.token",
                "must be a text without spaces around it that begins with none of pa_, mmk_, cred_",
            ));
        }
        Ok(())
    }
}
