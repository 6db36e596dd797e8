//! Payment: what is for sale, how it is asked for in both versions of x402, and the ways to pay.
//!
//! One value holds prices, payee and network; the 402, `/api/billing`, `/api/pricing` and the manifest are made from it.

pub(crate) mod brought;
pub(crate) mod by_credit;
pub(crate) mod by_x402;
pub(crate) mod chain;
pub(crate) mod facilitator;
pub(crate) mod kept;
mod manifest;
mod ongoing;
pub(crate) mod payload;
pub(crate) mod purchase;
pub(crate) mod settling;
pub mod worker;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use model::lang::{Lang, Text, text};
use model::money::Micros;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::Notify;
use url::Url;

use crate::app::App;
use crate::config::{Config, PaymentMode, PaymentNetwork, Prices, Sku};
use crate::error::{ApiError, Code};
use crate::operation::Operation;
use chain::{Chain, Node};
use facilitator::Facilitator;
pub(crate) use manifest::HOW_TO_PAY;
pub use ongoing::Ongoing;

/// Life of a payment's signature, in seconds: above the longest audit and its settlement.
const SIGNATURE_SECONDS: u32 = 300;
/// Packs of credit, in whole dollars (interface §8).
pub(crate) const PACKS: [u32; 4] = [1, 5, 10, 25];
/// What is said of another amount.
pub(crate) const NO_PACK: Text = text("usd: takes 1, 5, 10 or 25", "usd: recebe 1, 5, 10 ou 25");
/// The facilitator of the test network.
const TEST_FACILITATOR: &str = "https://x402.org/facilitator";
/// Seconds after which a facilitator that was down is asked again.
const FACILITATOR_RETRY: u32 = 10;

/// Prices, payee, network, and whom to ask.
#[derive(Debug)]
pub struct Payments {
    chain: &'static Chain,
    mode: PaymentMode,
    pay_to: Option<String>,
    prices: Prices,
    facilitator: Option<Facilitator>,
    node: Option<Node>,
    /// Told when a payment is left unclear.
    left_unclear: Notify,
    ongoing: Ongoing,
}

/// A call with a price, as x402 describes it.
#[derive(Debug, Clone)]
pub(crate) struct Priced {
    /// Name of the operation.
    pub(crate) operation: &'static str,
    /// What it costs.
    pub(crate) price: Micros,
    method: String,
    /// Absolute URL of what is called.
    resource: String,
    /// What is called with which input, as a digest: the same whoever asks, and whatever it costs.
    pub(crate) call_digest: [u8; 32],
    description: String,
    /// Required fields of its input, each with an example.
    fields: Map<String, Value>,
    in_query: bool,
    /// Some of its answer.
    sample: Value,
    asked: Text,
    code: Code,
}

impl Payments {
    /// As configured.
    pub fn new(config: &Config) -> Self {
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
            node: payments.rpc_url.as_ref().and_then(|url| Url::parse(url.expose()).ok()).map(Node::new),
            left_unclear: Notify::new(),
            ongoing: Ongoing::default(),
        }
    }

    /// Whether calls are charged for.
    pub(crate) fn is_live(&self) -> bool {
        self.mode == PaymentMode::Live
    }

    /// The network.
    pub(crate) fn chain(&self) -> &'static Chain {
        self.chain
    }

    /// Where to look at the chain, if anywhere.
    fn node(&self) -> Option<&Node> {
        self.node.as_ref()
    }

    /// Waits until a payment is left unclear, or was since the last wait.
    async fn left_unclear(&self) {
        self.left_unclear.notified().await;
    }

    /// The paid work that is going on.
    pub fn ongoing(&self) -> &Ongoing {
        &self.ongoing
    }

    /// Who settles.
    pub(crate) fn facilitator(&self) -> Option<&Facilitator> {
        self.facilitator.as_ref()
    }

    /// The facilitator's address; empty where there is none.
    pub(crate) fn facilitator_url(&self) -> &str {
        self.facilitator.as_ref().map_or("", Facilitator::url)
    }

    /// Who is paid.
    pub(crate) fn pay_to(&self) -> Option<&str> {
        self.pay_to.as_deref()
    }

    /// An operation with a price, called with this input.
    pub(crate) fn priced(&self, app: &App, operation: &Operation, sku: Sku, input: &Map<String, Value>) -> Priced {
        let (description, code, asked) = match sku {
            Sku::Audit => (
                "One technical SEO audit of one page",
                Code::AllowanceSpent,
                text(
                    "The free audits of today are spent. Pay {price} USD and repeat the same call, or wait for tomorrow (UTC).",
                    "As auditorias grátis de hoje acabaram. Pague {price} USD e repita a mesma chamada, ou espere até amanhã (UTC).",
                ),
            ),
            Sku::Tab => (
                "One more tab in the workspace",
                Code::PaymentRequired,
                text(
                    "The free tabs are all open. Pay {price} USD and repeat the same call, or close one.",
                    "As abas grátis estão todas abertas. Pague {price} USD e repita a mesma chamada, ou feche uma.",
                ),
            ),
        };
        let path = operation.path.split('/').map(|segment| match parameter(segment) {
            Some(name) => input.get(name).and_then(Value::as_str).unwrap_or(segment),
            None => segment,
        });
        let (method, resource) = (operation.method.to_string(), app.url(&path.collect::<Vec<_>>().join("/")));
        let required = operation.required_fields().iter();
        Priced {
            operation: operation.name,
            price: self.prices.of(sku),
            call_digest: call_digest(&method, operation.name, &resource, input),
            method,
            resource,
            description: description.to_owned(),
            fields: required.map(|name| (name.clone(), "https://example.com/".into())).collect(),
            in_query: !operation.takes_body(),
            sample: operation.sample.map_or(Value::Null, |sample| sample()),
            asked,
            code,
        }
    }

    /// A pack of credit.
    pub(crate) fn pack(&self, app: &App, usd: u32) -> Priced {
        let (method, resource) = ("POST".to_owned(), app.url(&format!("{}?usd={usd}", purchase::PATH)));
        let fields = Map::from_iter([("usd".to_owned(), usd.into())]);
        let price = Micros::of_dollars(usd);
        Priced {
            operation: purchase::OPERATION,
            price,
            call_digest: call_digest(&method, purchase::OPERATION, &resource, &fields),
            method,
            resource,
            description: format!("Prepaid credit of {usd} USD"),
            fields,
            in_query: true,
            sample: json!({"token": "cred_…", "saldo_usd": price.to_string()}),
            asked: text(
                "Pay {price} USD and repeat the same call: the answer has the token of the credit, once. Send an Idempotency-Key of your own with it: without one, nobody gets the token again if that answer is lost, unless they buy with a guest token, API key or session.",
                "Pague {price} USD e repita a mesma chamada: a resposta traz o token do crédito, uma vez. Envie junto uma Idempotency-Key sua: sem ela ninguém recebe o token de novo se essa resposta se perder, a não ser quem compra com token de visitante, chave de API ou sessão.",
            ),
            code: Code::PaymentRequired,
        }
    }

    /// What the facilitator is told to settle.
    fn requirements(&self, price: Micros) -> Value {
        payload::requirements(self.chain, self.pay_to.as_deref().unwrap_or_default(), price, SIGNATURE_SECONDS)
    }

    /// The refusal that asks for a payment: version 1 in the body, version 2 in a header.
    pub(crate) fn asked(&self, priced: &Priced, lang: Lang) -> ApiError {
        let asked = priced.asked.phrase(&[("price", priced.price.to_string().into())]);
        let error = ApiError::new(priced.code).with("error", asked.in_lang(lang).into());
        self.offered(priced, error)
    }

    /// A refusal with what would be accepted; where nobody could pay, a refusal that says so.
    pub(crate) fn offered(&self, priced: &Priced, error: ApiError) -> ApiError {
        if let Err(down) = self.can_settle() {
            return down;
        }
        let error = error.with("x402Version", 1.into()).with("accepts", json!([self.version_1(priced)]));
        let header = STANDARD.encode(self.version_2(priced).to_string());
        // Base64 is always a header value.
        match HeaderValue::from_str(&header) {
            Ok(value) => error.header(HeaderName::from_static("payment-required"), value),
            Err(_) => error,
        }
    }

    /// The refusal of a payment, for a reason in the words of the specifications.
    pub(crate) fn refused(&self, priced: &Priced, reason: &str) -> ApiError {
        self.offered(priced, ApiError::new(Code::PaymentRefused).detail(reason))
    }

    /// [`Code::FacilitatorUnavailable`] while the facilitator is known to be down: never a 402 that nobody can pay.
    pub(crate) fn can_settle(&self) -> Result<&Facilitator, ApiError> {
        match &self.facilitator {
            Some(facilitator) if facilitator.takes_payments() => Ok(facilitator),
            _ => Err(ApiError::new(Code::FacilitatorUnavailable).retry_after(FACILITATOR_RETRY)),
        }
    }

    /// What an audit beyond the free ones is asked for, in version 1; `None` where nothing is charged.
    pub(crate) fn example(&self, app: &App) -> Option<Value> {
        let audit = app.operations().iter().find(|operation| operation.price == Some(Sku::Audit))?;
        let priced = self.priced(app, audit, Sku::Audit, &Map::new());
        self.is_live().then(|| json!({"x402Version": 1, "accepts": [self.version_1(&priced)]}))
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

    /// The whole of version 2, as its header and MCP carry it.
    pub(crate) fn version_2(&self, priced: &Priced) -> Value {
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
                            "id": {"type": "string", "minLength": brought::KEY_CHARS.start(), "maxLength": brought::KEY_CHARS.end()},
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

/// A call, as a digest: method, operation, address and input.
fn call_digest(method: &str, operation: &str, resource: &str, input: &Map<String, Value>) -> [u8; 32] {
    let mut input = input.clone();
    // It says who asks, however it was sent; the owner is told apart beside this.
    input.remove("guest_token");
    let mut value = Value::Object(input);
    value.sort_all_objects();
    Sha256::digest(json!([method, operation, resource, value]).to_string().as_bytes()).into()
}

/// What is asked, as a digest: the call, its price and its owner. A repeat of a call asks the same.
pub(crate) fn request_hash(priced: &Priced, owner: Option<&str>) -> [u8; 32] {
    let asked = json!([priced.call_digest, priced.price.0, owner]);
    Sha256::digest(asked.to_string().as_bytes()).into()
}
