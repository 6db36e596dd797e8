//! The configuration: one TOML file, environment over it, flags over both; every key has a default.
//!
//! The docstrings of the fields are the documentation of the keys: `docs/configuration.md` and the messages about bad
//! values are made from them.

mod keys;
mod money;
mod read;
mod secret;
mod values;

use std::net::SocketAddr;
use std::path::PathBuf;

use ipnet::{IpNet, Ipv6Net};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::credential::TokenKind;
use engine::FieldDataSource;

pub use keys::{Key, reference};
pub use money::{Payments, Pix, Prices};
pub use read::{ConfigError, Sources};
pub use secret::Secret;
pub use values::{FixedName, LogFormat, NamedUrl, PaymentMode, PaymentNetwork, Ports, Sku};

/// Bytes of the server's secret at least; as many as the digests that are made with it (RFC 2104 section 3).
pub(crate) const SECRET_BYTES: usize = 32;

/// Memory of one password's hash in KiB (OWASP Password Storage Cheat Sheet: Argon2id, 19 MiB, 2 passes).
const ARGON2_KIB: u32 = 19_456;
/// Passes of one password's hash (the same).
const ARGON2_PASSES: u32 = 2;
/// The most memory and passes that a sign-in is made to wait for: a second or two.
const ARGON2_MOST: (u32, u32) = (1024 * 1024, 16);

/// Everything an operator can set.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Address and port to listen on; port 0 picks a free one and prints it.
    pub listen: SocketAddr,
    /// Public origin, such as `https://audit.example.com`; every absolute link is built from it. By default that of `listen`.
    pub base_url: Option<String>,
    /// `sqlite://PATH` (made with its folder, readable by its owner only) or `postgres://…`.
    pub database_url: String,
    /// Networks (CIDR) of proxies whose `X-Forwarded-For` or `Forwarded` is believed; without it the peer is the caller,
    /// and all who come through a proxy share one quota and 128 connections.
    #[schemars(with = "Vec<String>")]
    pub trusted_proxies: Vec<IpNet>,
    /// What is free for the time being: `audit`, `tab`.
    pub free_now: Vec<Sku>,
    /// How the product is named.
    pub product: Product,
    /// The client that reads other people's pages.
    pub fetch: Fetch,
    /// What real visitors measured, from the Chrome UX Report.
    pub field_data: FieldData,
    /// What one network may do.
    pub limits: Limits,
    /// What is asked for beyond the free allowance.
    pub prices: Prices,
    /// Payment by x402.
    pub payments: Payments,
    /// The MCP server.
    pub mcp: Mcp,
    /// How mail is sent.
    pub smtp: Smtp,
    /// Accounts.
    pub auth: Auth,
    /// Who runs this server.
    pub operator: Operator,
    /// Who runs the service.
    pub organization: Organization,
    /// Whom to tell of a weakness.
    pub security: Security,
    /// Credit that is paid by Pix, and released by a person.
    pub pix: Pix,
    /// How long things are kept.
    pub retention: Retention,
    /// Logs, written to standard error.
    pub log: Log,
}

/// How the product is named.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Product {
    /// The name that is shown.
    pub name: String,
    /// The id in machine-readable places: lower-case letters, digits and hyphens.
    pub id: String,
}

/// The client that reads other people's pages.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fetch {
    /// Target networks (CIDR) that are otherwise refused: for tests and intranets, such as `127.0.0.0/8`.
    #[schemars(with = "Vec<String>")]
    pub allow_private: Vec<IpNet>,
    /// Target ports, or `["*"]` for any.
    pub allow_ports: Ports,
    /// Addresses of names, as `host=ip`, instead of DNS; judged like any other.
    pub resolve: Vec<FixedName>,
    /// Address and port of the resolver to ask; by default the system's.
    pub dns: Option<SocketAddr>,
    /// More refused target networks (CIDR).
    #[schemars(with = "Vec<String>")]
    pub deny: Vec<IpNet>,
    /// NAT64 prefixes to unwrap before an address is judged.
    #[schemars(with = "Vec<String>")]
    pub nat64: Vec<Ipv6Net>,
    /// File with more trust anchors (PEM).
    pub ca_file: Option<PathBuf>,
    /// What the client calls itself; by default product, version and the page that explains it.
    pub user_agent: Option<String>,
}

/// What real visitors measured, from the Chrome UX Report.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FieldData {
    /// Key of the Chrome UX Report API; with it the address of each audited page is sent there. By default nobody is asked.
    pub crux_key: Option<String>,
    /// URL of the method `records:queryRecord`.
    pub crux_endpoint: String,
}

/// What one network (an IPv4 address, an IPv6 /64) may do, and what the process does at once.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Free audits per network and UTC day.
    pub free_audits_per_day: u32,
    /// Audits per network and hour, free or paid. As many payments for tabs and credit, and ten times as many of both for
    /// the wider network (an IPv4 /24, an IPv6 /48).
    pub audits_per_hour: u32,
    /// Guest tokens made per network and hour.
    pub guests_per_hour: u32,
    /// Pages verified per network and hour.
    pub verifications_per_hour: u32,
    /// Refused target addresses per network and hour, before its audits are refused for a while.
    pub refused_per_hour: u32,
    /// Audits fetching at once in the process.
    pub fetches: u16,
    /// Audits fetching at once for one caller.
    pub fetches_per_caller: u16,
    /// Audits fetching at once of one target (registrable domain, or the address itself).
    pub fetches_per_target: u16,
    /// Audits of one target per network and hour.
    pub audits_per_target_hour: u32,
    /// Free tabs per owner.
    pub free_tabs: u32,
    /// Pages that one owner may have watched.
    pub watched_pages: u32,
}

/// The MCP server.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Mcp {
    /// Origins, such as `https://chat.example.com`, whose pages may call `/mcp` from a browser, besides our own.
    pub allow_origins: Vec<String>,
    /// The line of `/.well-known/mcp-registry-auth`, which proves to the MCP registry whose host this is; without it
    /// there is no such file.
    pub registry_auth: Option<String>,
}

/// How mail is sent.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Smtp {
    /// `smtp://user:password@host:port` or `smtps://…`; without it nothing that needs mail works. Over `smtp` the
    /// connection is secured by STARTTLS, always where there is a password, but not to this machine.
    pub url: Option<Secret>,
    /// Who mail is from, such as `Site Audit <audit@example.com>`.
    pub from: Option<String>,
}

/// Accounts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// Key for CSRF tokens and for secrets at rest, at least 32 bytes. Made once and kept beside an embedded database by
    /// default; with `postgres://` all servers are given the same one, else accounts are off.
    pub secret: Option<Secret>,
    /// The secret before, while a new one takes over: what it made stays good.
    pub previous_secret: Option<Secret>,
    /// Memory of one password's hash in KiB, at least 19456 (Argon2id).
    pub argon2_kib: u32,
    /// Passes of one password's hash, at least 2.
    pub argon2_passes: u32,
}

/// Who runs this server.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Operator {
    /// Token of the operator's routes, sent as `Authorization: Bearer`; it begins with none of `pa_`, `mmk_`, `cred_`.
    pub token: Option<Secret>,
}

/// Who runs the service: in the descriptions for programs.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Organization {
    /// Its name; by default that of the product.
    pub name: Option<String>,
    /// Its site; by default the public origin.
    pub url: Option<String>,
    /// Its mail address.
    pub email: Option<String>,
}

/// Whom to tell of a weakness.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Security {
    /// `mailto:`, `https:` or `tel:` URI for `/.well-known/security.txt`; without it there is no such file.
    pub contact: Option<String>,
}

/// How long things are kept.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days that an audit of nobody is kept.
    pub nobody_days: u32,
    /// Days that a guest's audits are kept after the guest was last seen.
    pub guest_days: u32,
    /// Days that a receipt of Pix is kept after the decision.
    pub receipt_days: u32,
}

/// Logs.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// `text` or `json`; by default `text` on a terminal, else `json`.
    pub format: Option<LogFormat>,
    /// What is logged: a level (`error`, `warn`, `info`, `debug`) or a list such as `info,site_audit=debug`.
    pub filter: String,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            base_url: None,
            database_url: "sqlite://data/site-audit.db".to_owned(),
            product: Product::default(),
            fetch: Fetch::default(),
            trusted_proxies: Vec::new(),
            field_data: FieldData::default(),
            limits: Limits::default(),
            prices: Prices::default(),
            free_now: Vec::new(),
            payments: Payments::default(),
            mcp: Mcp::default(),
            smtp: Smtp::default(),
            auth: Auth::default(),
            operator: Operator::default(),
            organization: Organization::default(),
            security: Security::default(),
            pix: Pix::default(),
            retention: Retention::default(),
            log: Log::default(),
        }
    }
}

impl Default for Product {
    fn default() -> Self {
        Self { name: "Site Audit".to_owned(), id: "site-audit".to_owned() }
    }
}

impl Default for FieldData {
    fn default() -> Self {
        Self {
            crux_key: None,
            crux_endpoint: "https://chromeuxreport.googleapis.com/v1/records:queryRecord".to_owned(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            free_audits_per_day: 10,
            audits_per_hour: 300,
            guests_per_hour: 30,
            verifications_per_hour: 120,
            refused_per_hour: 30,
            fetches: 64,
            fetches_per_caller: 8,
            fetches_per_target: 4,
            audits_per_target_hour: 60,
            free_tabs: 20,
            watched_pages: 50,
        }
    }
}

impl Default for Auth {
    fn default() -> Self {
        Self { secret: None, previous_secret: None, argon2_kib: ARGON2_KIB, argon2_passes: ARGON2_PASSES }
    }
}

impl Default for Retention {
    fn default() -> Self {
        // 13 months, as for the cookie that holds a guest's token.
        Self { nobody_days: 90, guest_days: 396, receipt_days: 180 }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { format: None, filter: "info".to_owned() }
    }
}

impl Organization {
    /// Its name.
    pub fn name<'c>(&'c self, config: &'c Config) -> &'c str {
        self.name.as_deref().unwrap_or(&config.product.name)
    }

    /// Its site.
    pub fn url(&self, base_url: &str) -> String {
        self.url.clone().unwrap_or_else(|| format!("{base_url}/"))
    }
}

impl Config {
    /// Whether calls beyond the allowance are charged or let through.
    pub fn payment_mode(&self) -> PaymentMode {
        let by_default = if self.payments.pay_to.is_some() { PaymentMode::Live } else { PaymentMode::Dev };
        self.payments.mode.unwrap_or(by_default)
    }

    /// What the fetching client calls itself; `base_url` names the page that explains it.
    pub fn user_agent(&self, base_url: &str) -> String {
        self.fetch.user_agent.clone().unwrap_or_else(|| {
            let name: String = self.product.name.split_whitespace().collect();
            format!("{name}/{} (+{base_url}/bot)", env!("CARGO_PKG_VERSION"))
        })
    }

    /// How the fetching client is set up.
    pub(crate) fn fetch_config(&self, base_url: &str, own_address: SocketAddr) -> fetch::FetchConfig {
        fetch::FetchConfig {
            allow_private: self.fetch.allow_private.clone(),
            allow_ports: self.fetch.allow_ports.list(),
            resolve: self.fetch.resolve.iter().map(|fixed| (fixed.name.clone(), fixed.address)).collect(),
            dns: self.fetch.dns,
            deny: self.fetch.deny.clone(),
            nat64: self.fetch.nat64.clone(),
            ca_file: self.fetch.ca_file.clone(),
            user_agent: self.user_agent(base_url),
            own_addresses: vec![own_address],
            limits: fetch::Limits::default(),
        }
    }

    /// Where field data is asked for; `None` where nobody is.
    pub(crate) fn field_data_source(&self) -> Option<FieldDataSource> {
        let key = self.field_data.crux_key.as_deref()?;
        let mut endpoint = url::Url::parse(&self.field_data.crux_endpoint).ok()?;
        endpoint.query_pairs_mut().append_pair("key", key);
        Some(FieldDataSource::new(endpoint))
    }

    /// What fits no type: values that must agree with each other, or are more than their shape.
    fn validate(&self) -> Result<(), (&'static str, &'static str)> {
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
                return Err(("base_url", "takes an origin: http:// or https://, a host and at most a port"));
            }
        }
        let known = ["sqlite://", "postgres://", "postgresql://"];
        if !known.iter().any(|scheme| self.database_url.starts_with(scheme)) {
            return Err(("database_url", "takes sqlite://PATH or postgres://…"));
        }
        let id_byte = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if self.product.id.is_empty() || !self.product.id.bytes().all(id_byte) {
            return Err(("product.id", "takes lower-case letters, digits and hyphens"));
        }
        if self.product.name.trim().is_empty() || self.product.name.chars().any(char::is_control) {
            return Err(("product.name", "takes a name of at least one character, without control characters"));
        }
        if self.fetch.user_agent.as_ref().is_some_and(|agent| !is_header_value(agent)) {
            return Err(("fetch.user_agent", "takes a text that can stand in a header, without line ends"));
        }
        let endpoint = url::Url::parse(&self.field_data.crux_endpoint);
        if !endpoint.is_ok_and(|url| matches!(url.scheme(), "http" | "https")) {
            return Err(("field_data.crux_endpoint", "takes an http or https URL"));
        }
        if self.field_data.crux_key.as_ref().is_some_and(|key| key.trim().is_empty()) {
            return Err(("field_data.crux_key", "takes a key; leave it out where nobody is to be asked"));
        }
        let is_origin = |text: &String| {
            url::Url::parse(text).is_ok_and(|url| url.origin().ascii_serialization() == text.trim_end_matches('/'))
        };
        if !self.mcp.allow_origins.iter().all(is_origin) {
            return Err(("mcp.allow_origins", "takes origins: http:// or https://, a host and at most a port"));
        }
        if self.organization.url.as_ref().is_some_and(|url| !url::Url::parse(url).is_ok_and(|url| url.has_host())) {
            return Err(("organization.url", "takes an http or https URL"));
        }
        if self.organization.email.as_ref().is_some_and(|email| !email.contains('@')) {
            return Err(("organization.email", "takes a mail address"));
        }
        let is_contact = |uri: &String| {
            ["mailto:", "https:", "tel:"].iter().any(|scheme| uri.starts_with(scheme)) && url::Url::parse(uri).is_ok()
        };
        if self.security.contact.as_ref().is_some_and(|uri| !is_contact(uri)) {
            return Err(("security.contact", "takes a mailto:, https: or tel: URI"));
        }
        let limits = self.limits;
        for (key, value) in [
            ("limits.fetches", limits.fetches),
            ("limits.fetches_per_caller", limits.fetches_per_caller),
            ("limits.fetches_per_target", limits.fetches_per_target),
        ] {
            if value == 0 {
                return Err((key, "takes a number of at least 1"));
            }
        }
        self.validate_smtp()?;
        self.validate_secrets()?;
        self.validate_payments()?;
        self.validate_pix()
    }

    fn validate_smtp(&self) -> Result<(), (&'static str, &'static str)> {
        let is_server = |url: &Secret| {
            url::Url::parse(url.expose()).is_ok_and(|url| {
                matches!(url.scheme(), "smtp" | "smtps")
                    && url.host_str().is_some_and(|host| !host.is_empty())
                    && matches!(url.path(), "" | "/")
                    && url.query().is_none()
                    && url.fragment().is_none()
            })
        };
        if self.smtp.url.as_ref().is_some_and(|url| !is_server(url)) {
            return Err(("smtp.url", "takes smtp:// or smtps://, a host, and at most a user, a password and a port"));
        }
        if self.smtp.from.as_ref().is_some_and(|from| from.parse::<lettre::message::Mailbox>().is_err()) {
            return Err(("smtp.from", "takes an address, such as Site Audit <audit@example.com>"));
        }
        if self.smtp.url.is_some() && self.smtp.from.is_none() {
            return Err(("smtp.from", "must be set while smtp.url is"));
        }
        Ok(())
    }

    fn validate_secrets(&self) -> Result<(), (&'static str, &'static str)> {
        let auth = &self.auth;
        for (key, secret) in [("auth.secret", &auth.secret), ("auth.previous_secret", &auth.previous_secret)] {
            if secret.as_ref().is_some_and(|secret| secret.expose().len() < SECRET_BYTES) {
                return Err((key, "takes at least 32 bytes; `openssl rand -base64 32` makes them"));
            }
        }
        if !(ARGON2_KIB..=ARGON2_MOST.0).contains(&auth.argon2_kib) {
            return Err(("auth.argon2_kib", "takes 19456 to 1048576"));
        }
        if !(ARGON2_PASSES..=ARGON2_MOST.1).contains(&auth.argon2_passes) {
            return Err(("auth.argon2_passes", "takes 2 to 16"));
        }
        let token = self.operator.token.as_ref().map(Secret::expose);
        if token.is_some_and(|token| TokenKind::of(token).is_some() || token.trim() != token || token.is_empty()) {
            return Err((
                "operator.token",
                "takes a text without spaces around it that begins with none of pa_, mmk_, cred_",
            ));
        }
        Ok(())
    }
}

/// Whether a text can be the value of a header (RFC 9110 section 5.5).
fn is_header_value(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\t' || (byte >= 0x20 && byte != 0x7F))
}
