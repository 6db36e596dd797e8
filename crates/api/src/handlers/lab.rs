//! Lab tests of audits: begin one, read them.

use std::time::Duration;

use model::lab::{LabTest, LabTests, Strategy};
use model::rendered::RenderedPages;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Accepted, Access, Operation, WrittenJson};
use service::Services;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::lab_tests;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/audits/{id}/lab", "start_lab_test", start)
            .title("Start a lab test", "Iniciar um teste de laboratório")
            .doc(
                "Loads the audited page in a simulated browser and measures it with Lighthouse: scores for \
                 performance, accessibility, best practices and SEO, metrics, and what would make the page faster. \
                 Takes 25 seconds to over two minutes; poll with `GET /api/audits/{id}/lab?wait=25`. If a test of the \
                 same strategy is running, the call returns that one. The result is added to the audit as \
                 `summary.lab`; the audit's score does not change. Free. Limits: 4 tests at once, 6 an hour per \
                 network, 500 a day.",
                "Carrega a página auditada em um navegador simulado e a mede com o Lighthouse: notas de desempenho, \
                 acessibilidade, boas práticas e SEO, métricas, e o que deixaria a página mais rápida. Leva de 25 \
                 segundos a mais de dois minutos; consulte `GET /api/audits/{id}/lab?wait=25`. Se um teste da mesma \
                 estratégia está em andamento, a chamada devolve esse. O resultado entra na auditoria como \
                 `summary.lab`; a nota da auditoria não muda. Grátis. Limites: 4 testes ao mesmo tempo, 6 por hora e \
                 rede, 500 por dia.",
            )
            .example(r#"`{"strategy": "desktop"}`"#)
            .access(Access::Owner)
            .reaches_out()
            .errors(&[
                Code::InvalidStrategy,
                Code::GuestTokenRequired,
                Code::AuditNotFound,
                Code::LabBusy,
                Code::LabRateLimited,
                Code::LabDailyCap,
                Code::LabUnavailable,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/audits/{id}/lab", "get_lab_tests", read)
            .title("Get an audit's lab tests", "Obter os testes de laboratório de uma auditoria")
            .doc(
                "The latest lab test of each strategy, or null. `wait` holds the answer for at most 25 seconds, until \
                 a running test has ended. `rendered` has what scripts change on the page, where the server measures \
                 it: the finding `rendered_differs` with both values.",
                "O teste de laboratório mais recente de cada estratégia, ou null. `wait` adia a resposta por no \
                 máximo 25 segundos, até um teste em andamento terminar. `rendered` tem o que os scripts mudam na \
                 página, se o servidor mede isso: o achado `rendered_differs` com os dois valores.",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::AuditNotFound, Code::DatabaseUnavailable]),
    ]
}

/// Which audit to test, and how.
#[derive(Debug, Deserialize, JsonSchema)]
struct StartLabTest {
    /// The audit's `id`.
    #[schemars(extend("x-pt" = "O `id` da auditoria."))]
    id: String,
    /// The device to simulate.
    #[serde(default)]
    #[schemars(extend("enum" = ["mobile", "desktop"], "default" = "mobile"))]
    strategy: Option<String>,
}

/// A running lab test.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LabIniciado")]
struct LabStarted {
    /// Always true.
    ok: bool,
    /// The audit.
    id: String,
    /// The same as `id`.
    audit_id: String,
    /// The simulated device.
    strategy: Strategy,
    /// The test.
    lab: LabTest<String>,
    /// Addresses of the next calls.
    #[serde(rename = "_links")]
    links: StartLinks,
}

/// Absolute addresses for the next calls.
#[derive(Debug, Serialize, JsonSchema)]
struct StartLinks {
    /// The lab tests of this audit, once this one has ended or after 25 seconds.
    poll: String,
    /// The audit.
    audit: String,
}

async fn start(cx: Cx, input: StartLabTest) -> Result<Accepted<LabStarted>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let strategy = match &input.strategy {
        Some(name) => Strategy::from_name(name).ok_or_else(|| ServiceError::new(Code::InvalidStrategy))?,
        None => Strategy::default(),
    };
    let test = lab_tests::begin(&cx, &owner, input.id.clone(), strategy).await?;
    let links = StartLinks {
        poll: format!("{}?wait={}", lab_url(&cx.services, &input.id), lab_tests::MOST_WAIT.as_secs()),
        audit: audit_url(&cx.services, &input.id),
    };
    let lab = test.in_lang(cx.lang);
    Ok(Accepted(LabStarted { ok: true, id: input.id.clone(), audit_id: input.id, strategy, lab, links }))
}

/// Which audit, and how long to wait.
#[derive(Debug, Deserialize, JsonSchema)]
struct ReadLabTests {
    /// The audit's `id`.
    #[schemars(extend("x-pt" = "O `id` da auditoria."))]
    id: String,
    /// Seconds to wait for the end of a running test, 0 to 25; more is 25.
    #[schemars(extend("x-pt" = "Segundos de espera pelo fim de um teste em andamento, de 0 a 25; acima de 25 vale \
        25."))]
    #[serde(default)]
    #[schemars(range(max = 25), extend("default" = 0))]
    wait: Option<u32>,
}

/// The lab tests of an audit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LabAnswer")]
struct LabAnswer {
    /// The audit.
    id: String,
    /// The same as `id`.
    audit_id: String,
    /// The latest test of each strategy.
    lab: LabTests<String>,
    /// What scripts change on the page, if the server measures it (`lab.rendered`).
    #[serde(skip_serializing_if = "Option::is_none")]
    rendered: Option<RenderedPages<String>>,
    /// Related addresses.
    #[serde(rename = "_links")]
    links: LabLinks,
}

/// Absolute addresses.
#[derive(Debug, Serialize, JsonSchema)]
struct LabLinks {
    /// This answer.
    #[serde(rename = "self")]
    this: String,
    /// The audit.
    audit: String,
}

async fn read(cx: Cx, input: ReadLabTests) -> Result<WrittenJson<LabAnswer>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let wait = Duration::from_secs(input.wait.unwrap_or_default().into());
    let stored = lab_tests::read(&cx, &owner, input.id.clone(), wait).await?;
    let links = LabLinks { this: lab_url(&cx.services, &input.id), audit: audit_url(&cx.services, &input.id) };
    let rendered = Some(stored.rendered.in_lang(cx.lang)).filter(|pages| !pages.is_empty());
    let lab = stored.tests.in_lang(cx.lang);
    WrittenJson::spoken(&LabAnswer { id: input.id.clone(), audit_id: input.id, lab, rendered, links })
}

fn audit_url(services: &Services, id: &str) -> String {
    services.url(&format!("/api/audits/{id}"))
}

fn lab_url(services: &Services, id: &str) -> String {
    services.url(&format!("/api/audits/{id}/lab"))
}
