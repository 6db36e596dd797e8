//! Identity of the MCP server: the same in its card, its handshake and its discovery.

use model::lang::{Lang, Text, text};
use serde_json::{Value, json};
use url::{Host, Url};

use super::era;
use service::config::Config;

/// Media type of a server card (MCP extension SEP-2127, schema v1).
pub(crate) const MEDIA_TYPE: &str = "application/mcp-server-card+json";
/// Where the card is.
pub(crate) const PATH: &str = "/mcp/server-card";
/// Characters of a card's title.
const TITLE_CHARACTERS: usize = 100;
/// At most 100 characters, as a card takes no more.
const DESCRIPTION: &str = "Technical SEO audit of any public page: score, findings, and the fix for each.";

/// Name and title of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerIdentity {
    /// Reverse host and product, `com.example/site-audit`.
    name: String,
    /// As people read it.
    title: String,
}

impl ServerIdentity {
    /// That of a service at this origin.
    pub(crate) fn new(config: &Config, base_url: &str) -> Self {
        let host = match Url::parse(base_url).ok().as_ref().and_then(Url::host) {
            Some(Host::Domain(name)) => name.split('.').rev().collect::<Vec<_>>().join("."),
            Some(Host::Ipv4(address)) => address.to_string(),
            // A name of the schema holds no colon; only a service that has no name for itself is there.
            Some(Host::Ipv6(_)) | None => "localhost".to_owned(),
        };
        let title = config.product.name.chars().take(TITLE_CHARACTERS).collect();
        Self { name: format!("{host}/{}", config.product.id), title }
    }

    /// For a handshake and for discovery.
    pub(crate) fn server_info(&self) -> Value {
        json!({"name": self.name, "title": self.title, "version": env!("CARGO_PKG_VERSION")})
    }

    /// The card.
    pub(crate) fn card(&self, base_url: &str) -> Value {
        let optional = |name: &str, description: &str| json!({"name": name, "description": description, "isRequired": false, "isSecret": true});
        json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
            "name": self.name,
            "title": self.title,
            "version": env!("CARGO_PKG_VERSION"),
            "description": DESCRIPTION,
            "websiteUrl": format!("{base_url}/"),
            "remotes": [{
                "type": "streamable-http",
                "url": format!("{base_url}/mcp"),
                "supportedProtocolVersions": era::versions(),
                "headers": [
                    optional("X-Guest-Token", "Guest token that owns the audits made with it; POST /api/guest makes one."),
                    optional("X-Api-Key", "API key of an account, instead of a guest token."),
                    optional("X-Credito", "Prepaid credit, which pays calls beyond the free allowance."),
                    optional("PAYMENT-SIGNATURE", "Payment (x402, version 2) of a call beyond the free allowance."),
                    optional("X-PAYMENT", "Payment (x402, version 1) of a call beyond the free allowance."),
                ],
            }],
        })
    }
}

/// `instructions` of the server, for models. `is_of_one`: all calls are those of one guest, and none needs a token.
pub(crate) fn instructions(config: &Config, is_of_one: bool, lang: Lang) -> String {
    const TOKEN: Text = text(
        " To read an audit again, take its patch or follow pages, pass `guest: true` to audit_page, or make a guest token with \
         create_guest first; send it as `guest_token` with each call, or as the header X-Guest-Token of this connection.",
        " Para reler uma auditoria, obter o seu patch ou seguir páginas, passe `guest: true` a audit_page, ou crie antes um \
         token de visitante com create_guest; envie-o como `guest_token` em cada chamada, ou no cabeçalho X-Guest-Token desta \
         conexão.",
    );
    let free = config.limits.free_audits_per_day;
    let token = if is_of_one { "" } else { TOKEN.in_lang(lang) };
    match lang {
        Lang::En => format!(
            "Audits single web pages for technical SEO. Begin with audit_page: it answers with a score, findings and \
             the fix for each. {free} audits a day are free for each network; reading is always free.{token} Short answers: `budget` (tokens) or `fields` on every tool that returns a report. Prove a \
             changed page with verify_page before publishing it. Further operations: list_operations, call_operation. \
             A refusal says in `code` what happened and in `next` what helps."
        ),
        Lang::PtBr => format!(
            "Audita páginas web, uma a uma, quanto a SEO técnico. Comece com audit_page: responde com nota, achados e \
             a correção de cada um. {free} auditorias por dia são grátis para cada rede; ler é sempre grátis.{token} \
             Respostas curtas: `budget` (tokens) ou `fields` em toda ferramenta que devolve \
             um relatório. Prove uma página alterada com verify_page antes de publicá-la. Outras operações: \
             list_operations, call_operation. Uma recusa diz em `code` o que houve e em `next` o que ajuda."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_host_backwards_and_the_product() {
        for (base_url, name) in [
            ("https://audit.example.com", "com.example.audit/site-audit"),
            ("http://127.0.0.1:8080", "127.0.0.1/site-audit"),
            ("http://[::1]:8080", "localhost/site-audit"),
        ] {
            assert_eq!(ServerIdentity::new(&Config::default(), base_url).name, name);
        }
    }

    #[test]
    fn a_card_keeps_to_its_limits() {
        let mut config = Config::default();
        config.product.name = "ö".repeat(200);
        let card = ServerIdentity::new(&config, "https://example.com").card("https://example.com");
        assert_eq!(card["title"].as_str().unwrap().chars().count(), TITLE_CHARACTERS);
        assert!(DESCRIPTION.chars().count() <= 100);
    }
}
