//! The contract that the service was built to, beside `docs/openapi.json`, which every answer of a test is compared with: its
//! resources with their fields, its enumerations, its endpoints with their statuses, and its parameters. Written down here from
//! the contract, not from the code.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Each resource with its fields, `?` where null is an answer, `~` where the field may be absent.
const RESOURCES: &str = "
Audit id:string? score:integer issues:array summary:object counts:object headers:object htmlTruncated:boolean
  jsonLd:array jsonLdStored:integer truncated:array fixes:array quota:object _links:object
Achado severity:string code:string message:string
ContagemAchados errors:integer warnings:integer info:integer
ResumoPagina finalUrl:string status:integer? contentType:string? title:string? metaDescription:string?
  canonical:string? robots:string? viewport:string? charset:string? lang:string? favicon:string? faviconSource:string?
  h1s:array openGraph:object twitter:object jsonLdCount:integer jsonLdBlocks:integer jsonLdDropped:boolean
  jsonLdTypes:array images:object links:object words:integer hreflang:array legacy:object redirects:array
  robotsTxt:object sitemap:object ~jsonLdErrors:integer ~discovery:object? ~xRobotsTag ~canonicalHeader ~timing
  ~headings ~scripts ~crux ~lab
Discovery llms:object security:object apiCatalog:object favicon:object notFound:object ~changePassword:object?
  ~assetlinks:object? ~appleApp:object? ~oauthResource:object? ~oauthServer:object? ~openidConfig:object?
  ~agentCard:object? ~webauthn:object?
DiscoveryCheck status:string url:string? httpStatus:integer contentType:string message:string reference:string
Correcao code:string severity:string classe:string alvo:string snippet:string? arquivo:object? fonte:string?
  nota:string?
ArquivoCorrecao path:string conteudo:string
CotaAudit free_per_day:integer price_usd:number
LinksAudit ~patch:string? api_index:string ~self:string? ~share:string?
AuditGravado audit_id:string url:string score:integer summary:object? counts:object issues:array fixes:array
  jsonLd:array headers:object truncated:array share_slug:string? created_at:string
PatchAnswer url:string? audit:string? head:string arquivos:array moldes:array sem_patch:array resumo:object
  como_aplicar:string _links:object
ResumoPatch deterministicos:integer moldes:integer sem_patch:integer total:integer
PatchLinks api_index:string
ArquivoPatch code:string path:string conteudo:string
MoldePatch code:string alvo:string snippet:string fonte:string? nota:string
SemPatch code:string nota:string
Ferramenta slug:string title:string h1:string description:string lead:string category:string icon:string checks:array
  serp:object sections:array _links:object
Compartilhamento ok:boolean shared:boolean slug:string path:string badge:string _links:object
Badge slug:string score:integer? label:string available:boolean markdown:string _links:object
Workspace tabs:array active_id:string? active_result:object? limit:integer owner:string gate:object billing:object
Aba id:string url:string alias:string? active:boolean audit_id:string? score:integer? monitor:boolean
  monitor_email:string? monitor_checked_at:string? created_at:string
Gate ip:string now:integer free_allowance:integer free_remaining:integer needs_payment:boolean configured:boolean
  verified_until:integer? needs_verification:boolean sitekey:string?
HistoryRun audit_id:string score:integer? counts:object created_at:string change:object? shared:string? api:string
Mudanca score:integer? from:integer? to:integer? broke:array fixed:array
MudancaAchado code:string severity:string message:string
LabTeste status:string ~strategy ~startedAt ~fetchedAt ~lighthouseVersion ~scores ~metrics ~opportunities ~failing
  ~message
Billing provider:string mode:string network:string chain_id:integer pay_to:string? homolog:boolean dev:boolean
  dev_gate:boolean ~gratis:array facilitator:string asset:string asset_address:string faucet:string? wallets:object
  product:string free_max_tabs:integer prices:object usage:object trial:object
BillingPrices extra_tab_usd:number contact_agent_usd:number
Usage tabs:integer free_slots_left:integer
Trial days:integer active:boolean ends_at:string? ~days_left:integer?
Account id:string email:string
Metrics app:string today:string today_visits:integer? days:array? usage:object? accounts:object? achados:object?
  ~today_contacts:integer? ~financeiro:object? ~payments
Findings audits:integer por_codigo:array
FindingsOfCode code:string n:integer audits:integer fracao_audits:number
IncomeToday hoje_usd hoje_count:integer rede:string
PaymentQuota free:array paid:array how_to_pay:string live:string? ~free_now:array ~trial:object
FreeItem o_que:string limite janela:string?
PaidItem o_que:string price_usd:number
TrialOffer days:integer how:string
LabIniciado ok:boolean audit_id:string strategy:string lab:object _links:object
StartLinks poll:string audit:string
LabAnswer audit_id:string lab:object _links:object
LabTestes mobile:object? desktop:object?
LabLinks self:string audit:string
Unshared ok:boolean shared:boolean
ToolList tools:array _links:object
Embed config:object current:object snippet:string limits:object
Guest token:string
Changed ok:boolean tab:object
TabAnswer tab:object result:object?
RunAnswer ok:boolean tab:object gate:object result:object
HistoryAnswer tab:object runs:array limit:integer
Done ok:boolean
Me user:object profile:object audits:array trial:object
Profile name locale timeZone theme revision:integer
Bootstrap csrf:string context:string
KeyList keys:array
Key id:string name:string organizationId:string? last4:string createdAt:string lastUsedAt:string? revokedAt:string?
  active:boolean
MadeKey key:object secret:string
NewKey id:string name:string organizationId:string? last4:string createdAt:string
Claim ok:boolean claimed:object
ProductClaim movidos:object apagados:integer direitos
ContactAccepted ok:boolean
VisitAnswer ok:boolean counted:boolean ~reason:string?
Partners status:string produto:string idioma:string titulo:string descricao:string publico:string modalidades:array
  placements:array house_bundle parcerias:array current_sponsors:array stats payment:object contact:object politica
  _links:object
Placement id:string nome:string onde:string formato:string exclusivo medicao price_usd_30d:number? exposure:array
  disponivel
Exposure dias:integer price_usd:number?
Sponsor id:string nome:string url:string frase:string espacos:array ate
PartnerPayment rede:string chain_id:integer ativo:boolean pay_to:string? eip681 alternativas nota:string
PartnerContact email form_url:string api_url:string campos campos_proposta message_template:string instructions:string
PartnersLinks self:string stats:string page:string contact:string casa:string
Showcase v:integer produto:string publicado:boolean atualizado_em:string? stale:boolean ~nome:string ~desde
  ~fuso:string ~hoje ~dias:array ~janelas ~visitantes ~pessoas ~agentes ~superficies ~mcp ~uso ~contas ~confiabilidade
  ~catalogo ~apoio
ShowcaseDay dia:string paginas api api_ia maquina visitantes uso
ShowcaseWindows d7 d30
OperatorAnswer produto:string atualizado_em operador
Board apps:array ~updated ~totals
BoughtCredit token:string saldo_usd:string guarde:string usar:string saldo_em:string
CreditStatement saldo_micros:integer saldo_usd:string criado_em:string movimentos:array
PixOffer chave:string brl_por_usd:number pacotes:array comprovante:object liberacao:string
PixPack usd:integer brl_centavos:integer
PixReceipt tipos:array tamanho_maximo:integer
PixAccepted id:string estado:string credito:string estado_em:string
PixStatus estado:string usd:integer decidido_em:string?
Health ok:boolean app:string build:string ts:string
Pricing product:string quota:object pricing:string billing:string api_index:string
Index name:string description:string build:string base_url:string docs conventions auth endpoints:array data_retention
  quota mcp quickstart:array
ShareLinks report:string json:string badge:string
BadgeLinks svg:string report:string
Serp title:string url:string description:string
ToolSection id:string heading:string body:string ~code:string?
EdicaoPatch code:string alvo:string line:integer original:string snippet:string
Coverage catalog:string passed:array notApplicable:array notMeasured:object
Evidence ~selector:string? ~url:string? ~snippet:string? ~line:integer?
ImageCounts total:integer withoutAlt:integer emptyAlt:integer withoutDimensions:integer lazy:integer
LinkCounts internal:integer external:integer withoutText:integer nofollow:integer total:integer
LegacyCounts fontTags:integer centerTags:integer layoutTables:integer frames:integer marquees:integer
  bgcolorAttributes:integer otherObsolete:integer
Redirect url:string status:integer location:string kind:string
RobotsTxtSummary url:string? status:integer? state:string allowed:boolean? rule:string? line:integer? userAgent:string?
  sitemaps:array aiCrawlers:object size:integer truncated:boolean
SitemapSummary declared:array checked:array found:boolean? url:string? lastmod:string? state:string urls:integer
Alternate lang:string href:string source:string
XRobotsTag raw:array directives:array
RobotsDirective userAgent:string? directive:string value:string?
CanonicalHeader href:string raw:string
TimingSummary dnsMs:integer? connectMs:integer? tlsMs:integer? ttfbMs:integer? downloadMs:integer? totalMs:integer
  bytes:integer decodedBytes:integer httpVersion:string encoding:string?
HeadingSummary h1:integer h2:integer h3:integer h4:integer h5:integer h6:integer outline:array
OutlineEntry level:integer text:string
ScriptSummary total:integer external:integer inline:integer module:integer async:integer defer:integer
  blockingHead:integer bytesInline:integer thirdPartyOrigins:array
Crux scope:string formFactor:string? metrics:object collectionPeriod:object?
FieldMetric p75:number good:number needsImprovement:number poor:number
LabScores performance:integer? accessibility:integer? bestPractices:integer? seo:integer?
LabMetric value:number unit:string? display:string? score:number?
LabOpportunity id:string title:string savingsMs:integer savingsBytes:integer? display:string?
FailingAudit id:string title:string category:string score:number
Error error:string ~detail ~code:string
";

/// What is sent, `~` where the field may be left out.
const INPUTS: &str = "
POST /api/audit url:string ~guest_token:string?
POST /api/audits/{id}/lab ~strategy
POST /api/tabs url:string ~alias:string?
PATCH /api/tabs/{id} ~alias ~active ~monitor ~monitor_email
POST /api/account/keys/create name:string organizationId:string?
POST /api/account/keys/revoke id:string
POST /api/auth/claim guest_token:string
POST /api/contact name:string email:string message:string ~tipo ~empresa ~site ~orcamento ~espaco ~duracao ~pagamento
POST /api/visit p:string ~smoke
POST /api/erro-cliente code:string phase:string ~path ~message ~stack ~source ~line ~column ~visivel
POST /api/credito/pix usd:integer comprovante:string ~nome ~email
";

/// Fields that an answer never has.
const NEVER: [(&str, &str); 8] = [
    ("AuditGravado", "quota"),
    ("AuditGravado", "_links"),
    ("TimingSummary", "remoteAddress"),
    ("Key", "secret"),
    ("PixStatus", "credito"),
    ("CreditStatement", "token"),
    ("FindingsOfCode", "url"),
    ("FindingsOfCode", "owner"),
];

/// Enumerations and their values in the contract. More values are allowed where the contract does not exclude them.
const WORDS: [(&str, &str); 8] = [
    ("Severity", "error warn info"),
    ("DiscoveryStatus", "pass warn info unverified"),
    ("FixClass", "deterministico molde sem_patch"),
    ("FixTarget", "head corpo img arquivo pagina"),
    ("Cut", "jsonld_size jsonld_nodes_over_50 result_size"),
    ("LabStatus", "running"),
    ("Strategy", "mobile desktop"),
    ("PixState", "pendente liberado recusado"),
];

/// Endpoints for programs with the statuses that the contract names.
const ENDPOINTS: &str = "
GET /agent.json 200
GET /.well-known/agent-card.json 200
GET /okf/{file} 200 404
GET /.well-known/api-catalog 200
GET /.well-known/security.txt 200
GET /.well-known/x402 200
GET /.well-known/mcp-registry-auth 200
GET /.well-known/apis.json 200
GET /apis.json 200
GET /api/ 200
GET /api/health 200
GET /api/pricing 200
POST /mcp 200
GET /mcp 200
POST /api/audit 200 400 402 429 502
GET /api/audits/{id} 200 401 404
GET /api/audits/{id}/patch 200 401 404
POST /api/audits/{id}/lab 202 400 401 404 429 503
GET /api/audits/{id}/lab 200 401 404
POST /api/audits/{id}/share 200 401 404
DELETE /api/audits/{id}/share 200 401 404
GET /api/shared/{slug} 200 404
GET /api/badge/{slug} 200 404
GET /api/tools 200
GET /api/tools/{slug} 200 404
GET /api/embed 200
POST /api/guest 200
GET /api/tabs 200 401
POST /api/tabs 200 400 401 402
GET /api/tabs/{id} 200 401 404
PATCH /api/tabs/{id} 200 400 401 403 404 409
DELETE /api/tabs/{id} 200 401 404
POST /api/tabs/{id}/run 200 401 402 404
GET /api/tabs/{id}/history 200 401 404
GET /api/gate 200
GET /api/billing 200
GET /api/me 200 401 503
GET /api/auth/bootstrap 200 400 403 503
GET /api/account/profile 200 401 503
GET /api/account/avatar 200 401 404 503
POST /api/auth/logout 200 400 403 503
GET /api/account/keys 200 401 503
POST /api/account/keys/create 200 400 401 403 409 503
POST /api/account/keys/revoke 200 400 401 403 404 503
POST /api/auth/claim 200 400 401 403 409 503
POST /api/contact 200 400 503
POST /api/visit 200
POST /api/erro-cliente 204
POST /api/pagamento/aberto 202 204
GET /api/partners 200
GET /api/vitrine 200 304
GET /api/vitrine/operador 200 401 503
GET /api/vitrine/painel 200 401 503
GET /api/vitrine/cursores 200 401 503
GET /api/metrics 200
POST /api/credito 200 400 402
GET /api/credito 200 401
GET /api/credito/pix 200
POST /api/credito/pix 200 400 413 415 429 503
GET /api/credito/pix/{id} 200 404
GET /openapi.json 200
GET /llms.txt 200
GET /llms-full.txt 200
";

fn described() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The types of a schema, through its references and alternatives.
fn types(schema: &Value, all: &Value) -> BTreeSet<String> {
    let named = |name: &str| schema.get(name).and_then(Value::as_array).into_iter().flatten();
    let mut found: BTreeSet<String> = ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .flat_map(named)
        .chain(schema.get("$ref").map(|path| all.pointer(path.as_str().unwrap().trim_start_matches('#')).unwrap()))
        .flat_map(|part| types(part, all))
        .collect();
    match &schema["type"] {
        Value::String(kind) => drop(found.insert(kind.clone())),
        kinds => found.extend(kinds.as_array().into_iter().flatten().map(|kind| kind.as_str().unwrap().to_owned())),
    }
    found
}

#[test]
fn every_field_of_the_contract_is_described() {
    let all = described();
    let mut resource = "";
    for word in RESOURCES.split_whitespace() {
        let is_field =
            word.contains([':', '~']) || word.starts_with(|first: char| first.is_lowercase() || first == '_');
        if !is_field {
            resource = word;
            assert!(all["components"]["schemas"][resource].is_object(), "there is no {resource}");
            continue;
        }
        let is_required = check_field(&all["components"]["schemas"][resource], resource, word, &all);
        assert!(is_required || word.starts_with('~'), "{resource}: {word} may be absent");
    }
    assert_eq!(resource, "Error", "all of the list was read");
}

/// Compares a field of a schema with its word in a list; whether it is required.
fn check_field(schema: &Value, resource: &str, word: &str, all: &Value) -> bool {
    let (name, kind) = word.trim_start_matches('~').split_once(':').unwrap_or((word.trim_start_matches('~'), ""));
    let field = &schema["properties"][name];
    assert!(!field.is_null(), "{resource} has no {name}");
    if !kind.is_empty() {
        let mut wanted = BTreeSet::from([kind.trim_end_matches('?').to_owned()]);
        wanted.extend(kind.ends_with('?').then(|| "null".to_owned()));
        assert_eq!(types(field, all), wanted, "{resource}.{name}");
    }
    schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)))
}

#[test]
fn the_inputs_of_the_contract_are_described() {
    let all = described();
    for line in INPUTS.trim().lines() {
        let mut words = line.split(' ');
        let (method, path) = (words.next().unwrap().to_lowercase(), words.next().unwrap());
        let body = &all["paths"][path][&method]["requestBody"];
        let schema = body["content"].as_object().unwrap().values().next().unwrap()["schema"].clone();
        let schema = match schema["$ref"].as_str() {
            Some(reference) => all.pointer(reference.trim_start_matches('#')).unwrap().clone(),
            None => schema,
        };
        for word in words {
            let is_required = check_field(&schema, path, word, &all);
            assert_eq!(is_required, !word.starts_with('~'), "{method} {path}: {word}");
            assert!(body["required"] == true || !is_required, "{method} {path} may be sent without a body");
        }
    }
}

#[test]
fn what_the_contract_never_gives_is_not_described() {
    let all = described();
    for (resource, name) in NEVER {
        let fields = &all["components"]["schemas"][resource]["properties"];
        assert!(fields.is_object() && fields[name].is_null(), "{resource}.{name}");
    }
}

#[test]
fn the_words_of_the_contract_are_described() {
    let all = described();
    for (name, words) in WORDS {
        let described = all["components"]["schemas"][name]["oneOf"].as_array().unwrap();
        for word in words.split(' ') {
            assert!(described.iter().any(|one| one["const"] == word), "{name} has no {word}");
        }
    }
}

#[test]
fn the_endpoints_of_the_contract_are_described_with_their_statuses() {
    let all = described();
    for line in ENDPOINTS.trim().lines() {
        let mut words = line.split(' ');
        let (method, path) = (words.next().unwrap().to_lowercase(), words.next().unwrap());
        let operation = &all["paths"][path][&method];
        assert!(operation.is_object(), "{method} {path}");
        for status in words {
            assert!(operation["responses"][status].is_object(), "{method} {path} has no {status}");
        }
    }
}

#[test]
fn parameters_have_the_bounds_of_the_contract() {
    let all = described();
    for (path, name, bounds) in [
        ("/api/tabs/{id}/history", "limit", json!({"default": 20, "maximum": 100})),
        ("/api/audits/{id}/lab", "wait", json!({"default": 0, "minimum": 0, "maximum": 25})),
    ] {
        let parameters = all["paths"][path]["get"]["parameters"].as_array().unwrap();
        let found = parameters.iter().find(|parameter| parameter["name"] == name).unwrap();
        for (bound, wanted) in bounds.as_object().unwrap() {
            assert_eq!(&found["schema"][bound], wanted, "{path} {name} {bound}");
        }
    }
    let packs = all["paths"]["/api/credito"]["post"]["parameters"].as_array().unwrap();
    assert_eq!(packs[0]["schema"]["enum"], json!([1, 5, 10, 25]));
    let schemas = &all["components"]["schemas"];
    let proposal = &schemas["ContactForm"]["properties"];
    assert_eq!(proposal["espaco"]["maxItems"], 6);
    assert_eq!(proposal["tipo"]["enum"], json!(["patrocinio", "parceria", "anuncio"]));
    assert_eq!(proposal["orcamento"]["enum"], json!(["ate_100", "100_500", "500_2000", "2000_mais", "a_combinar"]));
    assert_eq!(proposal["pagamento"]["enum"], json!(["usdc", "deposito", "a_combinar"]));
    assert_eq!(proposal["duracao"]["anyOf"][0]["enum"], json!([30, 90, 365]));
    let report = &schemas["ErrorReport"]["properties"];
    assert_eq!((&report["message"]["maxLength"], &report["stack"]["maxLength"]), (&json!(2000), &json!(12_000)));
    assert_eq!(schemas["KeyToMake"]["properties"]["name"]["maxLength"], 60);
}
