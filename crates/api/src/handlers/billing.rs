//! Payment methods, prices, and the caller's usage.

use model::pricing::Billing;
use service::billing;
use service::caller::Cx;
use service::error::{Code, ServiceError};

use crate::operation::{JsonAnswer, Nothing, Operation};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/billing", "get_billing", read)
            .title("Get billing information", "Obter os dados de cobrança")
            .doc(
                "Network, payee, prices, your use of the free followed pages, and your trial. A guest token, key or \
                 session says whose pages are counted.",
                "Rede, recebedor, preços, o seu uso das páginas seguidas grátis e o seu período de teste. Um token de \
                 visitante, uma chave ou uma sessão diz de quem são as páginas contadas.",
            )
            .errors(&[Code::DatabaseUnavailable, Code::AuthUnavailable]),
    ]
}

async fn read(cx: Cx, _: Nothing) -> Result<JsonAnswer<Billing>, ServiceError> {
    billing::of(&cx).await.map(JsonAnswer::new)
}
