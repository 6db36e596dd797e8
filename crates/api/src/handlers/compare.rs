//! Any two audits beside each other.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::operation::{Access, Operation, WrittenJson};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::tabs::{self, Compared};

/// The endpoint of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/compare", "compare_audits", compare)
            .title("Compare two audits", "Comparar duas auditorias")
            .doc(
                "What two of your audits have in common and what only one of them has, by code: of two runs of a page, or of \
                 two pages, such as yours and one that ranks better. What one of them did not measure counts neither as \
                 broken nor as fixed, nor in the difference of the scores. An audit is not compared with itself.",
                "O que duas auditorias suas têm em comum e o que só uma delas tem, por código: duas auditorias de uma \
                 página, ou de duas páginas, como a sua e uma mais bem posicionada. O que uma delas não mediu não \
                 conta como quebrado nem como corrigido, nem na diferença das notas. Uma auditoria não é comparada \
                 consigo mesma.",
            )
            .access(Access::Owner)
            .errors(&[
                Code::InvalidParameter,
                Code::GuestTokenRequired,
                Code::AuditNotFound,
                Code::DatabaseUnavailable,
            ]),
    ]
}

/// Which two.
#[derive(Debug, Deserialize, JsonSchema)]
struct CompareRequest {
    /// The `id` of the audit on the left: the earlier one, or that of the first page.
    #[schemars(extend("x-pt" = "O `id` da auditoria à esquerda: a anterior, ou a da primeira página."))]
    before: String,
    /// The `id` of the audit on the right.
    #[schemars(extend("x-pt" = "O `id` da auditoria à direita."))]
    after: String,
}

async fn compare(cx: Cx, input: CompareRequest) -> Result<WrittenJson<Compared>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let compared = tabs::compared_audits(&cx, &owner, input.before, input.after).await?;
    WrittenJson::spoken(&compared)
}
