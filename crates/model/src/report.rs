//! The result of an audit: pure, stored, answered.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::{Counts, Finding, Hygiene};
use crate::fix::Fix;
use crate::id::{AuditId, Slug};
use crate::lang::Lang;
use crate::patch::{Demoted, Patch};
use crate::path::PathStep;
use crate::searchable::Searchable;
use crate::summary::PageSummary;
use crate::time::Timestamp;

/// What the pure core makes of a capture. Stored as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Final audited URL.
    pub url: String,
    /// 0 to 100.
    pub score: u32,
    /// Version of the weights behind `score`.
    pub weights: u32,
    /// Findings, most to least severe.
    pub findings: Vec<Finding>,
    /// One fix per finding, in the same order.
    pub fixes: Vec<Fix>,
    /// Findings per severity.
    pub counts: Counts,
    /// What the page declares; `None` when there was no page.
    pub summary: Option<PageSummary>,
    /// Response headers without `Set-Cookie`, repeats joined by `, `.
    pub headers: BTreeMap<String, String>,
    /// Raw JSON-LD blocks within the caps.
    pub json_ld: Vec<serde_json::Value>,
    /// Number of blocks in `json_ld`.
    pub json_ld_stored: u32,
    /// The page was longer than we read.
    pub html_truncated: bool,
    /// What was cut when keeping this report.
    pub truncated: Vec<Cut>,
    /// Which checks were measured.
    pub coverage: Coverage,
    /// The consolidated patch.
    pub patch: Patch,
    /// Changes that were drafted as ready and did not hold on this page. For calibration: callers see the instruction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub demoted: Vec<Demoted>,
    /// Requests made to the target, and those left out.
    #[serde(default)]
    pub requests: Vec<Request>,
    /// Whether a search engine can show the page. This and what follows: not in audits made before 2026-11-22.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searchable: Option<Searchable>,
    /// Notes beside the score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hygiene: Option<Hygiene>,
    /// Which ready fixes bring the page to which score, the cheapest first.
    #[serde(default)]
    pub path: Vec<PathStep>,
    /// Codes of the findings that take points, the most urgent first.
    #[serde(default)]
    pub fix_first: Vec<String>,
}

/// One request of the audit, so that the site's owner can check the auditor. A redirect is a request of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RequestRecord")]
pub struct Request {
    /// The requested URL.
    pub url: String,
    /// Purpose: `page`, `robots_txt`, `sitemap`, or the probe: `not_found`, `llms`, `favicon`…
    pub reason: String,
    /// Response status; null without a response.
    pub status: Option<u16>,
    /// Bytes of the body on the wire; null for a redirect, and when no answer came.
    pub bytes: Option<u64>,
    /// Milliseconds from the first request of its chain to the last byte; null for a redirect, and when no answer came.
    pub ms: Option<u32>,
    /// Why there was no response: `dns`, `connect`, `timeout`…
    pub error: Option<String>,
    /// Why it was not sent: `budget`, after 15 requests for discovery; `time`, when the audit's or its lane's was up.
    pub skipped: Option<String>,
}

/// What was left out to respect size limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cut {
    /// JSON-LD blocks over 256 KB together.
    JsonldSize,
    /// More than 50 JSON-LD nodes.
    #[serde(rename = "jsonld_nodes_over_50")]
    JsonldNodesOver50,
    /// The report passed 1 MB of JSON.
    ResultSize,
    /// A text passed 2,000 characters.
    #[serde(rename = "text_over_2000")]
    TextOver2000,
    /// A list passed 200 entries.
    #[serde(rename = "list_over_200")]
    ListOver200,
}

/// Which checks were measured: every code of the catalog that did not fail is in exactly one of these.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Coverage")]
pub struct Coverage {
    /// Version of the catalog.
    pub catalog: String,
    /// Measured and passed.
    pub passed: Vec<String>,
    /// The feature is not on the page.
    pub not_applicable: Vec<String>,
    /// Code to reason (`robots`, `trunc`, `offline`…).
    pub not_measured: BTreeMap<String, String>,
    /// Code to the finding that silences it: one cause, one finding. They stand in `notMeasured` too.
    #[serde(default)]
    pub silenced_by: BTreeMap<String, String>,
}

/// Answer of `POST /api/audit` (Audit).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Audit")]
pub struct Audit {
    /// Stored audit id; null when the database was unavailable.
    pub id: Option<String>,
    /// The same as `id`, under the name used by stored audits.
    #[serde(rename = "audit_id", default)]
    pub audit_id: Option<String>,
    /// Token of the guest created for this call; shown once.
    #[serde(rename = "guest_token", default, skip_serializing_if = "Option::is_none")]
    pub guest_token: Option<String>,
    /// Whether a search engine can show the page at all, which comes before its score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searchable: Option<Searchable<String>>,
    /// 0 to 100.
    pub score: u32,
    /// Codes of the findings that take points, the most urgent first: by what they block, then by points.
    #[serde(rename = "fixFirst")]
    pub fix_first: Vec<String>,
    /// Findings, most to least severe, then by what they block.
    pub issues: Vec<Finding<String>>,
    /// What the page declares.
    pub summary: PageSummary<String>,
    /// Findings per severity.
    pub counts: Counts,
    /// Notes beside the score, by category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hygiene: Option<Hygiene>,
    /// The cheapest path: which ready fixes bring the page to which score. Empty where no ready fix gains points.
    pub path: Vec<PathStep>,
    /// Response headers of the target, `Set-Cookie` removed.
    pub headers: BTreeMap<String, String>,
    /// The page was longer than 2 MB; only the first 2 MB were read.
    pub html_truncated: bool,
    /// Raw JSON-LD blocks as found.
    pub json_ld: Vec<serde_json::Value>,
    /// JSON-LD blocks kept within the size limit.
    pub json_ld_stored: u32,
    /// What was left out to respect size limits.
    pub truncated: Vec<Cut>,
    /// One fix per finding.
    pub fixes: Vec<Fix<String>>,
    /// Which checks were measured.
    pub coverage: Coverage,
    /// Requests made to the target, and those left out.
    pub requests: Vec<Request>,
    /// Free allowance and the price beyond it.
    pub quota: AuditQuota,
    /// Related addresses.
    #[serde(rename = "_links")]
    pub links: AuditLinks,
}

/// Free allowance (CotaAudit).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CotaAudit")]
pub struct AuditQuota {
    /// Free audits per network and day.
    pub free_per_day: u32,
    /// Price beyond the free audits, in US dollars.
    pub price_usd: f64,
}

/// Related addresses (LinksAudit).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LinksAudit")]
pub struct AuditLinks {
    /// The stored audit; absent if it has no owner.
    #[serde(rename = "self", default, skip_serializing_if = "Option::is_none")]
    pub this: Option<String>,
    /// Where the owner shares the audit (POST) or stops sharing it (DELETE); absent if it has no owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<String>,
    /// The consolidated patch; null if the audit has no owner, absent if it is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Option<String>>,
    /// `GET /api/`.
    pub api_index: String,
}

/// A stored audit (AuditGravado).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AuditGravado")]
pub struct StoredAudit {
    /// Its id.
    pub audit_id: String,
    /// The same as `audit_id`, under the name used by new audits.
    #[serde(default)]
    pub id: String,
    /// Final audited URL.
    pub url: String,
    /// Whether a search engine can show the page at all, which comes before its score; absent in audits made before
    /// 2026-11-22.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searchable: Option<Searchable<String>>,
    /// 0 to 100.
    pub score: u32,
    /// Codes of the findings that take points, the most urgent first: by what they block, then by points. Empty in audits
    /// made before 2026-11-22.
    #[serde(rename = "fixFirst")]
    pub fix_first: Vec<String>,
    /// What the page declared; null when the page could not be reached.
    pub summary: Option<PageSummary<String>>,
    /// Findings per severity.
    pub counts: Counts,
    /// Notes beside the score, by category; absent in audits made before 2026-11-22.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hygiene: Option<Hygiene>,
    /// The cheapest path: which ready fixes bring the page to which score. Empty where no ready fix gains points, and in
    /// audits made before 2026-11-22.
    pub path: Vec<PathStep>,
    /// Findings, most to least severe, then by what they block.
    pub issues: Vec<Finding<String>>,
    /// One fix per finding.
    pub fixes: Vec<Fix<String>>,
    /// Raw JSON-LD blocks.
    #[serde(rename = "jsonLd")]
    pub json_ld: Vec<serde_json::Value>,
    /// JSON-LD blocks kept within the size limit.
    #[serde(rename = "jsonLdStored")]
    pub json_ld_stored: u32,
    /// The page was longer than 2 MB.
    #[serde(rename = "htmlTruncated")]
    pub html_truncated: bool,
    /// Response headers of the target.
    pub headers: BTreeMap<String, String>,
    /// What was left out when storing.
    pub truncated: Vec<Cut>,
    /// Which checks were measured.
    pub coverage: Coverage,
    /// Requests made to the target, and those left out; empty in older audits.
    pub requests: Vec<Request>,
    /// Public slug, when shared.
    pub share_slug: Option<String>,
    /// Time of creation.
    pub created_at: Timestamp,
}

impl Report {
    /// Findings in `lang`.
    pub fn issues_in(&self, lang: Lang) -> Vec<Finding<String>> {
        self.findings.iter().map(|finding| finding.in_lang(lang)).collect()
    }

    /// Whether a search engine can show the page, in `lang`.
    pub fn searchable_in(&self, lang: Lang) -> Option<Searchable<String>> {
        self.searchable.as_ref().map(|searchable| searchable.in_lang(lang))
    }

    /// What is said above the score of a page that no search engine can show.
    pub fn alarm(&self, lang: Lang) -> Option<&str> {
        self.searchable.as_ref()?.alarm(lang)
    }

    /// Fixes in `lang`.
    pub fn fixes_in(&self, lang: Lang) -> Vec<Fix<String>> {
        self.fixes.iter().map(|fix| fix.in_lang(lang)).collect()
    }

    /// The report as it is read again in `lang`.
    pub fn stored_audit(
        &self,
        audit_id: &AuditId,
        created_at: Timestamp,
        share_slug: Option<&Slug>,
        lang: Lang,
    ) -> StoredAudit {
        StoredAudit {
            audit_id: audit_id.0.clone(),
            id: audit_id.0.clone(),
            url: self.url.clone(),
            searchable: self.searchable_in(lang),
            score: self.score,
            fix_first: self.fix_first.clone(),
            summary: self.summary.as_ref().map(|summary| summary.in_lang(lang)),
            counts: self.counts,
            hygiene: self.hygiene.clone(),
            path: self.path.clone(),
            issues: self.issues_in(lang),
            fixes: self.fixes_in(lang),
            json_ld: self.json_ld.clone(),
            json_ld_stored: self.json_ld_stored,
            html_truncated: self.html_truncated,
            headers: self.headers.clone(),
            truncated: self.truncated.clone(),
            coverage: self.coverage.clone(),
            requests: self.requests.clone(),
            share_slug: share_slug.map(|slug| slug.0.clone()),
            created_at,
        }
    }
}
