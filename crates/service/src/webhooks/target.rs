//! The address of a webhook: the shape that its receiver takes, and the part that is shown.

use model::lang::text;
use schemars::JsonSchema;
use serde::Serialize;
use url::Url;

use crate::error::{Code, ServiceError};
use crate::services::Services;

/// Characters at the end of an address that are shown, as those of keys are.
const SHOWN_END: usize = 4;

/// The shape of the messages that a receiver takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookKind {
    /// Events as JSON, signed as Standard Webhooks says.
    Standard,
    /// Messages for an incoming webhook of Slack.
    Slack,
    /// Messages for a webhook of Discord.
    Discord,
}

impl WebhookKind {
    /// The kind of an address.
    pub(super) fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        match host {
            "hooks.slack.com" => Self::Slack,
            "discord.com" | "discordapp.com" if url.path().starts_with("/api/webhooks/") => Self::Discord,
            _ => Self::Standard,
        }
    }

    /// The kind as it is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Slack => "slack",
            Self::Discord => "discord",
        }
    }

    /// Reads a stored kind.
    pub(super) fn stored(word: &str) -> Option<Self> {
        [Self::Standard, Self::Slack, Self::Discord].into_iter().find(|kind| kind.word() == word)
    }
}

/// Parses an address as typed. Errors as for an audited page, with a detail that names the field.
pub(super) fn address(services: &Services, typed: &str) -> Result<Url, ServiceError> {
    let mut url = services.engine().fetcher().intake(typed).map_err(|failure| named(failure.into()))?;
    url.set_fragment(None);
    Ok(url)
}

/// The refusal of an address, with the name of its field.
pub(super) fn named(error: ServiceError) -> ServiceError {
    let why = match error.code {
        Code::AddressNotAllowed => text(
            "url: its host has no public address; send one that the public internet can reach",
            "url: o host não tem endereço público; envie um que a internet pública alcance",
        ),
        _ => text(
            "url: use an absolute http or https URL, without user name and password",
            "url: use uma URL http ou https absoluta, sem usuário nem senha",
        ),
    };
    ServiceError::new(error.code).explained(why.into())
}

/// The part of an address that is shown: its origin and its end. Whoever knows the rest can write to a chat.
pub(super) fn shown(url: &Url) -> String {
    let origin = url.origin().ascii_serialization();
    let rest: Vec<char> = url.as_str().chars().skip(origin.chars().count() + 1).collect();
    if rest.len() <= 2 * SHOWN_END {
        let hidden = if rest.is_empty() { "/" } else { "/…" };
        return origin + hidden;
    }
    let end: String = rest.iter().skip(rest.len() - SHOWN_END).collect();
    format!("{origin}/…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_known_by_its_address_and_little_of_it_is_shown() {
        for (url, kind, wanted) in [
            ("https://example.com/hooks/site-audit?key=abcd", WebhookKind::Standard, "https://example.com/…abcd"),
            ("https://example.com/in", WebhookKind::Standard, "https://example.com/…"),
            ("https://example.com:8443/", WebhookKind::Standard, "https://example.com:8443/"),
            ("https://hooks.slack.com/services/T0/B0/secretXYZ1", WebhookKind::Slack, "https://hooks.slack.com/…XYZ1"),
            ("https://discord.com/api/webhooks/1/secretXYZ2", WebhookKind::Discord, "https://discord.com/…XYZ2"),
            ("https://discord.com/other/secretXYZ3", WebhookKind::Standard, "https://discord.com/…XYZ3"),
            ("https://hooks.slack.com.example.com/x", WebhookKind::Standard, "https://hooks.slack.com.example.com/…"),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!((WebhookKind::of(&url), shown(&url).as_str()), (kind, wanted), "{url}");
            assert_eq!(WebhookKind::stored(kind.word()), Some(kind));
        }
    }
}
