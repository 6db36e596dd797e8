//! Tools: each family of checks as something to use.

use audit::checks::FAMILIES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Call, LASTING, Nothing, Operation, WrittenJson};
use render::catalog;
use render::catalog::tool::Tool;
use service::error::{Code, ServiceError};
use service::unknown;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/tools", "list_seo_tools", list)
            .title("List all tools", "Listar todas as ferramentas")
            .doc(
                "A tool is a family of checks on one subject: what it checks, a worked example audited by the engine, \
                 how to fix its findings, and the API call. Free; cacheable for an hour, with an `ETag`.",
                "Uma ferramenta é uma família de verificações sobre um assunto: o que ela verifica, um exemplo \
                 auditado de verdade, como corrigir os achados e a chamada da API. Grátis; pode ficar em cache por \
                 uma hora, com um `ETag`.",
            )
            .cacheable(LASTING),
        Operation::get("/api/tools/{slug}", "get_seo_tool", read)
            .title("Get a tool", "Obter uma ferramenta")
            .doc(
                "One tool by its slug. For an unknown slug, the error suggests similar ones.",
                "Uma ferramenta pelo slug. Para um slug desconhecido, o erro sugere os parecidos.",
            )
            .cacheable(LASTING)
            .errors(&[Code::ToolNotFound]),
    ]
}

/// All tools.
#[derive(Debug, Serialize, JsonSchema)]
struct ToolList {
    /// Every tool, in catalog order.
    tools: Vec<Tool>,
    /// Related addresses.
    #[serde(rename = "_links")]
    links: HubLinks,
}

/// Related addresses of the list.
#[derive(Debug, Serialize, JsonSchema)]
struct HubLinks {
    /// This document.
    #[serde(rename = "self")]
    this: String,
    /// The list as a page.
    html: String,
    /// `GET /api/`.
    api_index: String,
}

/// Which tool.
#[derive(Debug, Deserialize, JsonSchema)]
struct ToolPath {
    /// The slug.
    #[schemars(extend("x-pt" = "Slug da ferramenta."))]
    slug: String,
}

async fn list(call: Call, _: Nothing) -> Result<WrittenJson<ToolList>, ServiceError> {
    let written = WrittenJson::speaking(move || {
        let (services, lang) = (&call.cx.services, call.cx.lang);
        let tool = |family| Tool::new(family, call.resources.examples.of(family), services.base_url(), lang);
        let links = HubLinks {
            this: services.url("/api/tools"),
            html: services.url("/tools"),
            api_index: services.url("/api/"),
        };
        Ok(ToolList { tools: FAMILIES.iter().copied().map(tool).collect(), links })
    });
    written.await
}

async fn read(call: Call, input: ToolPath) -> Result<WrittenJson<Tool>, ServiceError> {
    let family = catalog::family(&input.slug).ok_or_else(|| unknown::tool(&input.slug))?;
    let written = WrittenJson::speaking(move || {
        Ok(Tool::new(family, call.resources.examples.of(family), call.cx.services.base_url(), call.cx.lang))
    });
    written.await
}
