//! The configuration: one TOML file, environment over it, flags over both; every key has a default.
//!
//! The docstrings of the fields are the documentation of the keys: `docs/configuration.md` and the messages about bad
//! values are made from them.

mod challenge;
mod keys;
mod money;
mod partners;
mod read;
mod secret;
mod sections;
mod settings;
mod validate;
mod validate_money;
mod values;

pub use challenge::{ChallengeProvider, ChallengeSettings, VerificationWidget};
pub use keys::{ConfigKey, reference};
pub use money::{PaymentSettings, Pix, Prices};
pub use partners::{LocalText, PartnerSettings, PlacementSetting, SponsorSetting};
pub use read::{ConfigError, Sources};
pub use secret::SecretText;
pub use sections::{
    Auth, Contact, Fetch, FieldDataSettings, LabSettings, LimitSettings, Log, Mcp, Operator, OrganizationSettings,
    OtelSettings, Product, Retention, Security, Smtp,
};
pub use settings::Config;
pub(crate) use validate::SECRET_BYTES;
pub use values::{FixedName, LabProvider, LogFormat, NamedUrl, PaymentMode, PaymentNetwork, Sku, TargetPorts};
