//! Tables of the configuration, except those about money.

use std::net::SocketAddr;
use std::path::PathBuf;

use ipnet::{IpNet, Ipv6Net};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::secret::SecretText;
use super::values::{FixedName, LabProvider, LogFormat, TargetPorts};

/// Memory of one password's hash in KiB (OWASP Password Storage Cheat Sheet: Argon2id, 19 MiB, 2 passes).
pub(super) const ARGON2_KIB: u32 = 19_456;
/// Passes of one password's hash (the same).
pub(super) const ARGON2_PASSES: u32 = 2;

/// Name of the product, and what its pages lead to.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Product {
    /// Name shown to people.
    pub name: String,
    /// Machine-readable id: lower-case letters, digits and hyphens.
    pub id: String,
    /// URL of the privacy policy, for the footer of every page; without it there is no such link.
    pub privacy_url: Option<String>,
    /// URL of the terms of service, likewise.
    pub terms_url: Option<String>,
    /// URL of the source code, likewise.
    pub source_url: Option<String>,
    /// Logo on printed reports instead of ours: a PNG, JPEG or WebP file of at most 256 KB, read at the start.
    pub logo: Option<PathBuf>,
}

/// The client that fetches audited pages.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fetch {
    /// Target networks (CIDR) that are otherwise refused: for tests and intranets, such as `127.0.0.0/8`.
    #[schemars(with = "Vec<String>")]
    pub allow_private: Vec<IpNet>,
    /// Target ports, or `["*"]` for any.
    pub allow_ports: TargetPorts,
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
    /// User agent of the client; by default product, version and the page that explains it.
    pub user_agent: Option<String>,
}

/// Field data of real visitors, from the Chrome UX Report.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "FieldData")]
pub struct FieldDataSettings {
    /// Key of the Chrome UX Report API; with it the address of each audited page is sent there. Off by default.
    pub crux_key: Option<SecretText>,
    /// URL of the method `records:queryRecord`.
    pub crux_endpoint: String,
}

/// Lab tests: one simulated visit of a page, measured by Lighthouse.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Lab")]
pub struct LabSettings {
    /// `off`, `pagespeed` (the PageSpeed Insights API, or a server that speaks the same JSON; needs `lab.key`) or
    /// `lighthouse` (the program on this machine).
    pub provider: LabProvider,
    /// URL of the method `runPagespeed`. The address of each tested page is sent there.
    pub url: String,
    /// Key of the PageSpeed Insights API.
    pub key: Option<SecretText>,
    /// Folder of the npm packages that `lighthouse` needs; by default `data/lab`.
    pub folder: Option<PathBuf>,
    /// The Chromium program for `lighthouse`; by default it is looked for where systems have it.
    pub chromium: Option<PathBuf>,
    /// Whether Chromium's sandbox is on for `lighthouse`. It does not work as root. Turn it off only inside a container that
    /// holds no secrets.
    pub sandbox: bool,
    /// Whether `lighthouse` also compares the page as scripts render it with its HTML, as `summary.rendered`.
    pub rendered: bool,
    /// Lab tests running at once, on all servers of one database.
    pub at_once: u32,
    /// Lab tests per network and hour.
    pub per_hour: u32,
    /// Lab tests per UTC day, on all servers of one database.
    pub per_day: u32,
}

/// Rate limits per network (an IPv4 address, an IPv6 /64), and concurrency limits of the process.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Limits")]
pub struct LimitSettings {
    /// Free audits per network and UTC day; ten times as many for the wider network (an IPv4 /24, an IPv6 /48).
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
    /// Audits fetching at once in the process. A quarter of these slots is reserved: a wider network (an IPv4 /24, an IPv6 /48)
    /// holds at most one of them.
    pub fetches: u16,
    /// Audits fetching at once for one caller.
    pub fetches_per_caller: u16,
    /// Audits fetching at once of one target (registrable domain, or the address itself).
    pub fetches_per_target: u16,
    /// Audits of one target per network and hour.
    pub audits_per_target_hour: u32,
    /// Free followed pages per owner.
    pub free_tabs: u32,
    /// Watched pages per owner.
    pub watched_pages: u32,
    /// Most pages of a site audit.
    pub site_pages: u32,
    /// Concurrent site audits per owner.
    pub site_runs: u32,
    /// Concurrent site audits, on all servers of one database; 1 to 256.
    pub site_runs_at_once: u32,
    /// Site audits started per network and hour.
    pub site_runs_per_hour: u32,
    /// Concurrent audits of one site, on all servers of one database.
    pub site_runs_per_target: u32,
    /// Audits of one site started per network and hour.
    pub site_runs_per_target_hour: u32,
    /// Watched sites per owner.
    pub site_watches: u32,
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

/// Outgoing mail.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Smtp {
    /// `smtp://user:password@host:port` or `smtps://…`; without it nothing that needs mail works. Over `smtp` the
    /// connection is secured by STARTTLS, always where there is a password, but not to this machine.
    pub url: Option<SecretText>,
    /// Sender of mail, such as `Site Audit <audit@example.com>`.
    pub from: Option<String>,
}

/// The contact form.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Mailbox of the team, such as `team@example.com`; without it, or without `smtp.url`, there is no contact form.
    pub to: Option<String>,
}

/// Accounts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// Key for CSRF tokens and for secrets at rest, at least 32 bytes. Made once and kept beside an embedded database by
    /// default; with `postgres://` all servers are given the same one, else accounts are off.
    pub secret: Option<SecretText>,
    /// The previous secret, while it is replaced: what it signed stays valid.
    pub previous_secret: Option<SecretText>,
    /// Memory of one password's hash in KiB, at least 19456 (Argon2id).
    pub argon2_kib: u32,
    /// Passes of one password's hash, at least 2.
    pub argon2_passes: u32,
}

/// The operator of this server.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Operator {
    /// Token of the operator's routes, sent as `Authorization: Bearer`; it begins with none of `pa_`, `mmk_`, `cred_`.
    pub token: Option<SecretText>,
}

/// The public statistics.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "ShowcaseSettings")]
pub struct ShowcaseSettings {
    /// Whether the dollars of credit sold within 30 days are published: `true` or `false`.
    pub revenue: bool,
    /// Public origins of other installations, such as `https://audit.example.com`, whose public statistics are read once an
    /// hour and shown beside ours to the operator.
    pub peers: Vec<String>,
}

/// The organization that runs the service, for the descriptions for programs.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Organization")]
pub struct OrganizationSettings {
    /// Its name; by default that of the product.
    pub name: Option<String>,
    /// Its site; by default the public origin.
    pub url: Option<String>,
    /// Its email address.
    pub email: Option<String>,
}

/// Contact for vulnerability reports.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Security {
    /// `mailto:`, `https:` or `tel:` URI for `/.well-known/security.txt`; without it there is no such file.
    pub contact: Option<String>,
}

/// Retention of stored data.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Retention {
    /// Days that an audit without an owner is kept.
    pub nobody_days: u32,
    /// Days that a guest's audits are kept after the guest was last seen.
    pub guest_days: u32,
    /// Days that a run over a site is kept after its end.
    pub site_days: u32,
    /// Days that a receipt of Pix is kept after the decision.
    pub receipt_days: u32,
}

/// Traces of requests, audits and jobs (OpenTelemetry).
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "Otel")]
pub struct OtelSettings {
    /// Base URL of the receiver, such as `http://127.0.0.1:4318`; traces are posted to `/v1/traces` below it (OTLP over HTTP,
    /// as JSON). Without it there are none.
    pub endpoint: Option<String>,
    /// The header `Authorization` for the receiver, such as `Bearer …`.
    pub authorization: Option<SecretText>,
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

impl Default for Product {
    fn default() -> Self {
        Self {
            name: "Site Audit".to_owned(),
            id: "site-audit".to_owned(),
            privacy_url: None,
            terms_url: None,
            source_url: None,
            logo: None,
        }
    }
}

impl Default for FieldDataSettings {
    fn default() -> Self {
        Self {
            crux_key: None,
            crux_endpoint: "https://chromeuxreport.googleapis.com/v1/records:queryRecord".to_owned(),
        }
    }
}

impl Default for LabSettings {
    fn default() -> Self {
        Self {
            provider: LabProvider::Off,
            url: "https://www.googleapis.com/pagespeedonline/v5/runPagespeed".to_owned(),
            key: None,
            folder: None,
            chromium: None,
            sandbox: true,
            rendered: false,
            at_once: 4,
            per_hour: 6,
            per_day: 500,
        }
    }
}

impl Default for LimitSettings {
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
            site_pages: 1_000,
            site_runs: 2,
            site_runs_at_once: 100,
            site_runs_per_hour: 20,
            site_runs_per_target: 2,
            site_runs_per_target_hour: 4,
            site_watches: 10,
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
        Self { nobody_days: 90, guest_days: 396, site_days: 90, receipt_days: 180 }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { format: None, filter: "info".to_owned() }
    }
}

impl OrganizationSettings {
    /// Its site.
    pub fn url(&self, base_url: &str) -> String {
        self.url.clone().unwrap_or_else(|| format!("{base_url}/"))
    }
}
