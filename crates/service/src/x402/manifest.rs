//! The x402 manifest, `/.well-known/x402`: every call with a price, for directories of paid APIs.

use model::lang::{Text, text};
use model::time::Timestamp;
use serde_json::{Value, json};

use super::{CREDIT_PATH, PACKS, Payments, Priced, PricedCall};
use crate::config::{LimitSettings, Sku};

/// Instructions for a program that pays.
pub(crate) const HOW_TO_PAY: Text = text(
    "Call without a payment first. A 402 says what is accepted: version 1 of x402 in the body (accepts), version 2 in the header PAYMENT-REQUIRED. Sign it and repeat the same call with X-PAYMENT or PAYMENT-SIGNATURE; if the call turns out to be free, the payment is not settled. Or buy credit once (POST /api/credito?usd=5) and send its token as Authorization: Bearer cred_…",
    "Chame primeiro sem pagamento. Um 402 diz o que é aceito: a versão 1 do x402 no corpo (accepts), a versão 2 no cabeçalho PAYMENT-REQUIRED. Assine e repita a mesma chamada com X-PAYMENT ou PAYMENT-SIGNATURE; se a chamada for grátis, o pagamento não é liquidado. Ou compre crédito uma vez (POST /api/credito?usd=5) e envie o token como Authorization: Bearer cred_…",
);

impl Payments {
    /// The manifest. Advisory: the live 402 is authoritative.
    pub fn manifest(&self, calls: &[PricedCall<'_>], limits: &LimitSettings, started_at: Timestamp) -> Value {
        let calls = calls.iter().map(|call| {
            let free = match call.sku {
                Sku::Audit => format!("{} a day per network", limits.free_audits_per_day),
                Sku::Tab => format!("{} per owner", limits.free_tabs),
            };
            (call.path.to_owned(), Some(free), self.priced(call))
        });
        let packs = PACKS.map(|usd| (format!("{CREDIT_PATH}?usd={usd}"), None, self.pack(usd)));
        let all: Vec<(String, Option<String>, Priced)> = calls.chain(packs).collect();
        let routes: Vec<Value> = all
            .iter()
            .map(|(path, free, priced)| {
                json!({
                    "method": priced.method, "path": path, "price_usd": priced.price,
                    "amount": priced.price.0.to_string(), "description": priced.description, "free": free,
                })
            })
            .collect();
        let items: Vec<Value> = all
            .iter()
            .map(|(_, _, priced)| {
                let input = if priced.in_query {
                    json!({"method": priced.method, "queryParams": priced.fields})
                } else {
                    json!({"method": priced.method, "bodyType": "json", "body": priced.fields})
                };
                // Without live payments no payment is accepted.
                let accepts: Vec<Value> = self.is_live().then(|| self.requirements(priced.price)).into_iter().collect();
                json!({
                    "resource": self.resource(priced), "type": "http",
                    "accepts": accepts, "input": input,
                })
            })
            .collect();
        json!({
            "version": 1,
            "x402Version": 2,
            "x402Versions": [1, 2],
            "lastUpdated": started_at.seconds(),
            "network": self.chain.name,
            "networks": [self.chain.name, self.chain.caip2],
            "chain_id": self.chain.id,
            "asset": "USDC",
            "asset_address": self.chain.asset,
            "pay_to": self.pay_to,
            "facilitator": self.facilitator_url(),
            "mode": self.mode,
            "routes": routes,
            "resources": all.iter().map(|(_, _, priced)| priced.resource.as_str()).collect::<Vec<_>>(),
            "items": items,
            "instructions": HOW_TO_PAY.en,
        })
    }
}
