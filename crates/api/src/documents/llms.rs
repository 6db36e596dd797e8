//! `llms.txt` (llmstxt.org) and the whole guide in one file.

use std::fmt::Write as _;

use audit::report::CATALOG_VERSION;
use model::lang::Lang;
use serde_json::Value;

use super::guides::{ANY_SERVICE, CLIENTS, TASKS};
use super::source::DocumentSource;
use crate::mcp;
use crate::operation::{Access, Operation};
use render::catalog;
use render::catalog::check::Explained;
use service::config::PaymentMode;
use service::error::{Code, OPERATIONS};

/// What the service does, in one sentence.
pub(super) const SUMMARY: &str =
    "Technical SEO audits of single pages: a score, findings with their evidence, and the fix for each finding.";
/// Characters of an example answer; a longer one is cut, as the OpenAPI description has it whole.
const EXAMPLE_CHARACTERS: usize = 1_500;

/// The skill of a coding agent, with the same placeholder.
const SKILL: &str = include_str!("../../../../skills/site-audit/SKILL.md");

/// `llms.txt`: the short guide, which teaches the commonest tasks by complete requests.
pub(super) fn short(source: &DocumentSource<'_>) -> String {
    let base = source.base_url;
    let mut out = format!(
        "# {}\n\n> {SUMMARY}\n\nBase: {base}. Requests and responses are JSON; texts are English, or Brazilian Portuguese \
         with `lang=pt-BR`. The same bytes give the same report; no language model judges.\n\n{}\n",
        source.config.product.name,
        TASKS.replace("BASE", base).trim_start(),
    );
    out.push_str("**Prices and limits:**\n\n");
    out.push_str(&prices(source));
    out.push_str("\n## Operations\n\n");
    // Writing to a string can't fail.
    let (core, rest): (Vec<_>, Vec<_>) =
        mcp::tools(source.operations).partition(|operation| mcp::is_listed(operation.name));
    for operation in core {
        let _written = writeln!(
            out,
            "- [{0}]({base}{OPERATIONS}{0}): `{1} {2}` {3}",
            operation.name, operation.method, operation.path, operation.title.en
        );
    }
    let further: Vec<&str> = rest.iter().map(|operation| operation.name).collect();
    let _written =
        writeln!(out, "- [Further operations]({base}/api/): {}; each under `{OPERATIONS}NAME`", further.join(", "));
    let _written = write!(
        out,
        "\n## Documents\n\n\
         - [Index]({base}/api/): every operation, limits and first calls as JSON\n\
         - [MCP server]({base}/mcp): the same operations as tools\n\
         - [Skill]({base}/skill.md): a skill file for coding agents that fix pages\n\
         - [Prices]({base}/api/pricing): what is free, what the rest costs, and how to pay\n\
         - [Checks]({base}/checks): what each check looks for, why, and how to fix it\n\
         \n## Optional\n\n\
         - [The whole guide]({base}/llms-full.txt): every client, every operation with an example, every error, every check\n\
         - [OpenAPI]({base}/openapi.json): every field of every call, for code generators\n\
         - [Knowledge bundle]({base}/okf/index.md): the same in Open Knowledge Format\n\
         - [Payment]({base}/.well-known/x402): priced calls, for x402 discovery\n\
         - [Our crawler]({base}/bot): what it fetches and how to block it\n"
    );
    out
}

/// `skill.md`: the skill of a coding agent.
pub(super) fn skill(source: &DocumentSource<'_>) -> String {
    SKILL.replace(ANY_SERVICE, source.base_url)
}

/// Free allowances and prices, as a Markdown list.
pub(super) fn prices(source: &DocumentSource<'_>) -> String {
    let config = source.config;
    let limits = &config.limits;
    let mut out = format!(
        "- Free audits: {} a day for each network; {} an hour at most, free or paid\n",
        limits.free_audits_per_day, limits.audits_per_hour
    );
    for operation in source.operations {
        if let Some(sku) = operation.price {
            // Writing to a string can't fail.
            let _written = writeln!(
                out,
                "- Beyond the free allowance `{} {}` costs {} USD",
                operation.method,
                operation.path,
                config.prices.of(sku)
            );
        }
    }
    out.push_str(match config.payment_mode() {
        PaymentMode::Live => "- Payment: 402 with `accepts` (x402, USDC); pay and repeat the same call\n",
        PaymentMode::Dev => "- Nothing is charged here: calls beyond the allowance are free too\n",
    });
    out.push_str("- A failed call costs nothing; reading is free\n");
    out
}

/// `llms-full.txt`: the whole guide.
pub(super) fn full(source: &DocumentSource<'_>) -> String {
    let base = source.base_url;
    let mut out = format!(
        "# {}: the whole guide\n\n> {SUMMARY}\n\nBase: <{base}>. Requests and responses are JSON. An error is `{{error, \
         detail?, code, next?}}`: `code` is stable, `next` names the call that helps. Credentials: a guest token (`POST \
         /api/guest`) as `X-Guest-Token` or `Authorization: Bearer`; an API key of an account as `X-Api-Key`.\n\n## Prices \
         and limits\n\n{}\n## Clients\n{}\n## Operations\n",
        source.config.product.name,
        prices(source),
        clients(base),
    );
    for operation in source.operations {
        describe(&mut out, source, operation);
    }
    out.push_str("\n## Errors\n\n| status | code | meaning |\n|---|---|---|\n");
    // Writing to a string can't fail.
    for code in Code::ALL {
        let _written = writeln!(out, "| {} | `{}` | {} |", code.status(), code.wire(), code.sentence().en);
    }
    let _written = writeln!(out, "\n## Checks\n\nCatalog {CATALOG_VERSION}; as data: <{base}/api/checks>.\n");
    for entry in catalog::entries() {
        let check = Explained::new(entry, Lang::En);
        let severity = check.severity.word();
        let _written = writeln!(out, "- `{}` ({severity}): {}. {}", check.code, check.title, check.how);
    }
    out
}

/// The sections of the guide for clients, one level deeper.
fn clients(base: &str) -> String {
    let sections = CLIENTS.find("\n## ").and_then(|start| CLIENTS.get(start..)).unwrap_or_default();
    sections.replace("\n## ", "\n### ").replace(ANY_SERVICE, base)
}

/// One operation with its parameters and an example.
fn describe(out: &mut String, source: &DocumentSource<'_>, operation: &Operation) {
    let method = operation.method.as_str().to_ascii_lowercase();
    let Some(described) = source.openapi.get("paths").and_then(|paths| paths.get(operation.path)?.get(&method)) else {
        return;
    };
    let who = match operation.access {
        Access::Open => "Anybody may call.",
        Access::Owner => "Needs a guest token or an API key.",
        Access::Account => "Needs an API key; guests can't call it.",
        Access::Session | Access::Browser => "For a signed-in browser.",
        Access::Credit => "Needs the token of a credit.",
        Access::Operator => "Needs the operator's token.",
    };
    // Writing to a string can't fail.
    let _written = write!(
        out,
        "\n### {}: `{} {}`\n\n{}. {who}\n\n{}\n",
        operation.name,
        operation.method,
        operation.path,
        operation.title.en,
        operation.description()
    );
    let own = described.get("parameters").and_then(Value::as_array).into_iter().flatten();
    for parameter in own.filter(|parameter| parameter.get("name").is_some()) {
        let text = |name: &str| parameter.get(name).and_then(Value::as_str).unwrap_or_default();
        let required = if parameter.get("required") == Some(&true.into()) { ", required" } else { "" };
        let _written = write!(out, "\n- `{}` ({}{required}): {}", text("name"), text("in"), text("description"));
    }
    let body = described.pointer("/requestBody/content/application~1json/example");
    if let Some(body) = body {
        let _written = write!(out, "\n\nSend:\n\n```json\n{body}\n```");
    }
    let answer = described.get("responses").and_then(|responses| responses.get(operation.status.as_str()));
    let answer = answer.and_then(|answer| answer.pointer("/content/application~1json/example"));
    if let Some(answer) = answer.map(Value::to_string) {
        let (shown, rest) = match answer.char_indices().nth(EXAMPLE_CHARACTERS) {
            Some((end, _)) => (answer.get(..end).unwrap_or_default(), "…"),
            None => (answer.as_str(), ""),
        };
        let _written = write!(out, "\n\nAnswer:\n\n```json\n{shown}{rest}\n```");
    }
    let codes: Vec<String> = operation.errors.iter().map(|code| format!("`{}`", code.wire())).collect();
    if !codes.is_empty() {
        let _written = write!(out, "\n\nRefusals of its own: {}.", codes.join(", "));
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handlers;
    use service::config::Config;
    use service::services::Build;

    /// Names of operations and paths in the requests of the guide.
    #[test]
    fn the_short_guide_is_short_and_its_calls_are_operations() {
        let (operations, config) = (handlers::catalog(), Config::default());
        let build = Build { commit: "0000000", day: "2026-01-31" };
        let source = DocumentSource::new(&operations, &config, "https://audit.example.com", build);
        let guide = short(&source);
        assert!(guide.len() < 12_000, "{} bytes", guide.len());
        let called = guide.split('`').filter_map(|code| {
            let (method, path) = code.split_once(' ')?;
            matches!(method, "GET" | "POST" | "PATCH" | "DELETE")
                .then_some((method, path.split(['?', ' ', '\n']).next()?))
        });
        for (method, path) in called {
            let fits = |operation: &Operation| {
                let (ours, asked) = (operation.path.split('/'), path.split('/'));
                operation.method == *method
                    && ours.clone().count() == asked.clone().count()
                    && ours.zip(asked).all(|(ours, asked)| ours == asked || ours.starts_with('{'))
            };
            assert!(operations.iter().any(fits), "{method} {path}");
        }
        let index = serde_json::to_string(&super::super::index::document(&source)).unwrap();
        assert!(index.len() < 16_000, "{} bytes of index", index.len());
    }
}
