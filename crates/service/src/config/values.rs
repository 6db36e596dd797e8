//! Values of keys that are more than a number or a text.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Whether calls beyond the allowance are charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PaymentMode {
    /// They are.
    Live,
    /// They are let through unpaid.
    Dev,
}

/// Who runs lab tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LabProvider {
    /// Nobody.
    #[default]
    Off,
    /// The PageSpeed Insights API, or a server that speaks the same JSON.
    Pagespeed,
    /// The program `lighthouse` on this machine.
    Lighthouse,
}

/// The chain on which USDC is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PaymentNetwork {
    /// Production.
    Base,
    /// Staging, with test money.
    BaseSepolia,
}

/// Something with a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sku {
    /// One audit.
    Audit,
    /// One followed page beyond the free ones.
    Tab,
}

impl Sku {
    /// Its name in the configuration and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Audit => "audit",
            Self::Tab => "tab",
        }
    }
}

/// `name=URL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedUrl {
    /// Name shown to people.
    pub name: String,
    /// An http or https URL.
    pub url: String,
}

impl<'de> Deserialize<'de> for NamedUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("{text:?} is not name=URL"));
        let (name, url) = text.split_once('=').ok_or_else(wrong)?;
        let (name, url) = (name.trim().to_owned(), url.trim().to_owned());
        let is_web = url::Url::parse(&url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if is_web && !name.is_empty() { Ok(Self { name, url }) } else { Err(wrong()) }
    }
}

impl Serialize for NamedUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}={}", self.name, self.url))
    }
}

impl JsonSchema for NamedUrl {
    fn schema_name() -> Cow<'static, str> {
        "NamedUrl".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Lines for a person.
    Text,
    /// JSON lines.
    Json,
}

/// Target ports: a list, or any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetPorts {
    /// `["*"]`.
    Any,
    /// These.
    These(Vec<u16>),
}

impl TargetPorts {
    /// As the client takes them: empty for any.
    pub(super) fn list(&self) -> Vec<u16> {
        match self {
            Self::Any => Vec::new(),
            Self::These(ports) => ports.clone(),
        }
    }
}

impl Default for TargetPorts {
    fn default() -> Self {
        Self::These(vec![80, 443, 8080, 8443])
    }
}

/// One entry of the list: the environment gives texts, TOML numbers or texts.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum PortEntry {
    Number(u16),
    Text(String),
}

impl<'de> Deserialize<'de> for TargetPorts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut ports = Vec::new();
        let entries = Vec::<PortEntry>::deserialize(deserializer)
            .map_err(|_| D::Error::custom("expected port numbers, or [\"*\"]"))?;
        for entry in entries {
            match entry {
                PortEntry::Text(any) if any == "*" => return Ok(Self::Any),
                PortEntry::Number(port) => ports.push(port),
                PortEntry::Text(text) => ports.push(
                    text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not a port number or \"*\"")))?,
                ),
            }
        }
        if ports.is_empty() || ports.contains(&0) {
            return Err(D::Error::custom("expected port numbers from 1 to 65535, or [\"*\"]"));
        }
        Ok(Self::These(ports))
    }
}

impl Serialize for TargetPorts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Any => ["*"].serialize(serializer),
            Self::These(ports) => ports.serialize(serializer),
        }
    }
}

impl JsonSchema for TargetPorts {
    fn schema_name() -> Cow<'static, str> {
        "Ports".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "array", "items": generator.subschema_for::<PortEntry>()})
    }
}

/// The address to listen on. A name is refused, as it may stand for several addresses.
pub(super) fn listening_address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.trim().parse().map_err(|_| {
        let takes = "must be an IP address and a port, such as 127.0.0.1:8080 (this machine only) or 0.0.0.0:8080 (every network)";
        D::Error::custom(format!("{takes}, not {text:?}"))
    })
}

/// `host=ip`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedName {
    /// The host name, lower case.
    pub name: String,
    /// Its address.
    pub address: IpAddr,
}

impl<'de> Deserialize<'de> for FixedName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let wrong = || D::Error::custom(format!("{text:?} is not host=ip"));
        let (name, address) = text.split_once('=').ok_or_else(wrong)?;
        let address = address.trim().parse().map_err(|_| wrong())?;
        Ok(Self { name: name.trim().to_ascii_lowercase(), address })
    }
}

impl Serialize for FixedName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{}={}", self.name, self.address))
    }
}

impl JsonSchema for FixedName {
    fn schema_name() -> Cow<'static, str> {
        "FixedName".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string"})
    }
}

/// Whether a text can be the value of a header (RFC 9110 section 5.5).
pub(super) fn is_header_value(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\t' || (byte >= 0x20 && byte != 0x7F))
}

/// Whether requests to a URL are confidential: https, or loopback.
pub(super) fn is_kept_secret_on_the_way(url: &url::Url) -> bool {
    let is_here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || is_here
}
