//! Payment by x402: what is asked for, in both versions of the protocol.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use model::lang::{Lang, text};
use model::money::Micros;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::config::{Config, PaymentNetwork, Sku};
use crate::error::{ApiError, Code};

/// Life of a payment's signature: above the longest audit and its settlement.
const SECONDS: u32 = 300;

/// Prices and how they are asked for.
#[derive(Debug)]
pub struct Payments {
    chain: &'static Chain,
    pay_to: Option<String>,
    audit: Micros,
}

/// What x402 says of a network and its USDC contract.
#[derive(Debug)]
struct Chain {
    /// Name in version 1.
    name: &'static str,
    /// Name in version 2 (CAIP-2).
    caip2: &'static str,
    /// The USDC contract.
    asset: &'static str,
    /// The token's EIP-712 name; it differs between the networks.
    token: &'static str,
}

const BASE: Chain = Chain {
    name: "base",
    caip2: "eip155:8453",
    asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    token: "USD Coin",
};
const BASE_SEPOLIA: Chain = Chain {
    name: "base-sepolia",
    caip2: "eip155:84532",
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    token: "USDC",
};

/// A thing with a price, as x402 describes it.
struct Offer {
    path: &'static str,
    description: &'static str,
    price: Micros,
    example: Value,
}

impl Payments {
    /// Prices as configured.
    pub fn new(config: &Config) -> Self {
        let chain = match config.payments.network {
            PaymentNetwork::Base => &BASE,
            PaymentNetwork::BaseSepolia => &BASE_SEPOLIA,
        };
        Self { chain, pay_to: config.payments.pay_to.clone(), audit: config.prices.audit_usd }
    }

    /// The refusal that asks for a payment: version 1 in the body, version 2 in a header.
    pub fn required(&self, app: &App, sku: Sku, lang: Lang) -> ApiError {
        let offer = match sku {
            Sku::Audit => Offer {
                path: "/api/audit",
                description: "One technical SEO audit of one page",
                price: self.audit,
                example: json!({"url": "https://example.com/"}),
            },
        };
        const ASKED: model::lang::Text = text(
            "The free audits of today are spent. Pay {price} USD and repeat the same call, or wait for tomorrow (UTC).",
            "As auditorias grátis de hoje acabaram. Pague {price} USD e repita a mesma chamada, ou espere até amanhã (UTC).",
        );
        let asked = ASKED.phrase(&[("price", offer.price.to_string().into())]);
        let error = ApiError::new(Code::AllowanceSpent)
            .with("error", asked.in_lang(lang).into())
            .with("x402Version", 1.into())
            .with("accepts", json!([self.version_1(app, &offer)]));
        let header = STANDARD.encode(Value::Object(self.version_2(app, &offer)).to_string());
        // Base64 is always a header value.
        match HeaderValue::from_str(&header) {
            Ok(value) => error.header(HeaderName::from_static("payment-required"), value),
            Err(_) => error,
        }
    }

    fn version_1(&self, app: &App, offer: &Offer) -> Value {
        let fields: Map<String, Value> = offer
            .example
            .as_object()
            .into_iter()
            .flat_map(|object| object.keys())
            .map(|name| (name.clone(), json!({"type": "string", "required": true})))
            .collect();
        json!({
            "scheme": "exact",
            "network": self.chain.name,
            "maxAmountRequired": offer.price.0.to_string(),
            "resource": app.url(offer.path),
            "description": offer.description,
            "mimeType": "application/json",
            "payTo": self.pay_to,
            "maxTimeoutSeconds": SECONDS,
            "asset": self.chain.asset,
            "outputSchema": {
                "input": {"type": "http", "method": "POST", "discoverable": true, "bodyType": "json", "bodyFields": fields},
                "output": {"type": "object"},
            },
            "extra": {"name": self.chain.token, "version": "2"},
        })
    }

    fn version_2(&self, app: &App, offer: &Offer) -> Map<String, Value> {
        let whole = json!({
            "x402Version": 2,
            "error": "PAYMENT-SIGNATURE header is required",
            "resource": {"url": app.url(offer.path), "description": offer.description, "mimeType": "application/json"},
            "accepts": [{
                "scheme": "exact",
                "network": self.chain.caip2,
                "amount": offer.price.0.to_string(),
                "asset": self.chain.asset,
                "payTo": self.pay_to,
                "maxTimeoutSeconds": SECONDS,
                "extra": {"name": self.chain.token, "version": "2"},
            }],
        });
        whole.as_object().cloned().unwrap_or_default()
    }
}
