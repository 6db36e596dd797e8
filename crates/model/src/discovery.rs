//! Discovery files of a site: what was asked, what came.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lang::{Lang, Phrase};

/// Verdict of one probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiscoveryStatus {
    /// Present and correct.
    Pass,
    /// Present and incorrect.
    Warn,
    /// Absent and optional, or worth knowing.
    Info,
    /// Unknown: blocked, incomplete, timed out or masked.
    Unverified,
}

/// Result of one probe. All fields are always present.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DiscoveryCheck")]
pub struct DiscoveryCheck<T = Phrase> {
    /// Verdict.
    pub status: DiscoveryStatus,
    /// Final public URL; null when it can't safely be probed.
    pub url: Option<String>,
    /// Final status; 0 if unavailable.
    pub http_status: u16,
    /// As observed; empty when unavailable.
    pub content_type: String,
    /// Evidence and limits.
    pub message: T,
    /// Authoritative reference.
    pub reference: String,
}

/// The five fixed probes, and the conditional ones that this page needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Discovery")]
#[expect(missing_docs, reason = "the fields are the probes, by their wire names")]
pub struct Discovery<T = Phrase> {
    pub llms: DiscoveryCheck<T>,
    pub security: DiscoveryCheck<T>,
    pub api_catalog: DiscoveryCheck<T>,
    pub favicon: DiscoveryCheck<T>,
    pub not_found: DiscoveryCheck<T>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_password: Option<DiscoveryCheck<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assetlinks: Option<DiscoveryCheck<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub apple_app: Option<DiscoveryCheck<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth_resource: Option<DiscoveryCheck<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth_server: Option<DiscoveryCheck<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openid_config: Option<DiscoveryCheck<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_card: Option<DiscoveryCheck<T>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webauthn: Option<DiscoveryCheck<T>>,
}

impl DiscoveryCheck<Phrase> {
    /// The check as a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> DiscoveryCheck<String> {
        DiscoveryCheck {
            status: self.status,
            url: self.url.clone(),
            http_status: self.http_status,
            content_type: self.content_type.clone(),
            message: self.message.in_lang(lang).to_owned(),
            reference: self.reference.clone(),
        }
    }
}

impl<T> Discovery<T> {
    /// Every check that is there.
    pub fn checks_mut(&mut self) -> impl Iterator<Item = &mut DiscoveryCheck<T>> {
        let fixed = [&mut self.llms, &mut self.security, &mut self.api_catalog, &mut self.favicon, &mut self.not_found];
        let conditional = [
            &mut self.change_password,
            &mut self.assetlinks,
            &mut self.apple_app,
            &mut self.oauth_resource,
            &mut self.oauth_server,
            &mut self.openid_config,
            &mut self.agent_card,
            &mut self.webauthn,
        ];
        fixed.into_iter().chain(conditional.into_iter().flatten())
    }
}

impl Discovery<Phrase> {
    /// The discovery block as a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> Discovery<String> {
        let optional = |check: &Option<DiscoveryCheck>| check.as_ref().map(|check| check.in_lang(lang));
        Discovery {
            llms: self.llms.in_lang(lang),
            security: self.security.in_lang(lang),
            api_catalog: self.api_catalog.in_lang(lang),
            favicon: self.favicon.in_lang(lang),
            not_found: self.not_found.in_lang(lang),
            change_password: optional(&self.change_password),
            assetlinks: optional(&self.assetlinks),
            apple_app: optional(&self.apple_app),
            oauth_resource: optional(&self.oauth_resource),
            oauth_server: optional(&self.oauth_server),
            openid_config: optional(&self.openid_config),
            agent_card: optional(&self.agent_card),
            webauthn: optional(&self.webauthn),
        }
    }
}
