//! x402: prices, the 402 in versions 1 and 2 of the protocol, the headers of a payment, the facilitator, and the chain.
//!
//! One value holds prices, payee and network; the 402, `/api/billing`, `/api/pricing` and the manifest are made from it.

mod chain;
mod facilitator;
mod manifest;
mod means;
mod ongoing;
mod payload;

use model::lang::{Lang, Text, text};
use model::money::Micros;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::Notify;
use url::Url;

use crate::config::{Config, PaymentMode, PaymentNetwork, Prices, Sku};
use crate::error::{Code, ServiceError};

pub use chain::Chain;
pub(crate) use chain::{ChainNode, ChainUse, TransferQuery};
pub use facilitator::{Facilitator, FacilitatorState, is_transaction};
pub(crate) use facilitator::{PENDING, REVERTED, Settlement, Verified};
pub(crate) use manifest::HOW_TO_PAY;
pub(crate) use means::KEY_CHARS;
pub use means::{CallPayment, PaymentHeaders, PaymentMeans};
pub use ongoing::Ongoing;
pub(crate) use ongoing::SETTLE_LEASE_MS;
pub(crate) use payload::{ExpectedPayment, SignedPayment, UNSUPPORTED_VERSION};

/// Life of a payment's signature, in seconds: above the longest audit and its settlement.
const SIGNATURE_SECONDS: u32 = 300;
/// Packs of credit, in whole US dollars.
pub const PACKS: [u32; 4] = [1, 5, 10, 25];
/// The refusal of another amount.
pub(crate) const NO_PACK: Text = text("usd: use 1, 5, 10 or 25", "usd: use 1, 5, 10 ou 25");
/// The facilitator of the test network.
const TEST_FACILITATOR: &str = "https://x402.org/facilitator";
/// Seconds after which a facilitator that was down is asked again.
pub(crate) const FACILITATOR_RETRY: u32 = 10;
/// Name of the operation that sells credit.
pub const BUY_CREDIT: &str = "buy_credit";
/// Where credit is bought.
pub const CREDIT_PATH: &str = "/api/credito";

/// Prices, payee, network, facilitator and node.
#[derive(Debug)]
pub struct Payments {
    chain: &'static Chain,
    mode: PaymentMode,
    pay_to: Option<String>,
    prices: Prices,
    facilitator: Option<Facilitator>,
    node: Option<ChainNode>,
    /// Wakes the worker when a payment is left unclear.
    unclear: Notify,
    ongoing: Ongoing,
    /// The public origin, without a slash at its end.
    base_url: String,
}

/// A call of an operation with a price: the input of [`Priced`].
#[derive(Debug, Clone)]
pub struct PricedCall<'a> {
    /// Name of the operation.
    pub operation: &'static str,
    /// What is sold.
    pub sku: Sku,
    /// Method of HTTP.
    pub method: &'a str,
    /// Path with names of parameters in braces.
    pub path: &'static str,
    /// Fields that the input must have, besides those in the path.
    pub required: &'a [String],
    /// The input is a query, not a body.
    pub in_query: bool,
    /// Part of an answer, as a sample.
    pub sample: Value,
    /// The input, path parameters included.
    pub input: &'a Map<String, Value>,
}

/// A call with a price, as x402 describes it.
#[derive(Debug, Clone)]
pub struct Priced {
    /// What is sold; `None`: a pack of credit.
    pub sku: Option<Sku>,
    /// Name of the operation.
    pub operation: &'static str,
    /// What it costs.
    pub price: Micros,
    method: String,
    /// Absolute URL of what is called.
    pub resource: String,
    /// Digest of operation and input; independent of caller and price.
    pub call_digest: [u8; 32],
    description: String,
    /// Required fields of its input, each with an example.
    fields: Map<String, Value>,
    in_query: bool,
    /// Part of its answer, as a sample.
    sample: Value,
    /// Message of its 402.
    ask: Text,
    code: Code,
}

impl Payments {
    /// The payments of a configuration.
    pub fn new(config: &Config, base_url: &str) -> Self {
        let payments = &config.payments;
        let is_test = payments.network == PaymentNetwork::BaseSepolia;
        let facilitator = payments.facilitator.as_deref().or(is_test.then_some(TEST_FACILITATOR));
        Self {
            chain: Chain::of(payments.network),
            mode: config.payment_mode(),
            pay_to: payments.pay_to.clone(),
            prices: config.prices,
            facilitator: facilitator
                .and_then(|url| Url::parse(url).ok())
                .map(|url| Facilitator::new(url, payments.facilitator_auth.clone())),
            node: payments.rpc_url.as_ref().and_then(|url| Url::parse(url.expose()).ok()).map(ChainNode::new),
            unclear: Notify::new(),
            ongoing: Ongoing::default(),
            base_url: base_url.to_owned(),
        }
    }

    /// Whether calls are charged for.
    pub fn is_live(&self) -> bool {
        self.mode == PaymentMode::Live
    }

    /// The network.
    pub fn chain(&self) -> &'static Chain {
        self.chain
    }

    /// The node that the chain is searched with, if one is configured.
    pub fn node(&self) -> Option<&ChainNode> {
        self.node.as_ref()
    }

    /// Waits until a payment is left unclear, or was since the last wait.
    pub(crate) async fn woken(&self) {
        self.unclear.notified().await;
    }

    /// Wakes the worker: a payment is unclear.
    pub(crate) fn wake_worker(&self) {
        self.unclear.notify_one();
    }

    /// The paid work in progress.
    pub fn ongoing(&self) -> &Ongoing {
        &self.ongoing
    }

    /// The facilitator, if one is configured.
    pub fn facilitator(&self) -> Option<&Facilitator> {
        self.facilitator.as_ref()
    }

    /// The facilitator's address; empty where there is none.
    pub(crate) fn facilitator_url(&self) -> &str {
        self.facilitator.as_ref().map_or("", Facilitator::url)
    }

    /// The address that is paid.
    pub fn pay_to(&self) -> Option<&str> {
        self.pay_to.as_deref()
    }

    /// The price and resource of a call.
    pub fn priced(&self, call: &PricedCall<'_>) -> Priced {
        let (description, code, ask) = match call.sku {
            Sku::Audit => (
                "One technical SEO audit of one page",
                Code::AllowanceSpent,
                text(
                    "Today's free audits are used up. Pay {price} USD and repeat the same call, or wait until tomorrow (UTC).",
                    "As auditorias grátis de hoje acabaram. Pague US$ {preco} e repita a mesma chamada, ou espere até amanhã (UTC).",
                ),
            ),
            Sku::Tab => (
                "One more followed page",
                Code::PaymentRequired,
                text(
                    "You have reached the number of free followed pages. Pay {price} USD and repeat the same call, or stop following one.",
                    "Você atingiu o número de páginas seguidas grátis. Pague US$ {preco} e repita a mesma chamada, ou deixe de seguir uma.",
                ),
            ),
        };
        let path = call.path.split('/').map(|segment| match parameter(segment) {
            Some(name) => call.input.get(name).and_then(Value::as_str).unwrap_or(segment),
            None => segment,
        });
        let (method, resource) = (call.method.to_owned(), self.url(&path.collect::<Vec<_>>().join("/")));
        Priced {
            sku: Some(call.sku),
            operation: call.operation,
            price: self.prices.of(call.sku),
            call_digest: call_digest(&method, call.operation, &resource, call.input),
            method,
            resource,
            description: description.to_owned(),
            fields: call.required.iter().map(|name| (name.clone(), "https://example.com/".into())).collect(),
            in_query: call.in_query,
            sample: call.sample.clone(),
            ask,
            code,
        }
    }

    /// The absolute URL of a path of ours.
    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url)
    }

    /// A pack of credit.
    pub fn pack(&self, usd: u32) -> Priced {
        let (method, resource) = ("POST".to_owned(), self.url(&format!("{CREDIT_PATH}?usd={usd}")));
        let fields = Map::from_iter([("usd".to_owned(), usd.into())]);
        let price = Micros::of_dollars(usd);
        Priced {
            sku: None,
            operation: BUY_CREDIT,
            price,
            call_digest: call_digest(&method, BUY_CREDIT, &resource, &fields),
            method,
            resource,
            description: format!("Prepaid credit of {usd} USD"),
            fields,
            in_query: true,
            sample: json!({"token": "cred_…", "saldo_usd": price.to_string()}),
            ask: text(
                "Pay {price} USD and repeat the same call: the response contains the credit's token, once. Send your own Idempotency-Key with the call: if the response is lost, the same call with the same key returns a new token. Without a key, that works only if you buy with a guest token, API key or session.",
                "Pague US$ {preco} e repita a mesma chamada: a resposta traz o token do crédito, uma vez. Envie uma Idempotency-Key sua na chamada: se a resposta se perder, a mesma chamada com a mesma chave devolve um token novo. Sem ela, isso só funciona se você comprar com token de visitante, chave de API ou sessão.",
            ),
            code: Code::PaymentRequired,
        }
    }

    /// Our payment requirements, version 2 of x402.
    pub fn requirements(&self, price: Micros) -> Value {
        payload::requirements(self.chain, self.pay_to.as_deref().unwrap_or_default(), price, SIGNATURE_SECONDS)
    }

    /// The refusal that asks for a payment: version 1 in the body, version 2 in a header.
    pub fn payment_required(&self, priced: &Priced, lang: Lang) -> ServiceError {
        let sentence = priced.ask.phrase(&priced.price.values());
        let error = ServiceError::new(priced.code).with("error", sentence.in_lang(lang).into());
        self.offered(priced, error)
    }

    /// A 402 error with the payment requirements; [`Code::FacilitatorUnavailable`] while nobody could pay.
    pub fn offered(&self, priced: &Priced, error: ServiceError) -> ServiceError {
        if let Err(down) = self.can_settle() {
            return down;
        }
        error
            .with("x402Version", 1.into())
            .with("accepts", json!([self.version_1(priced)]))
            .offering(self.version_2(priced))
    }

    /// The error of a refused payment; `reason` is a word of the x402 specification.
    pub fn refused(&self, priced: &Priced, reason: &str) -> ServiceError {
        self.offered(priced, ServiceError::new(Code::PaymentRefused).detail(reason))
    }

    /// [`Code::FacilitatorUnavailable`] while the facilitator is known to be down: never a 402 that nobody can pay.
    pub(crate) fn can_settle(&self) -> Result<&Facilitator, ServiceError> {
        match &self.facilitator {
            Some(facilitator) if facilitator.takes_payments() => Ok(facilitator),
            _ => Err(ServiceError::new(Code::FacilitatorUnavailable).retry_after(FACILITATOR_RETRY)),
        }
    }

    /// The body of a call's 402, version 1; `None` where nothing is charged.
    pub fn example(&self, priced: &Priced) -> Option<Value> {
        self.is_live().then(|| json!({"x402Version": 1, "accepts": [self.version_1(priced)]}))
    }

    fn version_1(&self, priced: &Priced) -> Value {
        let fields: Map<String, Value> = priced
            .fields
            .iter()
            .map(|(name, example)| {
                let kind = if example.is_number() { "integer" } else { "string" };
                (name.clone(), json!({"type": kind, "required": true}))
            })
            .collect();
        let input = if priced.in_query {
            json!({"type": "http", "method": priced.method, "discoverable": true, "queryParams": fields})
        } else {
            json!({
                "type": "http", "method": priced.method, "discoverable": true, "bodyType": "json", "bodyFields": fields,
            })
        };
        json!({
            "scheme": "exact",
            "network": self.chain.name,
            "maxAmountRequired": priced.price.0.to_string(),
            "resource": priced.resource,
            "description": priced.description,
            "mimeType": "application/json",
            "payTo": self.pay_to,
            "maxTimeoutSeconds": SIGNATURE_SECONDS,
            "asset": self.chain.asset,
            "outputSchema": {"input": input, "output": {"type": "object"}},
            "extra": {"name": self.chain.token, "version": chain::TOKEN_VERSION},
        })
    }

    /// The demand for a payment in version 2, for its header and for MCP.
    pub fn version_2(&self, priced: &Priced) -> Value {
        let (kind, method) = (json!({"const": "http"}), json!({"enum": [priced.method]}));
        let object = json!({"type": "object"});
        let (input, shape, names) = if priced.in_query {
            (
                json!({"type": "http", "method": priced.method, "queryParams": priced.fields}),
                json!({"type": kind, "method": method, "queryParams": object}),
                json!(["type", "method", "queryParams"]),
            )
        } else {
            (
                json!({"type": "http", "method": priced.method, "bodyType": "json", "body": priced.fields}),
                json!({"type": kind, "method": method, "bodyType": {"enum": ["json"]}, "body": object}),
                json!(["type", "method", "bodyType", "body"]),
            )
        };
        json!({
            "x402Version": 2,
            "error": "PAYMENT-SIGNATURE header is required",
            "resource": self.resource(priced),
            "accepts": [self.requirements(priced.price)],
            "extensions": {
                "bazaar": {
                    "info": {"input": input, "output": {"type": "json", "example": priced.sample}},
                    "schema": {
                        "$schema": "https://json-schema.org/draft/2020-12/schema",
                        "type": "object",
                        "properties": {
                            "input": {"type": "object", "properties": shape, "required": names},
                            "output": {"type": "object"},
                        },
                        "required": ["input"],
                    },
                },
                "payment-identifier": {
                    "info": {"required": false},
                    "schema": {
                        "type": "object",
                        "properties": {
                            "required": {"type": "boolean"},
                            "id": {"type": "string", "minLength": KEY_CHARS.start(), "maxLength": KEY_CHARS.end()},
                        },
                        "required": ["required"],
                    },
                },
            },
        })
    }

    fn resource(&self, priced: &Priced) -> Value {
        json!({"url": priced.resource, "description": priced.description, "mimeType": "application/json"})
    }
}

fn parameter(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// Digest of a call: method, operation, address and input.
fn call_digest(method: &str, operation: &str, resource: &str, input: &Map<String, Value>) -> [u8; 32] {
    let mut input = input.clone();
    // A credential, not input; the owner is part of the request hash.
    input.remove("guest_token");
    let mut value = Value::Object(input);
    value.sort_all_objects();
    Sha256::digest(json!([method, operation, resource, value]).to_string().as_bytes()).into()
}

/// Digest of a request: the call, its price and its owner. A repeat of the call has the same.
pub fn request_hash(priced: &Priced, owner: Option<&str>) -> [u8; 32] {
    let request = json!([priced.call_digest, priced.price.0, owner]);
    Sha256::digest(request.to_string().as_bytes()).into()
}
