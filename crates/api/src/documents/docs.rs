//! Reference documentation as Markdown, generated from the catalog.

use std::fmt::Write as _;

use audit::report::CATALOG_VERSION;
use model::lang::Lang;
use serde::Serialize;

use crate::operation::{Access, Operation};
use render::catalog::check::{CheckBound, Explained};
use render::catalog::{self, SiteFamily};
use service::config::reference;

/// Every key of the configuration.
pub fn configuration() -> Result<String, std::fmt::Error> {
    let mut out = String::from(
        "# Configuration\n\nWritten by `cargo xtask gen` from the code.\n\nOne TOML file (`--config FILE`, else \
         `site-audit.toml` if present), the environment over it, flags over both. Nothing has to be set. A value that \
         does not fit stops the start with one line that names its key. Lists are arrays in TOML, and separated by \
         commas in the environment.\n",
    );
    let mut table = None;
    for key in reference() {
        let of = key.name.rsplit_once('.').map(|(table, _)| table.to_owned());
        if of != table || out.ends_with("commas in the environment.\n") {
            let heading = of.as_deref().map_or("Top level".to_owned(), |name| format!("`[{name}]`"));
            write!(out, "\n## {heading}\n\n| key | default | meaning | variable |\n|---|---|---|---|\n")?;
            table = of;
        }
        let default = match &key.default {
            serde_json::Value::Null => "none".to_owned(),
            value => format!("`{value}`"),
        };
        writeln!(out, "| `{}` | {default} | {} | `{}` |", key.name, key.meaning.replace('|', "\\|"), key.variable())?;
    }
    Ok(out)
}

/// The catalog of checks.
pub fn checks() -> Result<String, std::fmt::Error> {
    let mut out = format!(
        "# Checks\n\nWritten by `cargo xtask gen` from the catalog, version {CATALOG_VERSION}. A running service shows the same \
         at `/checks`, and as data at `GET /api/checks`.\n"
    );
    out.push_str("\n[Checks of a whole site](#checks-of-a-whole-site) come last.\n");
    let mut category = None;
    for (family, check) in catalog::entries() {
        if category != Some(family.category) {
            category = Some(family.category);
            write!(out, "\n## {}\n", family.category.title().en)?;
        }
        let Explained {
            code, severity, title, why, how, rule, thresholds, reference, fix, not_measured, since, ..
        } = Explained::new((family, check), Lang::En);
        write!(out, "\n### `{code}`\n\n**{}** · {title}\n\n{why}\n\n", severity.word())?;
        write!(out, "Rule: {rule}\n\n")?;
        for CheckBound { name, value, unit } in &thresholds {
            writeln!(out, "- `{name}`: {value} {unit}")?;
        }
        if !thresholds.is_empty() {
            out.push('\n');
        }
        let (class, target) = (wire(&fix.class), wire(&fix.target));
        write!(out, "Fix: {how} Best: `{class}`, `{target}`.\n\n")?;
        if !not_measured.is_empty() {
            let reasons: Vec<String> =
                not_measured.iter().map(|found| format!("{} (`{}`)", found.text, found.reason)).collect();
            write!(out, "Not measured when: {}.\n\n", reasons.join("; "))?;
        }
        writeln!(out, "Reference: <{reference}> · tool `{}` · since {since}", family.slug)?;
    }
    site_checks(&mut out)?;
    Ok(out)
}

/// The checks of a whole site.
fn site_checks(out: &mut String) -> std::fmt::Result {
    out.push_str(
        "\n## Checks of a whole site\n\nWhat only shows across pages, as [`site-audit site`](site-runs.md) tells it. When the \
         limits of a run left addresses out, a check that finds nothing is not measured.\n",
    );
    for SiteFamily { title, checks } in catalog::SITE_FAMILIES {
        write!(out, "\n### {}\n", title.en)?;
        for check in *checks {
            let (severity, title) = (check.severity.word(), check.title.en);
            write!(out, "\n#### `{}`\n\n**{severity}** · {title}\n\n{}\n\n", check.code, check.why.en)?;
            write!(out, "Rule: {}\n\nFix: {}\n\n", check.rule.en, check.how.en)?;
            writeln!(out, "Reference: <{}>", check.reference)?;
        }
    }
    Ok(())
}

/// A value as it is written on the wire.
fn wire(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Every endpoint.
pub fn api(operations: &[Operation]) -> Result<String, std::fmt::Error> {
    let mut out = String::from(
        "# API\n\nWritten by `cargo xtask gen` from the catalog of operations. `GET /openapi.json` has every field.\n",
    );
    for operation in operations {
        let Operation { title, method, path, .. } = operation;
        write!(out, "\n## {}\n\n`{method} {path}`\n\n{}\n\n", title.en, operation.description())?;
        let access = match operation.access {
            Access::Open => "Anybody may call.",
            Access::Owner => "Needs a guest token, an API key, or a signed-in browser.",
            Access::Account => "Needs an account: an API key, or a signed-in browser. A guest token is refused.",
            Access::Session => "Needs a signed-in browser (its cookie, and for writes `Origin` and `X-CSRF-Token`).",
            Access::Browser => "For pages of this site (writes need `Origin` and `X-CSRF-Token`).",
            Access::Credit => "Needs a credit's token (`Authorization: Bearer cred_…` or `X-Credito`).",
            Access::Operator => "Needs the operator's token.",
        };
        let price = if operation.price.is_some() { " Beyond the free allowance it has a price." } else { "" };
        write!(out, "{access}{price}\n\n| status | code | meaning |\n|---|---|---|\n")?;
        let mut codes: Vec<_> = operation.all_errors().collect();
        codes.sort_by_key(|code| (code.status(), code.wire()));
        for code in codes {
            writeln!(out, "| {} | `{}` | {} |", code.status(), code.wire(), code.sentence().en)?;
        }
    }
    Ok(out)
}
