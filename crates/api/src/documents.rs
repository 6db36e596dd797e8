//! Discovery documents: the catalog of operations and the configuration in the format of each standard (OpenAPI, A2A, API
//! catalog, llms.txt…). All are public, cost nothing, and stay the same while the service runs.

mod agent_card;
mod ai_catalog;
mod api_catalog;
mod apis_json;
pub mod docs;
pub mod guides;
pub mod index;
pub mod llms;
mod okf;
pub mod openapi;
pub mod operations;
mod security_txt;
mod source;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use model::lang::{Text, text};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::operation::{Call, DocumentTexts, IntoReply, LASTING, Nothing, Operation, Reply};
pub use source::DocumentSource;

use service::Services;
use service::error::{Code, ServiceError};

/// Path of the list of priced resources (x402).
pub(crate) const X402_PATH: &str = "/.well-known/x402";

/// Media types with their parameters.
mod media {
    pub(super) const JSON: &str = "application/json";
    pub(super) const MARKDOWN: &str = "text/markdown; charset=utf-8";
    pub(super) const TEXT: &str = "text/plain; charset=utf-8";
    /// RFC 9727 §4.2 names the profile.
    pub(super) const LINKSET: &str = r#"application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727""#;
    /// Of the proposal Agentic Resource Discovery.
    pub(super) const AI_CATALOG: &str = "application/ai-catalog+json";
}

/// A discovery document: its endpoint, and how its content is made.
struct DiscoveryDocument {
    path: &'static str,
    name: &'static str,
    title: Text,
    doc: Text,
    /// Media type; no schema, as the formats are those of other standards.
    output: fn(&mut SchemaGenerator) -> (&'static str, Option<Schema>),
    write: Write,
}

/// When a document is written.
enum Write {
    /// Once, when the first of these is requested.
    Once(fn(&DocumentSource<'_>) -> String),
    /// For each call, as it depends on the day or on configuration. `None`: not configured.
    OnCall(fn(&Services) -> Option<String>),
}

const DOCUMENTS: [DiscoveryDocument; 11] = [
    DiscoveryDocument {
        path: "/agent.json",
        name: "get_agent_card",
        title: text("Get the agent card", "Obter o cartão do agente"),
        doc: text(
            "Identity and skills of the agent (A2A 1.0.1 AgentCard). Its protocol is MCP.",
            "Identidade e habilidades do agente (AgentCard do A2A 1.0.1). O protocolo dele é o MCP.",
        ),
        output: |_| (media::JSON, None),
        write: Write::Once(agent_card::document),
    },
    DiscoveryDocument {
        path: "/.well-known/agent-card.json",
        name: "get_well_known_agent_card",
        title: text("Get the agent card at its well-known path", "Obter o cartão do agente no endereço well-known"),
        doc: text("The same as `/agent.json`.", "O mesmo que `/agent.json`."),
        output: |_| (media::JSON, None),
        write: Write::Once(agent_card::document),
    },
    DiscoveryDocument {
        path: "/.well-known/api-catalog",
        name: "get_api_catalog",
        title: text("Get the API catalog", "Obter o catálogo de APIs"),
        doc: text(
            "The APIs of this host and what describes them (RFC 9727, RFC 9264).",
            "As APIs deste host e o que as descreve (RFC 9727, RFC 9264).",
        ),
        output: |_| (media::LINKSET, None),
        write: Write::Once(api_catalog::document),
    },
    DiscoveryDocument {
        path: "/.well-known/security.txt",
        name: "get_security_txt",
        title: text("Get the security contact", "Obter o contato de segurança"),
        doc: text(
            "Contact for vulnerability reports (RFC 9116). 404 if the operator has not set one.",
            "Contato para relatos de vulnerabilidades (RFC 9116). 404 se o operador não definiu nenhum.",
        ),
        output: |_| (media::TEXT, None),
        write: Write::OnCall(security_txt::document),
    },
    DiscoveryDocument {
        path: "/.well-known/mcp-registry-auth",
        name: "get_mcp_registry_auth",
        title: text("Get the proof for the MCP registry", "Obter a prova para o registro MCP"),
        doc: text(
            "Proves to the MCP registry who owns this host. 404 if the operator has not set one.",
            "Prova ao registro MCP quem é o dono deste host. 404 se o operador não definiu nenhuma.",
        ),
        output: |_| (media::TEXT, None),
        write: Write::OnCall(|services| {
            services.config().mcp.registry_auth.as_ref().map(|line| format!("{}\n", line.trim()))
        }),
    },
    DiscoveryDocument {
        path: "/.well-known/ai-catalog.json",
        name: "get_ai_catalog",
        title: text("Get the catalog for AI clients", "Obter o catálogo para clientes de IA"),
        doc: text(
            "The MCP server and the agent card, with example questions (AI Catalog 1.0).",
            "O servidor MCP e o cartão do agente, com perguntas de exemplo (AI Catalog 1.0).",
        ),
        output: |_| (media::AI_CATALOG, None),
        write: Write::Once(ai_catalog::document),
    },
    DiscoveryDocument {
        path: "/apis.json",
        name: "get_apis_json",
        title: text("Get the APIs.json index", "Obter o índice APIs.json"),
        doc: text("The API and its documents (APIs.json 0.19).", "A API e os documentos dela (APIs.json 0.19)."),
        output: |_| (media::JSON, None),
        write: Write::Once(apis_json::document),
    },
    DiscoveryDocument {
        path: "/.well-known/apis.json",
        name: "get_well_known_apis_json",
        title: text(
            "Get the APIs.json index at its well-known path",
            "Obter o índice APIs.json no endereço well-known",
        ),
        doc: text("The same as `/apis.json`.", "O mesmo que `/apis.json`."),
        output: |_| (media::JSON, None),
        write: Write::Once(apis_json::document),
    },
    DiscoveryDocument {
        path: "/llms.txt",
        name: "get_llms_txt",
        title: text("Get the guide for language models", "Obter o guia para modelos de linguagem"),
        doc: text(
            "What the service does, with links to the details, in Markdown (llmstxt.org).",
            "O que o serviço faz, com links para os detalhes, em Markdown (llmstxt.org).",
        ),
        output: |_| (media::MARKDOWN, None),
        write: Write::Once(llms::short),
    },
    DiscoveryDocument {
        path: "/skill.md",
        name: "get_skill",
        title: text("Get the skill for coding agents", "Obter a skill para agentes de código"),
        doc: text(
            "A skill file for coding agents that fix pages: audit, patch, apply, verify, repeat.",
            "Um arquivo de skill para agentes de código que corrigem páginas: auditar, obter o patch, aplicar, \
             verificar, repetir.",
        ),
        output: |_| (media::MARKDOWN, None),
        write: Write::Once(llms::skill),
    },
    DiscoveryDocument {
        path: "/llms-full.txt",
        name: "get_llms_full_txt",
        title: text("Get the whole guide in one file", "Obter o guia completo em um arquivo"),
        doc: text(
            "How clients are set up, every operation with an example, every error, prices, limits and the whole \
             catalog of checks, in Markdown.",
            "Como configurar clientes, todas as operações com um exemplo, todos os erros, preços, limites e o \
             catálogo inteiro de verificações, em Markdown.",
        ),
        output: |_| (media::MARKDOWN, None),
        write: Write::Once(llms::full),
    },
];

/// The endpoints of this file.
pub fn operations() -> Vec<Operation> {
    let documents = DOCUMENTS.iter().map(|document| {
        let handler = move |call: Call, _: Nothing| async move { answer(&call, document) };
        let mut operation = Operation::get(document.path, document.name, handler);
        operation.output = document.output;
        if let Write::OnCall(_) = document.write {
            operation = operation.errors(&[Code::NotFound]);
        }
        (operation.title, operation.doc) = (document.title, document.doc);
        operation.cacheable(LASTING).without_tool()
    });
    let bundle = Operation::get("/okf/{file}", "get_okf_file", |call: Call, path: OkfPath| async move {
        let file = call.resources.documents.get(&format!("/okf/{}", path.file));
        Ok(DocumentFile {
            media_type: media::MARKDOWN,
            body: file.cloned().ok_or_else(|| ServiceError::new(Code::NotFound))?,
        })
    });
    let mut bundle = bundle
        .title("Get a file of the knowledge bundle", "Obter um arquivo do pacote de conhecimento")
        .doc(
            "What an agent needs to know, in Open Knowledge Format 0.1.",
            "O que um agente precisa saber, em Open Knowledge Format 0.1.",
        )
        .cacheable(LASTING)
        .errors(&[Code::NotFound])
        .without_tool();
    bundle.output = |_| (media::MARKDOWN, None);
    documents.chain([bundle]).collect()
}

/// Which file.
#[derive(Debug, Deserialize, JsonSchema)]
struct OkfPath {
    /// A file of the bundle.
    #[schemars(extend("x-pt" = "Um arquivo do pacote."))]
    #[schemars(extend("enum" = ["index.md", "sobre.md", "api.md", "faq.md"]))]
    file: String,
}

/// A document as an answer.
#[derive(Debug)]
struct DocumentFile {
    media_type: &'static str,
    body: Bytes,
}

impl IntoReply for DocumentFile {
    fn reply(self) -> Result<Reply, ServiceError> {
        let mut reply = Reply { media_type: self.media_type, ..Reply::json(self.body) };
        if self.media_type == media::LINKSET {
            // RFC 9727 §3: HEAD shall carry the links of the catalog.
            let links = HeaderValue::from_static(api_catalog::LINKS);
            reply.headers.push((header::LINK, links));
        }
        Ok(reply)
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        (media::TEXT, None)
    }
}

fn answer(call: &Call, document: &'static DiscoveryDocument) -> Result<DocumentFile, ServiceError> {
    let (media_type, _) = (document.output)(&mut SchemaGenerator::default());
    let body = match document.write {
        Write::Once(_) => call.resources.documents.get(document.path).cloned(),
        Write::OnCall(write) => write(&call.cx.services).map(Bytes::from),
    };
    Ok(DocumentFile { media_type, body: body.ok_or_else(|| ServiceError::new(Code::NotFound))? })
}

/// Writes the documents that stay the same while the service runs. `manifest`: the priced resources, as x402 lists them.
pub fn written(source: &DocumentSource<'_>, manifest: &Value) -> DocumentTexts {
    let documents = DOCUMENTS.iter().filter_map(|document| match document.write {
        Write::Once(write) => Some((document.path, write(source))),
        Write::OnCall(_) => None,
    });
    let texts = documents.chain(okf::files(source)).map(|(path, text)| (path.into(), Bytes::from(text)));
    let described = [
        (openapi::PATH.into(), source.openapi.to_string().into()),
        (index::PATH.into(), json!(index::document(source)).to_string().into()),
        (X402_PATH.into(), manifest.to_string().into()),
    ];
    let operations = operations::files(source).into_iter().map(|(path, text)| (path.into(), text));
    texts.chain(described).chain(operations).collect()
}

/// `Link` header to the discovery documents (RFC 8288), on the first page and on the index.
pub fn link() -> (HeaderName, HeaderValue) {
    const LINKS: &str = "</.well-known/api-catalog>; rel=\"api-catalog\", </openapi.json>; rel=\"service-desc\"; \
                         type=\"application/json\", </llms.txt>; rel=\"service-doc\"; type=\"text/markdown\", \
                         </.well-known/ai-catalog.json>; rel=\"ai-catalog\"";
    (header::LINK, HeaderValue::from_static(LINKS))
}
