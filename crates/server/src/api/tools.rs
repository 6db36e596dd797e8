//! Tools: each family of checks as something to use.

use audit::checks::FAMILIES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checks::with_nearest;
use crate::catalog;
use crate::catalog::near::nearest;
use crate::catalog::tool::Tool;
use crate::error::{ApiError, Code};
use crate::operation::{Cx, LASTING, Nothing, Operation, Written};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/tools", "list_seo_tools", list).text(
            "See every tool",
            "A tool is a family of checks on one subject, with what it checks, a worked example that the engine itself \
             has judged, how to mend what it finds, and the call that does the same. Free; the answer may be kept for an \
             hour and has an `ETag`.",
        ).kept(LASTING),
        Operation::get("/api/tools/{slug}", "get_seo_tool", read)
            .text("See one tool", "One tool by its slug. An unknown slug is told the nearest ones.")
            .kept(LASTING)
            .errors(&[Code::ToolNotFound]),
    ]
}

/// All tools.
#[derive(Debug, Serialize, JsonSchema)]
struct ToolList {
    /// Every tool, in catalog order.
    tools: Vec<Tool>,
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
    slug: String,
}

async fn list(cx: Cx, _: Nothing) -> Result<Written<ToolList>, ApiError> {
    let written = Written::speaking(move || {
        let (app, lang) = (&cx.app, cx.lang);
        let tool = |family| Tool::new(family, app.examples().of(family), app.base_url(), lang);
        let links = HubLinks { this: app.url("/api/tools"), html: app.url("/tools"), api_index: app.url("/api/") };
        Ok(ToolList { tools: FAMILIES.iter().copied().map(tool).collect(), links })
    });
    written.await
}

async fn read(cx: Cx, input: ToolPath) -> Result<Written<Tool>, ApiError> {
    let family = catalog::family(&input.slug).ok_or_else(|| unknown_tool(&input.slug))?;
    let written =
        Written::speaking(move || Ok(Tool::new(family, cx.app.examples().of(family), cx.app.base_url(), cx.lang)));
    written.await
}

/// The refusal of a slug that no tool has, with those that may have been meant.
pub(crate) fn unknown_tool(slug: &str) -> ApiError {
    with_nearest(Code::ToolNotFound, nearest(slug, FAMILIES.iter().map(|family| family.slug)))
}
