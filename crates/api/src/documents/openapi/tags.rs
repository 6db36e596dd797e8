//! Tags: groups of operations in the description.

use serde_json::{Value, json};

/// One group.
struct OperationTag {
    name: &'static str,
    description: &'static str,
    /// Beginnings of its paths.
    paths: &'static [&'static str],
}

const TAGS: [OperationTag; 11] = [
    OperationTag {
        name: "Audits",
        description: "Audit a page, read what was found, take the patch, prove it.",
        paths: &["/api/audit", "/api/verify", "/reports"],
    },
    OperationTag {
        name: "Sharing",
        description: "Reports with a public address, their badges, and the keys of signed receipts.",
        paths: &["/api/shared", "/api/badge", "/badge", "/r/", "/api/embed", "/embed", "/.well-known/jwks.json"],
    },
    OperationTag {
        name: "Followed pages",
        description: "Followed pages, called tabs in names, and their history.",
        paths: &["/api/tabs"],
    },
    OperationTag {
        name: "Sites",
        description: "Audit whole sites, and read what shows across their pages.",
        paths: &["/api/sites"],
    },
    OperationTag {
        name: "Webhooks",
        description: "What tells programs of the runs of followed pages: webhooks, a private feed, and a calendar of their dates.",
        paths: &["/api/webhooks", "/api/feed", "/feeds/", "/api/calendar"],
    },
    OperationTag {
        name: "Catalog",
        description: "Every check and every tool, as data.",
        paths: &["/api/checks", "/api/tools", "/checks", "/tools"],
    },
    OperationTag {
        name: "Identity",
        description: "Guests, accounts and their keys.",
        paths: &["/api/guest", "/api/me", "/api/auth", "/api/account", "/api/organizations"],
    },
    OperationTag {
        name: "Payment",
        description: "What is free, what it costs beyond, and how to pay.",
        paths: &["/api/gate", "/api/billing", "/api/pricing", "/api/credito", "/.well-known/x402"],
    },
    OperationTag {
        name: "Statistics",
        description: "What the service counts.",
        paths: &["/api/vitrine", "/api/metrics", "/api/visit", "/api/erro-cliente", "/api/pagamento"],
    },
    OperationTag {
        name: "MCP",
        description: "The same operations as tools of the Model Context Protocol.",
        paths: &["/mcp", "/.well-known/mcp"],
    },
    OperationTag { name: "Service", description: "What the service says of itself.", paths: &[] },
];

/// The group of a path; [`TAGS`]' last where none begins so.
pub(super) fn of(path: &str) -> &'static str {
    let known = TAGS.iter().find(|tag| tag.paths.iter().any(|beginning| path.starts_with(beginning)));
    known.or(TAGS.last()).map_or("", |tag| tag.name)
}

/// The tags in use, with their descriptions.
pub(super) fn described<'p>(paths: impl Iterator<Item = &'p str>) -> Value {
    let used: Vec<&str> = paths.map(of).collect();
    let tags = TAGS.iter().filter(|tag| used.contains(&tag.name));
    tags.map(|tag| json!({"name": tag.name, "description": tag.description})).collect()
}
