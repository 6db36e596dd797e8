//! Messages to the team.

use schemars::JsonSchema;
use serde::Serialize;

use crate::operation::{JsonAnswer, Operation};
use service::caller::Cx;
use service::contact::{self, ContactForm};
use service::error::{Code, ServiceError};

/// Where a message is sent to.
const PATH: &str = "/api/contact";

/// Bytes of a body: the longest message, each character escaped as two of `\uXXXX`, and the other fields.
const CONTACT_BYTES: usize = 128 * 1024;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post(PATH, "send_contact_message", send)
            .title("Contact the team", "Falar com a equipe")
            .doc(
                "Emails `message` to the team, who reply to `email`. Free, without an account. Messages from one \
                 network (IPv4 /24, IPv6 /48) are sent 10 seconds apart: a faster one is accepted, queued, and then \
                 sent. At most 20 wait per network. With `tipo` the message is a proposal, and its other fields are \
                 read.",
                "Envia `message` por e-mail à equipe, que responde a `email`. Grátis, sem conta. Mensagens de uma \
                 mesma rede (IPv4 /24, IPv6 /48) são enviadas com 10 segundos entre elas: uma mais rápida é aceita, \
                 entra na fila e é enviada depois. No máximo 20 esperam por rede. Com `tipo`, a mensagem é uma \
                 proposta, e os outros campos dela são lidos.",
            )
            .body(CONTACT_BYTES)
            .errors(&[
                Code::InvalidName,
                Code::InvalidEmail,
                Code::InvalidMessage,
                Code::InvalidProposal,
                Code::InvalidCompany,
                Code::InvalidSite,
                Code::InvalidBudget,
                Code::InvalidPlacements,
                Code::InvalidDuration,
                Code::InvalidMeans,
                Code::RateLimited,
                Code::ContactUnconfigured,
                Code::ContactQueueFull,
                Code::DatabaseUnavailable,
            ]),
    ]
}

/// The message was accepted.
#[derive(Debug, Serialize, JsonSchema)]
struct ContactAccepted {
    /// Always true.
    ok: bool,
}

async fn send(cx: Cx, form: ContactForm) -> Result<JsonAnswer<ContactAccepted>, ServiceError> {
    contact::send(&cx, &form).await?;
    Ok(JsonAnswer::new(ContactAccepted { ok: true }))
}
