//! The knowledge bundle: Open Knowledge Format 0.1, with what 0.2 renamed in both words.

use std::fmt::Write as _;

use super::source::DocumentSource;
use crate::operation::Access;
use service::config::PaymentMode;

/// Every file, by path.
pub(super) fn files(source: &DocumentSource<'_>) -> [(&'static str, String); 4] {
    [
        ("/okf/index.md", index(source)),
        ("/okf/sobre.md", about(source)),
        ("/okf/api.md", api(source)),
        ("/okf/faq.md", faq(source)),
    ]
}

fn index(source: &DocumentSource<'_>) -> String {
    let name = &source.config.product.name;
    format!(
        "---\nokf_version: \"0.1\"\n---\n# {name}\n\n\
         * [About](sobre.md) - What the service is and who runs it\n\
         * [API](api.md) - Every operation, with prices and limits\n\
         * [FAQ](faq.md) - Questions that agents ask\n"
    )
}

/// Front matter of a concept.
fn head(source: &DocumentSource<'_>, kind: &str, title: &str, description: &str, resource: &str) -> String {
    let (day, product) = (source.build.day, &source.config.product.id);
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "---\ntype: {kind}\ntitle: {title}\ndescription: {description}\nresource: {resource}\ntags: [seo, audit, \
         api]\ntimestamp: {day}T00:00:00Z\ngenerated: {{ by: {product}/{version}, at: {day}T00:00:00Z }}\n---\n"
    )
}

fn about(source: &DocumentSource<'_>) -> String {
    let (config, base) = (source.config, source.base_url);
    let head = head(source, "Service", "About", "What the service is and who runs it.", &source.url("/"));
    let mut out = format!(
        "{head}# {}\n\n{}\n\nAn audit fetches one page as a careful crawler would, with robots.txt, sitemap and the \
         discovery files that belong to it, and runs a catalog of checks on it. The same bytes always give the same \
         report; no language model is involved. Each finding has a fix; all fixes together are one patch.\n\n\
         * Run by: {} <{}>\n",
        config.product.name,
        super::llms::SUMMARY,
        config.organization.name(config),
        config.organization.url(base),
    );
    if let Some(email) = &config.organization.email {
        // Writing to a string can't fail.
        let _written = writeln!(out, "* Mail: <{email}>");
    }
    let _written = writeln!(out, "* The crawler and how to block it: <{base}/bot>\n* API: [api.md](api.md)");
    out
}

fn api(source: &DocumentSource<'_>) -> String {
    let resource = source.url("/openapi.json");
    let mut out = head(source, "API", "HTTP API", "Every operation of the API.", &resource);
    out.push_str("# HTTP API\n\n| call | what it does | who may |\n|---|---|---|\n");
    for operation in source.operations {
        let who = match operation.access {
            Access::Open => "anyone",
            Access::Owner => "guest token or API key",
            Access::Account => "API key",
            Access::Session | Access::Browser => "signed-in browser",
            Access::Credit => "holder of a credit",
            Access::Operator => "operator",
        };
        // Writing to a string can't fail.
        let _written = writeln!(out, "| `{} {}` | {} | {who} |", operation.method, operation.path, operation.title.en);
    }
    out.push_str("\n## Prices and limits\n\n");
    out.push_str(&super::llms::prices(source));
    let _written = writeln!(out, "\nEvery field: <{resource}>. As MCP tools: <{}>.", source.url("/mcp"));
    out
}

fn faq(source: &DocumentSource<'_>) -> String {
    let (config, base) = (source.config, source.base_url);
    let head = head(source, "FAQ", "FAQ", "Questions that agents ask.", &source.url("/api/"));
    let pays = match config.payment_mode() {
        PaymentMode::Live => {
            "Past the allowance a call answers 402 with `accepts`: pay with x402 (USDC) and repeat the same call."
        }
        PaymentMode::Dev => "Nothing is charged here: calls past the allowance are free too.",
    };
    format!(
        "{head}# FAQ\n\n## How do I audit a page?\n\n`POST {base}/api/audit` with `{{\"url\": \"https://example.com/\"}}`, or the \
         MCP tool `audit_page`.\n\n## How do I read an audit again?\n\nCreate a guest token with `POST {base}/api/guest` first and \
         send it as `X-Guest-Token` with the audit; then `GET {base}/api/audits/{{id}}` answers with the same token.\n\n\
         ## What does it cost?\n\n{pays} A failed call costs nothing. Reading is free.\n\n## How do I know that a fix is \
         right?\n\n`POST {base}/api/verify` audits a changed page before it is published and compares it with the audit.\n\n\
         ## What does an error mean?\n\n`code` is stable and says what happened; `next` names the call that helps.\n\n\
         ## Where is everything else?\n\n[api.md](api.md), <{base}/llms-full.txt>.\n"
    )
}
