//! Payment: what is for sale, how it is asked for in both versions of x402, and the ways to pay.
//!
//! One value holds prices, payee and network; the 402, `/api/billing`, `/api/pricing` and the manifest are made from it.

pub(crate) mod brought;
pub(crate) mod by_credit;
pub(crate) mod by_x402;
pub(crate) mod chain;
pub(crate) mod facilitator;
pub(crate) mod kept;
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
use facilitator::{Facilitator, Standing};

/// Life of a payment's signature, in seconds: above the longest audit and its settlement.
const SIGNATURE_SECONDS: u32 = 300;
/// Packs of credit, in whole dollars (interface §8).
pub(crate) const PACKS: [u32; 4] = [1, 5, 10, 25];
/// The facilitator of the test network.
const TEST_FACILITATOR: &str = "https://x402.org/facilitator";
/// Seconds after which a facilitator that was down has been asked again.
const FACILITATOR_RETRY: u32 = 60;

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
    description: String,
    /// Required fields of its input, each with an example.
    fields: Map<String, Value>,
    in_query: bool,
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
        let required = operation.required_fields();
        Priced {
            operation: operation.name,
            price: self.prices.of(sku),
            method: operation.method.to_string(),
            resource: app.url(&path.collect::<Vec<_>>().join("/")),
            description: description.to_owned(),
            fields: required.into_iter().map(|name| (name, "https://example.com/".into())).collect(),
            in_query: !operation.takes_body(),
            asked,
            code,
        }
    }

    /// A pack of credit.
    pub(crate) fn pack(&self, app: &App, usd: u32) -> Priced {
        Priced {
            operation: purchase::OPERATION,
            price: Micros(u64::from(usd) * 1_000_000),
            method: "POST".to_owned(),
            resource: app.url(&format!("{}?usd={usd}", purchase::PATH)),
            description: format!("Prepaid credit of {usd} USD"),
            fields: Map::from_iter([("usd".to_owned(), usd.into())]),
            in_query: true,
            asked: text(
                "Pay {price} USD and repeat the same call: the answer has the token of the credit.",
                "Pague {price} USD e repita a mesma chamada: a resposta traz o token do crédito.",
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
            Some(facilitator) if !matches!(facilitator.standing(), Standing::Down | Standing::Unfit) => Ok(facilitator),
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
                    "info": {"input": input, "output": {"type": "json", "example": {}}},
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

    /// `/.well-known/x402`: everything that is for sale. Advisory: the live 402 decides.
    pub(crate) fn manifest(&self, app: &App) -> Value {
        let free_audits = format!("{} a day per network", app.config().limits.free_audits_per_day);
        let nothing = Map::new();
        let calls = app.operations().iter().filter_map(|operation| {
            let sku = operation.price?;
            let free = match sku {
                Sku::Audit => Some(free_audits.clone()),
                Sku::Tab => None,
            };
            Some((operation.path.to_owned(), free, self.priced(app, operation, sku, &nothing)))
        });
        let packs = PACKS.map(|usd| (format!("{}?usd={usd}", purchase::PATH), None, self.pack(app, usd)));
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
                json!({
                    "resource": self.resource(priced), "type": "http",
                    "accepts": [self.requirements(priced.price)], "input": input,
                })
            })
            .collect();
        json!({
            "version": 1,
            "x402Version": 2,
            "x402Versions": [1, 2],
            "lastUpdated": app.started_at().seconds(),
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

/// For a program that has to pay.
pub(crate) const HOW_TO_PAY: Text = text(
    "Call without a payment first. A 402 says what is accepted: version 1 of x402 in the body (accepts), version 2 in the header PAYMENT-REQUIRED. Sign it and repeat the same call with X-PAYMENT or PAYMENT-SIGNATURE. Or buy credit once (POST /api/credito?usd=5) and send its token as Authorization: Bearer cred_…",
    "Chame primeiro sem pagamento. Um 402 diz o que é aceito: a versão 1 do x402 no corpo (accepts), a versão 2 no cabeçalho PAYMENT-REQUIRED. Assine e repita a mesma chamada com X-PAYMENT ou PAYMENT-SIGNATURE. Ou compre crédito uma vez (POST /api/credito?usd=5) e envie o token como Authorization: Bearer cred_…",
);

fn parameter(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// What is asked, as a digest: operation, input, price and owner. A repeat of a call asks the same.
pub(crate) fn request_hash(priced: &Priced, input: &Map<String, Value>, owner: Option<&str>) -> [u8; 32] {
    let mut input = input.clone();
    // It says who asks, which the owner does already, however it was sent.
    input.remove("guest_token");
    let mut value = Value::Object(input);
    value.sort_all_objects();
    let whole = json!([priced.method, priced.operation, priced.resource, value, priced.price.0, owner]);
    Sha256::digest(whole.to_string().as_bytes()).into()
}
