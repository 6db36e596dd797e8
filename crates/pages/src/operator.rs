//! The operator's pages: sign-in with the token of the server, and plots of its figures.

use api::caller::{operator_caller, same_origin, same_site};
use api::cookies::CookieKind;
use api::request::{BODY_BYTES, client, read_body};
use api::response::{of_error, status};
use askama::Template;
use audit::checks;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::lang::{Lang, Text, text};
use render::shown;
use service::Services;
use service::error::{Code, ServiceError};
use service::identity;
use service::statistics::{self, Metrics, OperatorAnswer, OperatorFigures, operator_figures};

use crate::error;
use crate::filters;
use crate::frame::{Frame, decimal};
use crate::plot::{Plot, PlotRow, number, value};
use crate::reader::Reader;
use crate::response::{html, private};
use crate::status::{percent, summary};

/// Path of the page.
pub(super) const PATH: &str = "/operator";

#[derive(Template)]
#[template(path = "operator.html")]
struct OperatorPage<'a> {
    frame: Frame<'a>,
    read_at: String,
    summary: Vec<(&'static str, String)>,
    plots: Vec<Plot>,
}

#[derive(Template)]
#[template(path = "operator_sign_in.html")]
struct SignInPage<'a> {
    frame: Frame<'a>,
    problem: Option<String>,
}

/// Shows the plots to the operator, and the form to everybody else.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    if services.operator_digest().is_none() {
        return error::page(&services, &ServiceError::new(Code::OperatorUnavailable), reader);
    }
    let Some(cx) = operator_caller(&services, &parts, reader.lang) else {
        return private(html(StatusCode::OK, &sign_in_page(&services, reader, None), reader.lang));
    };
    match operator_figures(&services).await {
        Ok(answer) => {
            let metrics = statistics::metrics(&cx).await;
            private(html(StatusCode::OK, &page(&services, reader, &answer, &metrics), reader.lang))
        }
        Err(error) => error::page(&services, &error.into(), reader),
    }
}

/// Signs the operator in.
pub(super) async fn sign_in(State(services): State<Services>, request: Request) -> Response {
    const WRONG: Text =
        text("Wrong operator token for this server.", "Token de operador incorreto para este servidor.");
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    match signed_in(&services, &parts, body).await {
        Ok(cookie) => see_operator(CookieKind::Operator.set(services.is_https(), &cookie), reader.lang),
        // Cross-site, or a server without operator.
        Err(error) if error.code.status() == 403 || error.code == Code::OperatorUnavailable => {
            error::page(&services, &error, reader)
        }
        Err(error) => {
            let problem = match error.code {
                Code::InvalidCredential => WRONG.in_lang(reader.lang).to_owned(),
                _ => error::message(&error, reader.lang),
            };
            let page = sign_in_page(&services, reader, Some(problem));
            let mut response = html(status(&error), &page, reader.lang);
            of_error(response.headers_mut(), &error, services.is_https());
            private(response)
        }
    }
}

/// Signs the operator out.
pub(super) async fn sign_out(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    match same_origin(&services, &parts).and_then(|()| same_site(&parts.headers)) {
        Ok(()) => see_operator(CookieKind::Operator.clear(services.is_https()), reader.lang),
        Err(error) => error::page(&services, &error, reader),
    }
}

/// The value of the cookie for who knows the token.
async fn signed_in(services: &Services, parts: &Parts, body: Body) -> Result<String, ServiceError> {
    same_origin(services, parts)?;
    same_site(&parts.headers)?;
    let received = read_body(services, parts, body, BODY_BYTES).await?;
    let token = url::form_urlencoded::parse(&received.bytes).find(|(name, _)| name == "token");
    let token = token.map(|(_, token)| token.trim().to_owned()).unwrap_or_default();
    identity::operator_session(services, client(&parts.extensions, &parts.headers), &token).await
}

fn see_operator(cookie: Option<HeaderValue>, lang: Lang) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    if let Ok(place) = HeaderValue::from_str(&format!("{PATH}?lang={}", lang.tag())) {
        headers.insert(header::LOCATION, place);
    }
    headers.extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    private(response)
}

fn sign_in_page<'a>(services: &'a Services, reader: Reader, problem: Option<String>) -> SignInPage<'a> {
    SignInPage { frame: Frame::new(services, reader), problem }
}

fn page<'a>(services: &'a Services, reader: Reader, answer: &OperatorAnswer, metrics: &Metrics) -> OperatorPage<'a> {
    const PIX: Text = text("Pix requests to review", "Pedidos de Pix a analisar");
    const UNFINISHED: Text = text("Unfinished payments", "Pagamentos não concluídos");
    let (lang, figures) = (reader.lang, &answer.figures);
    let mut lines = summary(&figures.body.reliability, lang).to_vec();
    lines.push((PIX.in_lang(lang), number(figures.pix_waiting, lang)));
    lines.push((UNFINISHED.in_lang(lang), number(figures.unfinished_payments, lang)));
    OperatorPage {
        frame: Frame::new(services, reader),
        read_at: answer.read_at.to_string(),
        summary: lines,
        plots: plots(figures, metrics, lang),
    }
}

fn plots(figures: &OperatorFigures, metrics: &Metrics, lang: Lang) -> Vec<Plot> {
    let mut plots = over_days(figures, lang);
    plots.extend(by_name(figures, metrics, lang));
    plots.extend(of_operation(figures, lang));
    plots
}

const DAY: Text = text("Day", "Dia");
const CALLS: Text = text("Calls", "Chamadas");

fn over_days(figures: &OperatorFigures, lang: Lang) -> Vec<Plot> {
    const VISITS: Text = text("Page views by day", "Visualizações por dia");
    const VIEWS: Text = text("Page views", "Visualizações");
    const VISITORS: Text = text("Visitors", "Visitantes");
    const BY_AGENTS: Text = text("API calls by agents", "Chamadas de API por agentes");
    const AUDITS: Text = text("Audits by day", "Auditorias por dia");
    const OF_AUDITS: Text = text("Audits", "Auditorias");
    const PAYMENTS: Text = text("Income by day", "Receita por dia");
    let say = |text: Text| text.in_lang(lang);
    let cell = |n: Option<u64>| n.map_or_else(|| "–".to_owned(), |n| number(n, lang));
    let days = &figures.body.days;
    let named = |day: &str| shown::named_day(day, lang);
    let visits = days.iter().map(|day| {
        let cells = vec![named(&day.day), cell(day.pages), cell(day.visitors), cell(day.api), cell(day.api_agents)];
        (cells, day.pages.map(value))
    });
    let audits = days.iter().map(|day| (vec![named(&day.day), cell(day.audits)], day.audits.map(value)));
    let income =
        figures.income.iter().map(|day| (vec![named(&day.day), decimal(&day.usd, lang)], day.usd.parse().ok()));
    vec![
        Plot::over_days(
            "visits",
            say(VISITS),
            vec![say(DAY), say(VIEWS), say(VISITORS), "API", say(BY_AGENTS)],
            visits.collect(),
        ),
        Plot::over_days("audits", say(AUDITS), vec![say(DAY), say(OF_AUDITS)], audits.collect()),
        Plot::over_days("income", say(PAYMENTS), vec![say(DAY), "USD"], income.collect()),
    ]
}

fn by_name(figures: &OperatorFigures, metrics: &Metrics, lang: Lang) -> Vec<Plot> {
    const AGENTS: Text = text("AI agents, 30 days", "Agentes de IA, 30 dias");
    const AGENT: Text = text("Agent", "Agente");
    const FINDINGS: Text = text("Findings by check, 30 days", "Achados por verificação, 30 dias");
    const CHECK: Text = text("Check", "Verificação");
    const MANY: Text = text("Findings", "Achados");
    const SHARE: Text = text("Of all audits", "Das auditorias");
    let say = |text: Text| text.in_lang(lang);
    let agents = figures.body.agents.names.iter();
    let agents = agents.map(|agent| (vec![agent.name.clone(), number(agent.calls, lang)], Some(value(agent.calls))));
    let findings = metrics.findings().map(|findings| findings.by_code.as_slice()).unwrap_or_default();
    let title = |code: &str| checks::find(code).map_or_else(|| code.to_owned(), |check| say(check.title).to_owned());
    let findings = findings
        .iter()
        .map(|code| (vec![title(&code.code), number(code.n, lang), percent(code.share, lang)], Some(value(code.n))));
    vec![
        Plot::by_name("agents", say(AGENTS), vec![say(AGENT), say(CALLS)], agents.collect()),
        Plot::by_name("findings", say(FINDINGS), vec![say(CHECK), say(MANY), say(SHARE)], findings.collect()),
    ]
}

fn of_operation(figures: &OperatorFigures, lang: Lang) -> Vec<Plot> {
    const QUEUE: Text = text("Queue", "Fila");
    const LANE: Text = text("Lane", "Nome");
    const WAITING: Text = text("Waiting", "Na fila");
    const OLDEST: Text = text("Oldest, seconds", "Mais antigo, em segundos");
    const GIVEN_UP: Text = text("Failed", "Com falha");
    const TIMES: Text = text("99th percentile by route, 24 hours", "Percentil 99 por rota, 24 horas");
    const ROUTE: Text = text("Route", "Rota");
    const ERRORS: Text = text("Browser errors, 24 hours", "Erros de navegador, 24 horas");
    const ERROR: Text = text("Error", "Erro");
    const MANY: Text = text("Times", "Vezes");
    const REFUSED: Text = text("Refused targets, 24 hours", "Alvos recusados, 24 horas");
    const WHY: Text = text("Reason", "Motivo");
    let say = |text: Text| text.in_lang(lang);
    let lanes = figures.lanes.iter().map(|lane| {
        let oldest = lane.oldest_s.map_or_else(|| "–".to_owned(), |seconds| number(seconds, lang));
        let cells = vec![lane.lane.clone(), number(lane.waiting, lang), oldest, number(lane.failed, lang)];
        (cells, Some(value(lane.waiting)))
    });
    let ms = |ms: Option<f64>| ms.map_or_else(|| "–".to_owned(), |ms| milliseconds(ms, lang));
    let mut routes: Vec<PlotRow> = figures
        .routes
        .iter()
        .map(|route| {
            let cells = vec![
                route.route.clone(),
                ms(route.p99_ms),
                ms(route.p50_ms),
                number(route.calls, lang),
                percent(route.share_4xx, lang),
                percent(route.share_5xx, lang),
            ];
            (cells, route.p99_ms)
        })
        .collect();
    routes.sort_by(|(_, a), (_, b)| b.unwrap_or_default().total_cmp(&a.unwrap_or_default()));
    let errors = figures.client_errors.iter().map(|error| {
        let name = format!("{} {} {}", error.code, error.phase, error.path);
        (vec![name, number(error.n, lang)], Some(value(error.n)))
    });
    let refused = figures.refused_targets.iter();
    let refused = refused.map(|target| (vec![target.why.clone(), number(target.n, lang)], Some(value(target.n))));
    let heads = vec![say(LANE), say(WAITING), say(OLDEST), say(GIVEN_UP)];
    vec![
        Plot::by_name("queue", say(QUEUE), heads, lanes.collect()),
        Plot::by_name("routes", say(TIMES), vec![say(ROUTE), "p99, ms", "p50, ms", say(CALLS), "4xx", "5xx"], routes),
        Plot::by_name("errors", say(ERRORS), vec![say(ERROR), say(MANY)], errors.collect()),
        Plot::by_name("refused", say(REFUSED), vec![say(WHY), say(MANY)], refused.collect()),
    ]
}

/// Milliseconds for people: whole ones, and tenths where there are fewer than ten.
fn milliseconds(ms: f64, lang: Lang) -> String {
    let decimals = if ms < 9.95 { 1 } else { 0 };
    decimal(format!("{ms:.decimals$}"), lang)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_separators_of_their_language() {
        for (ms, en, pt) in [(1.1, "1.1", "1,1"), (9.96, "10", "10"), (1_194.1, "1,194", "1.194"), (0.0, "0.0", "0,0")]
        {
            assert_eq!((milliseconds(ms, Lang::En).as_str(), milliseconds(ms, Lang::PtBr).as_str()), (en, pt));
        }
    }
}
