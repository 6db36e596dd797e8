//! What a service offers to partners and sponsors.

use schemars::JsonSchema;
use serde::Serialize;

use crate::money::Micros;

/// The offer, in one language.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Partners {
    /// Always `sob_consulta`: an offer is answered by a person.
    pub status: &'static str,
    /// Name of the product.
    #[serde(rename = "produto")]
    pub product: String,
    /// Language of the texts.
    #[serde(rename = "idioma")]
    pub lang: &'static str,
    /// A heading.
    #[serde(rename = "titulo")]
    pub title: String,
    /// What is offered; empty where the operator has written nothing.
    #[serde(rename = "descricao")]
    pub description: String,
    /// Who reads the pages.
    #[serde(rename = "publico")]
    pub audience: String,
    /// Kinds of proposals.
    #[serde(rename = "modalidades")]
    pub kinds: Vec<ProposalKind>,
    /// Places where a sponsor is shown.
    pub placements: Vec<Placement>,
    /// All placements together; null for none.
    pub house_bundle: Option<Bundle>,
    /// Current partnerships.
    #[serde(rename = "parcerias")]
    pub partnerships: Vec<Partnership>,
    /// Current sponsors.
    pub current_sponsors: Vec<Sponsor>,
    /// Address of the public statistics.
    pub stats: String,
    /// How it can be paid.
    pub payment: PartnerPayment,
    /// How to write.
    pub contact: PartnerContact,
    /// What sponsors can't influence.
    #[serde(rename = "politica")]
    pub policy: String,
    /// Related addresses.
    #[serde(rename = "_links")]
    pub links: PartnersLinks,
}

/// A kind of proposal, `tipo` of a contact message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProposalKind {
    /// Its word.
    pub id: &'static str,
    /// Its name.
    #[serde(rename = "nome")]
    pub name: &'static str,
}

/// A place where a sponsor is shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Placement {
    /// Its id, for `espaco` of a contact message.
    pub id: String,
    /// Its name.
    #[serde(rename = "nome")]
    pub name: String,
    /// Where it is.
    #[serde(rename = "onde")]
    pub place: String,
    /// What is shown.
    #[serde(rename = "formato")]
    pub format: String,
    /// One sponsor at a time.
    #[serde(rename = "exclusivo")]
    pub exclusive: bool,
    /// What is measured of it; null for nothing.
    #[serde(rename = "medicao")]
    pub measurement: Option<String>,
    /// Price of 30 days in US dollars; null is on request.
    pub price_usd_30d: Option<Micros>,
    /// Prices of 30, 90 and 365 days; null is on request.
    pub exposure: Vec<Exposure>,
    /// Whether it is available.
    #[serde(rename = "disponivel")]
    pub available: bool,
}

/// Price of a duration.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Exposure {
    /// Days.
    #[serde(rename = "dias")]
    pub days: u32,
    /// US dollars; null is on request.
    pub price_usd: Option<Micros>,
}

/// All placements together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Bundle {
    /// Its name.
    #[serde(rename = "nome")]
    pub name: String,
    /// What is in it.
    #[serde(rename = "descricao")]
    pub description: String,
    /// Price of 30 days in US dollars; null is on request.
    pub price_usd_30d: Option<Micros>,
}

/// A partnership.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Partnership {
    /// The partner's name.
    #[serde(rename = "nome")]
    pub name: String,
    /// The partner's site.
    pub url: String,
    /// What is done together.
    #[serde(rename = "descricao")]
    pub description: String,
}

/// A current sponsor.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Sponsor {
    /// Its id.
    pub id: String,
    /// Its name.
    #[serde(rename = "nome")]
    pub name: String,
    /// Its site.
    pub url: String,
    /// One line about it.
    #[serde(rename = "frase")]
    pub line: String,
    /// Ids of its placements.
    #[serde(rename = "espacos")]
    pub placements: Vec<String>,
    /// Its last day, UTC.
    #[serde(rename = "ate")]
    pub until: String,
}

/// How a proposal can be paid.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PartnerPayment {
    /// Name of the chain.
    #[serde(rename = "rede")]
    pub network: &'static str,
    /// EVM chain id of it.
    pub chain_id: u64,
    /// Whether real money is charged.
    #[serde(rename = "ativo")]
    pub active: bool,
    /// Receiving address, or null.
    pub pay_to: Option<String>,
    /// A transfer of USDC to it, without an amount (EIP-681); null without an address.
    pub eip681: Option<String>,
    /// Other ways.
    #[serde(rename = "alternativas")]
    pub alternatives: Vec<&'static str>,
    /// When to pay.
    #[serde(rename = "nota")]
    pub note: &'static str,
}

/// How to write.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PartnerContact {
    /// An e-mail address; null for none.
    pub email: Option<String>,
    /// Address of the form for people.
    pub form_url: String,
    /// Address of the call for programs.
    pub api_url: String,
    /// Fields of every message.
    #[serde(rename = "campos")]
    pub fields: Vec<&'static str>,
    /// Fields of a proposal.
    #[serde(rename = "campos_proposta")]
    pub proposal_fields: Vec<&'static str>,
    /// A message to fill in.
    pub message_template: &'static str,
    /// What to do, in a sentence.
    pub instructions: &'static str,
}

/// Related addresses.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PartnersLinks {
    /// This document.
    #[serde(rename = "self")]
    pub itself: String,
    /// Public statistics.
    pub stats: String,
    /// The page for people.
    pub page: String,
    /// The call that sends a message.
    pub contact: String,
    /// The first page.
    #[serde(rename = "casa")]
    pub home: String,
}
