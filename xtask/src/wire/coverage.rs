//! Which operations of `/openapi.json` were called, and what they answered.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use serde_json::Value;

/// One operation.
#[derive(Debug, Clone)]
pub(super) struct CoveredOperation {
    /// In capitals.
    pub(super) method: String,
    /// With `{name}` for what varies.
    pub(super) path: String,
    pub(super) name: String,
    pub(super) takes_body: bool,
    /// How often it was called.
    calls: usize,
    statuses: BTreeSet<u16>,
}

/// All operations.
#[derive(Debug)]
pub(super) struct OperationCoverage {
    operations: Vec<CoveredOperation>,
}

impl OperationCoverage {
    /// The operations of a description; none was called yet.
    pub(super) fn new(openapi: &Value) -> Result<Self> {
        let paths = openapi.get("paths").and_then(Value::as_object).context("no paths in /openapi.json")?;
        let mut operations = Vec::new();
        for (path, methods) in paths {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                let Some(name) = operation.get("operationId").and_then(Value::as_str) else { continue };
                operations.push(CoveredOperation {
                    method: method.to_ascii_uppercase(),
                    path: path.clone(),
                    name: name.to_owned(),
                    takes_body: operation.get("requestBody").is_some(),
                    calls: 0,
                    statuses: BTreeSet::new(),
                });
            }
        }
        Ok(Self { operations })
    }

    /// All of them, in the order of the description.
    pub(super) fn operations(&self) -> &[CoveredOperation] {
        &self.operations
    }

    /// Notes an answer.
    pub(super) fn note(&mut self, method: &str, target: &str, status: u16) {
        let path = target.split('?').next().unwrap_or_default();
        let fits = |operation: &&mut CoveredOperation| operation.method == method && is_of(&operation.path, path);
        // A path without anything that varies is nearer.
        let fitting =
            self.operations.iter_mut().filter(fits).min_by_key(|operation| operation.path.matches('{').count());
        if let Some(operation) = fitting {
            operation.calls += 1;
            operation.statuses.insert(status);
        }
    }

    /// Names of the operations that never succeeded.
    pub(super) fn unsuccessful(&self) -> Vec<&str> {
        let succeeded =
            |operation: &CoveredOperation| operation.statuses.iter().any(|status| (200..300).contains(status));
        self.operations.iter().filter(|operation| !succeeded(operation)).map(|o| o.name.as_str()).collect()
    }

    /// A line for each: name, calls, statuses.
    pub(super) fn table(&self) -> String {
        let line = |operation: &CoveredOperation| {
            let statuses: Vec<String> = operation.statuses.iter().map(u16::to_string).collect();
            format!("{:<32} {:>3} calls: {}\n", operation.name, operation.calls, statuses.join(" "))
        };
        self.operations.iter().map(line).collect()
    }
}

/// Whether a path is one of a template.
fn is_of(template: &str, path: &str) -> bool {
    let (mut template, mut path) = (template.split('/'), path.split('/'));
    loop {
        match (template.next(), path.next()) {
            (None, None) => return true,
            (Some(part), Some(given)) if part == given || part.starts_with('{') && !given.is_empty() => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_count_for_the_nearest_operation() {
        let paths = json!({"paths": {
            "/a/{id}": {"get": {"operationId": "one"}},
            "/a/all": {"get": {"operationId": "all"}},
        }});
        let mut coverage = OperationCoverage::new(&paths).unwrap();
        coverage.note("GET", "/a/all?x=1", 200);
        coverage.note("GET", "/a/7", 404);
        coverage.note("POST", "/a/7", 200);
        assert_eq!(coverage.unsuccessful(), ["one"]);
        assert!(coverage.table().contains("1 calls: 404"), "{}", coverage.table());
    }
}
