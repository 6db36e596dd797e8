//! Tags: groups of operations in the description.

use model::lang::{Text, text};
use serde_json::{Value, json};

/// One group.
#[derive(Debug)]
pub struct OperationTag {
    /// Its name.
    pub name: Text,
    /// What its operations are for.
    pub description: Text,
    /// Beginnings of its paths, in whole segments.
    paths: &'static [&'static str],
}

impl OperationTag {
    /// Whether the operations of a path are in this group.
    pub fn holds(&self, path: &str) -> bool {
        of(path) == self.name.en
    }
}

/// The groups, in the order of the documentation.
pub static TAGS: [OperationTag; 11] = [
    OperationTag {
        name: text("Audits", "Auditorias"),
        description: text(
            "Audit a page, read what was found, take the patch, prove it.",
            "Audite uma página, leia os achados, obtenha o patch e comprove-o.",
        ),
        paths: &["/api/audit", "/api/audits", "/api/running", "/api/verify", "/api/compare", "/reports"],
    },
    OperationTag {
        name: text("Sharing", "Compartilhamento"),
        description: text(
            "Reports with a public address, their badges, and the keys of signed receipts.",
            "Relatórios com endereço público, os selos deles e as chaves dos recibos assinados.",
        ),
        paths: &["/api/shared", "/api/badge", "/badge", "/r", "/api/embed", "/embed", "/.well-known/jwks.json"],
    },
    OperationTag {
        name: text("Followed pages", "Páginas seguidas"),
        description: text(
            "Followed pages, called tabs in names, and their history.",
            "Páginas seguidas, que se chamam tab nos nomes, e o histórico delas.",
        ),
        paths: &["/api/tabs"],
    },
    OperationTag {
        name: text("Sites", "Sites"),
        description: text(
            "Audit whole sites, and read what shows across their pages.",
            "Audite sites inteiros e leia o que só aparece entre as páginas.",
        ),
        paths: &["/api/sites", "/api/site-watches"],
    },
    OperationTag {
        name: text("Webhooks", "Webhooks"),
        description: text(
            "What tells programs of the runs of followed pages: webhooks, a private feed, and a calendar of their dates.",
            "O que avisa programas das auditorias de páginas seguidas: webhooks, um feed privado e um calendário das datas delas.",
        ),
        paths: &["/api/webhooks", "/api/feed", "/feeds", "/api/calendar"],
    },
    OperationTag {
        name: text("Catalog", "Catálogo"),
        description: text("Every check and every tool, as data.", "Todas as verificações e ferramentas, como dados."),
        paths: &["/api/checks", "/api/tools", "/checks", "/tools"],
    },
    OperationTag {
        name: text("Identity", "Identidade"),
        description: text("Guests, accounts and their keys.", "Visitantes, contas e chaves."),
        paths: &["/api/guest", "/api/me", "/api/auth", "/api/account", "/api/organizations"],
    },
    OperationTag {
        name: text("Payment", "Pagamento"),
        description: text(
            "What is free, what it costs beyond, and how to pay.",
            "O que é grátis, quanto custa o resto e como pagar.",
        ),
        paths: &["/api/gate", "/api/billing", "/api/pricing", "/api/credito", "/api/creditos", "/.well-known/x402"],
    },
    OperationTag {
        name: text("Statistics", "Estatísticas"),
        description: text("What the service counts.", "O que o serviço conta."),
        paths: &["/api/vitrine", "/api/metrics", "/api/visit", "/api/erro-cliente", "/api/pagamento"],
    },
    OperationTag {
        name: text("MCP", "MCP"),
        description: text(
            "The same operations as tools of the Model Context Protocol.",
            "As mesmas operações como ferramentas do Model Context Protocol.",
        ),
        paths: &["/mcp", "/.well-known/mcp-registry-auth"],
    },
    OperationTag {
        name: text("Service", "Serviço"),
        description: text("What the service says of itself.", "O que o serviço diz de si mesmo."),
        paths: &[],
    },
];

/// The group of a path; [`TAGS`]' last where none begins so.
pub(super) fn of(path: &str) -> &'static str {
    let is_in =
        |beginning: &str| path.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let known = TAGS.iter().find(|tag| tag.paths.iter().any(|beginning| is_in(beginning)));
    known.or(TAGS.last()).map_or("", |tag| tag.name.en)
}

/// The tags in use, with their descriptions.
pub(super) fn described<'p>(paths: impl Iterator<Item = &'p str>) -> Value {
    let used: Vec<&str> = paths.map(of).collect();
    let tags = TAGS.iter().filter(|tag| used.contains(&tag.name.en));
    tags.map(|tag| json!({"name": tag.name.en, "description": tag.description.en})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_in_the_group_of_its_first_segments() {
        for (path, group) in [
            ("/api/audit", "Audits"),
            ("/api/audits/{id}/patch", "Audits"),
            ("/api/compare", "Audits"),
            ("/api/site-watches/{id}", "Sites"),
            ("/api/me", "Identity"),
            ("/api/metrics", "Statistics"),
            ("/api/creditos", "Payment"),
            ("/.well-known/mcp-registry-auth", "MCP"),
            ("/.well-known/security.txt", "Service"),
            ("/api/health", "Service"),
        ] {
            assert_eq!(of(path), group, "{path}");
        }
    }
}
