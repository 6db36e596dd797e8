//! Prices, and the x402 manifest. Every number is from the configuration.

use bytes::Bytes;
use model::pricing::Pricing;
use schemars::{Schema, SchemaGenerator};

use crate::documents::X402_PATH;
use crate::operation::{Call, IntoReply, Nothing, Operation, Reply, WrittenJson};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::pricing;

/// Path of the prices.
pub(super) const PATH: &str = "/api/pricing";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(PATH, "get_pricing", read).title("Get prices", "Obter os preços").doc(
            "What is free, what the rest costs, and how to pay.",
            "O que é grátis, quanto custa o resto e como pagar.",
        ),
        Operation::get(X402_PATH, "get_payment_manifest", manifest)
            .title("List priced calls", "Listar as chamadas com preço")
            .doc(
                "Network, payee and every priced call, for x402 discovery. The 402 response of a call decides.",
                "Rede, recebedor e todas as chamadas com preço, para a descoberta do x402. O que vale é a resposta \
                 402 da chamada.",
            )
            .without_tool(),
    ]
}

async fn read(cx: Cx, _: Nothing) -> Result<WrittenJson<Pricing>, ServiceError> {
    let services = &cx.services;
    WrittenJson::spoken(&Pricing {
        product: services.config().product.name.clone(),
        quota: pricing::quota(services, cx.lang),
        pricing: services.url(PATH),
        billing: services.url("/api/billing"),
        api_index: services.url("/api/"),
    })
}

/// The manifest; it has no schema of its own, as no standard is settled.
struct Manifest(Bytes);

impl IntoReply for Manifest {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply::json(self.0))
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("application/json", None)
    }
}

async fn manifest(call: Call, _: Nothing) -> Result<Manifest, ServiceError> {
    let manifest = call.resources.documents.get(X402_PATH).cloned();
    manifest.map(Manifest).ok_or_else(|| ServiceError::new(Code::Internal))
}
