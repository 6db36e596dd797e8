//! The root of the configuration, and settings derived from several tables.

use std::net::SocketAddr;

use engine::FieldDataSource;
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::challenge::ChallengeSettings;
use super::money::{PaymentSettings, Pix, Prices};
use super::partners::PartnerSettings;
use super::sections::{
    Auth, Contact, Fetch, FieldDataSettings, LabSettings, LimitSettings, Log, Mcp, Operator, OrganizationSettings,
    OtelSettings, Product, Retention, Security, ShowcaseSettings, Smtp,
};
use super::values::{PaymentMode, Sku, listening_address};

/// Everything an operator can set.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Address and port to listen on; port 0 picks a free one and prints it.
    #[serde(deserialize_with = "listening_address")]
    pub listen: SocketAddr,
    /// Public origin, such as `https://audit.example.com`; every absolute link is built from it. By default that of `listen`.
    pub base_url: Option<String>,
    /// `sqlite://PATH` (made with its folder, readable by its owner only) or `postgres://…`.
    pub database_url: String,
    /// Networks (CIDR) of proxies whose `X-Forwarded-For` or `Forwarded` is believed; without it the peer is the caller,
    /// and all who come through a proxy share one quota and 128 connections.
    #[schemars(with = "Vec<String>")]
    pub trusted_proxies: Vec<IpNet>,
    /// What is currently free: `audit`, `tab`.
    pub free_now: Vec<Sku>,
    /// How the product is named.
    pub product: Product,
    /// The client that reads other people's pages.
    pub fetch: Fetch,
    /// What real visitors measured, from the Chrome UX Report.
    pub field_data: FieldDataSettings,
    /// Lab tests.
    pub lab: LabSettings,
    /// What one network may do.
    pub limits: LimitSettings,
    /// What is asked for beyond the free allowance.
    pub prices: Prices,
    /// Payment by x402.
    pub payments: PaymentSettings,
    /// The MCP server.
    pub mcp: Mcp,
    /// How mail is sent.
    pub smtp: Smtp,
    /// The contact form.
    pub contact: Contact,
    /// Accounts.
    pub auth: Auth,
    /// Who runs this server.
    pub operator: Operator,
    /// The public statistics.
    pub showcase: ShowcaseSettings,
    /// Who runs the service.
    pub organization: OrganizationSettings,
    /// Contact for vulnerability reports.
    pub security: Security,
    /// Credit that is paid by Pix, and released by a person.
    pub pix: Pix,
    /// What is offered to partners and sponsors.
    pub partners: PartnerSettings,
    /// How long things are kept.
    pub retention: Retention,
    /// Human verification, before a browser spends the free allowance on a page of ours.
    pub challenge: ChallengeSettings,
    /// Logs, written to standard error.
    pub log: Log,
    /// Traces, sent to a receiver of OpenTelemetry.
    pub otel: OtelSettings,
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
            field_data: FieldDataSettings::default(),
            lab: LabSettings::default(),
            limits: LimitSettings::default(),
            prices: Prices::default(),
            free_now: Vec::new(),
            payments: PaymentSettings::default(),
            mcp: Mcp::default(),
            smtp: Smtp::default(),
            contact: Contact::default(),
            auth: Auth::default(),
            operator: Operator::default(),
            showcase: ShowcaseSettings::default(),
            organization: OrganizationSettings::default(),
            security: Security::default(),
            pix: Pix::default(),
            partners: PartnerSettings::default(),
            retention: Retention::default(),
            challenge: ChallengeSettings::default(),
            log: Log::default(),
            otel: OtelSettings::default(),
        }
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
            local_names: false,
            dns: self.fetch.dns,
            deny: self.fetch.deny.clone(),
            nat64: self.fetch.nat64.clone(),
            ca_file: self.fetch.ca_file.clone(),
            user_agent: self.user_agent(base_url),
            own_addresses: vec![own_address],
            limits: fetch::FetchTimeouts::default(),
        }
    }

    /// Where field data is asked for; `None` where nobody is.
    pub(crate) fn field_data_source(&self) -> Option<FieldDataSource> {
        let key = self.field_data.crux_key.as_ref()?.expose();
        let mut endpoint = url::Url::parse(&self.field_data.crux_endpoint).ok()?;
        endpoint.query_pairs_mut().append_pair("key", key);
        Some(FieldDataSource::new(endpoint))
    }
}

impl OrganizationSettings {
    /// Its name.
    pub fn name<'c>(&'c self, config: &'c Config) -> &'c str {
        self.name.as_deref().unwrap_or(&config.product.name)
    }
}
