//! What real visitors measured: the Chrome UX Report (CrUX) of a page or its origin.
#![expect(missing_docs, reason = "the fields are the contract's own names; each struct says what it holds")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The field data of a page, over 28 days of visits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Crux")]
pub struct FieldData {
    pub scope: FieldScope,
    /// `PHONE`, `DESKTOP` or `TABLET`; null for all together.
    pub form_factor: Option<String>,
    /// By the report's own names, such as `largest_contentful_paint`.
    pub metrics: BTreeMap<String, FieldMetric>,
    pub collection_period: Option<CollectionPeriod>,
}

/// Whose visits were measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FieldScope {
    /// Visits of the page.
    Url,
    /// Visits of the whole origin: the page has too few.
    Origin,
}

/// One metric: its 75th percentile, in milliseconds or as a plain number, and the shares of visits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldMetric {
    pub p75: f64,
    pub good: f64,
    pub needs_improvement: f64,
    pub poor: f64,
}

/// First and last day, `2026-10-25`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CollectionPeriod {
    pub first_date: String,
    pub last_date: String,
}
