//! The shape of the public statistics.

use std::collections::BTreeMap;

use model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figures::Reliability;

/// The public statistics.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Showcase {
    /// Version of the contract: 1.
    pub(super) v: u32,
    /// Id of the product.
    #[serde(rename = "produto")]
    pub(super) product: String,
    /// Whether anything is published.
    #[serde(rename = "publicado")]
    pub(super) is_published: bool,
    /// When it was published.
    #[serde(rename = "atualizado_em")]
    pub(super) published_at: Option<Timestamp>,
    /// Whether that is longer ago than 26 hours.
    pub(super) stale: bool,
    /// The figures, once some are published.
    #[serde(flatten)]
    pub(super) body: Option<ShowcaseBody>,
}

/// Sums of a day, or of several; null is not measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DaySums {
    /// Page views of people.
    #[serde(rename = "paginas")]
    pub pages: Option<u64>,
    /// Calls of the API, by all.
    pub api: Option<u64>,
    /// Calls of the API and over MCP, by AI agents.
    #[serde(rename = "api_ia")]
    pub api_agents: Option<u64>,
    /// Calls by other programs.
    #[serde(rename = "maquina")]
    pub machines: Option<u64>,
    /// People; over several days the sum of their days.
    #[serde(rename = "visitantes")]
    pub visitors: Option<u64>,
    /// Audits.
    #[serde(rename = "uso")]
    pub audits: Option<u64>,
}

/// A day, with its sums beside its name. They are written out, as `serde(flatten)` can't read numbers back where `serde_json`
/// keeps them as they are written (its feature `arbitrary_precision`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShowcaseDay {
    /// UTC date.
    #[serde(rename = "dia")]
    pub day: String,
    /// Page views of people.
    #[serde(rename = "paginas")]
    pub pages: Option<u64>,
    /// Calls of the API, by all.
    pub api: Option<u64>,
    /// Calls of the API and over MCP, by AI agents.
    #[serde(rename = "api_ia")]
    pub api_agents: Option<u64>,
    /// Calls by other programs.
    #[serde(rename = "maquina")]
    pub machines: Option<u64>,
    /// People.
    #[serde(rename = "visitantes")]
    pub visitors: Option<u64>,
    /// Audits.
    #[serde(rename = "uso")]
    pub audits: Option<u64>,
}

/// Sums of 7 and 30 days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShowcaseWindows {
    /// Seven days.
    pub d7: DaySums,
    /// Thirty days.
    pub d30: DaySums,
}

/// The figures, in the shape in which they are stored exactly and published rounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShowcaseBody {
    /// Name of the product.
    #[serde(rename = "nome")]
    pub name: String,
    /// First day with a number.
    #[serde(rename = "desde")]
    pub since: Option<String>,
    /// `UTC`.
    #[serde(rename = "fuso")]
    pub time_zone: String,
    /// The day so far.
    #[serde(rename = "hoje")]
    pub today: DaySums,
    /// At most 31 days, oldest first.
    #[serde(rename = "dias")]
    pub days: Vec<ShowcaseDay>,
    /// The same as sums.
    #[serde(rename = "janelas")]
    pub windows: ShowcaseWindows,
    /// Visitor days.
    #[serde(rename = "visitantes")]
    pub visitors: VisitorSums,
    /// People.
    #[serde(rename = "pessoas")]
    pub people: PeopleFigures,
    /// AI agents.
    #[serde(rename = "agentes")]
    pub agents: AgentFigures,
    /// Calls of 30 days by surface.
    #[serde(rename = "superficies")]
    pub surfaces: BTreeMap<String, u64>,
    /// MCP.
    pub mcp: ToolFigures,
    /// What was used.
    #[serde(rename = "uso")]
    pub usage: UsageFigures,
    /// Guests, accounts and organizations now.
    #[serde(rename = "contas")]
    pub accounts: AccountCounts,
    /// Reliability of 30 days.
    #[serde(rename = "confiabilidade")]
    pub reliability: Reliability,
    /// The catalog of checks.
    #[serde(rename = "catalogo")]
    pub catalog: CatalogFigures,
    /// Current sponsors and revenue.
    #[serde(rename = "apoio")]
    pub support: SupportFigures,
}

/// Visitors today, and the sums of the days of two windows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VisitorSums {
    #[serde(rename = "hoje")]
    pub(super) today: Option<u64>,
    pub(super) d7: Option<u64>,
    pub(super) d30: Option<u64>,
}

/// Page views of people, and their languages over 30 days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeopleFigures {
    pub(super) d7: Option<u64>,
    pub(super) d30: Option<u64>,
    /// Share of each language with at least 1%.
    #[serde(rename = "idiomas")]
    pub(super) languages: BTreeMap<String, f64>,
}

/// Calls by AI agents, and the ten that called most within 30 days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentFigures {
    pub(super) d7: Option<u64>,
    pub(super) d30: Option<u64>,
    /// By name, most calls first.
    #[serde(rename = "nomes")]
    pub names: Vec<NamedCalls>,
}

/// Calls of tools over MCP, and of each within 30 days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolFigures {
    pub(super) d7: Option<u64>,
    pub(super) d30: Option<u64>,
    /// By name, most calls first.
    #[serde(rename = "ferramentas")]
    pub(super) tools: Vec<NamedCalls>,
}

/// Calls by or of something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NamedCalls {
    /// Its name.
    #[serde(rename = "nome")]
    pub name: String,
    /// Calls.
    #[serde(rename = "chamadas")]
    pub calls: u64,
}

/// What was used within 30 days, and what there is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsageFigures {
    #[serde(rename = "auditorias")]
    pub(super) audits: Option<u64>,
    #[serde(rename = "verificacoes")]
    pub(super) verifications: Option<u64>,
    #[serde(rename = "laboratorio")]
    pub(super) lab_tests: Option<u64>,
    #[serde(rename = "abas")]
    pub(super) tabs: Option<u64>,
    #[serde(rename = "vigias")]
    pub(super) watched: Option<u64>,
    #[serde(rename = "compartilhados")]
    pub(super) shared: Option<u64>,
}

/// Guests, accounts and organizations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccountCounts {
    #[serde(rename = "convidados")]
    pub(super) guests: Option<u64>,
    #[serde(rename = "contas")]
    pub(super) accounts: Option<u64>,
    #[serde(rename = "organizacoes")]
    pub(super) organizations: Option<u64>,
}

/// The catalog of checks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CatalogFigures {
    #[serde(rename = "verificacoes")]
    pub(super) checks: u64,
    #[serde(rename = "familias")]
    pub(super) families: u64,
    #[serde(rename = "versao")]
    pub(super) version: String,
}

/// Support.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SupportFigures {
    /// Sponsors now; null where nothing is offered to partners.
    #[serde(rename = "patrocinadores")]
    pub(super) sponsors: Option<u64>,
    /// Dollars of credit sold within 30 days; null unless `showcase.revenue` is on.
    #[serde(rename = "creditos_usd")]
    pub(super) credit_usd: Option<f64>,
}

impl DaySums {
    /// Adds sums; what neither measured stays not measured.
    pub(super) fn add(&mut self, other: &Self) {
        let add = |ours: &mut Option<u64>, theirs: Option<u64>| {
            if let Some(n) = theirs {
                *ours = Some(ours.unwrap_or_default().saturating_add(n));
            }
        };
        add(&mut self.pages, other.pages);
        add(&mut self.api, other.api);
        add(&mut self.api_agents, other.api_agents);
        add(&mut self.machines, other.machines);
        add(&mut self.visitors, other.visitors);
        add(&mut self.audits, other.audits);
    }
}
