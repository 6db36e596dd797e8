//! Webhooks and the feed of an account: making one, testing it, its secret, its last deliveries.

use api::response::{of_error, status};
use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::lang::{Lang, Text, text};
use model::page_event::EventKind;

use super::forms::WorkspaceForm;
use super::visit::{WorkspaceVisit, answered, redirect};
use crate::csrf;
use crate::error::FormProblem;
use crate::filters;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private};
use service::Services;
use service::error::ServiceError;
use service::feed::{self, FeedAddresses, FeedState};
use service::webhooks::{self, Delivery, DeliveryStateWord, Webhook, WebhookKind, WebhookState};

/// Where the page is.
const PATH: &str = "/workspace/webhooks";
/// Fields of the form for a webhook that an error may name.
const FIELDS: [&str; 2] = ["url", "events"];
/// Deliveries that the page shows of a webhook; the API has more.
const SHOWN: usize = 5;

#[derive(Template)]
#[template(path = "workspace_webhooks.html")]
struct WebhooksPage<'a> {
    frame: Frame<'a>,
    /// CSRF token of the forms of a session.
    csrf: Option<String>,
    is_guest: bool,
    rows: Vec<WebhookRow>,
    /// What can be done with each, with the word for it.
    actions: [(&'static str, &'static str); 3],
    feed: Option<FeedState>,
    /// What was made just now, and is shown this once.
    made: Option<Made>,
    /// What is wrong with the form for a webhook, or with another one.
    problem: Option<FormProblem>,
    /// The address typed into the form.
    typed: &'a str,
    /// Word and label of each event, and whether it is chosen.
    events: [(&'static str, &'static str, bool); 2],
}

/// A webhook in the list.
struct WebhookRow {
    webhook: Webhook,
    kind: &'static str,
    state: &'static str,
    events: String,
    deliveries: Vec<DeliveryRow>,
}

/// A delivery in the list.
struct DeliveryRow {
    delivery: Delivery,
    event: &'static str,
    state: &'static str,
    /// The last answer, or why there was none.
    answer: String,
}

/// What is shown once.
enum Made {
    /// A signing secret.
    Secret(String),
    /// The addresses of the feed and the calendar.
    Feed(FeedAddresses),
}

/// The webhooks and the feed.
pub(crate) async fn show(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| page(visit, None, None).await).await
}

/// A form of the page.
pub(crate) async fn send(State(services): State<Services>, request: Request) -> Response {
    let (parts, form) = WorkspaceForm::of(&services, request).await;
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let form = form?;
        match act(&form).await {
            Ok(None) => Ok(redirect(PATH, reader.lang)),
            Ok(made) => page(&form.visit, made, None).await,
            Err(error) => page(&form.visit, None, Some((&form, &error))).await,
        }
    };
    match done.await {
        Ok(response) => private(response),
        Err(error) => crate::error::page(&services, &error, reader),
    }
}

/// Does what a form asks for.
async fn act(form: &WorkspaceForm) -> Result<Option<Made>, ServiceError> {
    let cx = &form.visit.cx;
    let id = form.field("id").unwrap_or_default();
    match form.field("action").unwrap_or_default() {
        "test" => webhooks::test(cx, id).await.map(|_| None),
        "rotate" => webhooks::rotate(cx, id).await.map(|made| Some(Made::Secret(made.secret))),
        "delete" => webhooks::delete(cx, id).await.map(|()| None),
        "feed" => feed::renew(cx).await.map(|made| Some(Made::Feed(made))),
        "delete-feed" => feed::delete(cx).await.map(|()| None),
        _ => {
            let chosen: Vec<EventKind> =
                EventKind::SUBSCRIBED.into_iter().filter(|kind| is_chosen(form, *kind)).collect();
            let events = webhooks::subscribed(Some(&chosen))?;
            let made = webhooks::create(cx, form.field("url").unwrap_or_default().trim(), &events).await?;
            Ok(Some(Made::Secret(made.secret)))
        }
    }
}

fn is_chosen(form: &WorkspaceForm, kind: EventKind) -> bool {
    form.field(kind.word()) == Some("on")
}

/// The page; with a form that was refused, and why.
async fn page(
    visit: &WorkspaceVisit,
    made: Option<Made>,
    refused: Option<(&WorkspaceForm, &ServiceError)>,
) -> Result<Response, ServiceError> {
    const ALERTS: Text = text("Alerts: a watched page got worse", "Alertas: uma página monitorada piorou");
    const CHOOSE: Text = text("Choose at least one event.", "Escolha pelo menos um evento.");
    const RUNS: Text = text("Other finished runs", "Outras auditorias concluídas");
    let (cx, lang) = (&visit.cx, visit.reader.lang);
    let error = refused.map(|(_, error)| error);
    // The forms of webhooks that are there have nothing to type.
    let typed = refused.map(|(form, _)| form).filter(|form| form.field("url").is_some());
    let event = |kind: EventKind, label: Text| {
        (kind.word(), label.in_lang(lang), typed.is_none_or(|form| is_chosen(form, kind)))
    };
    let is_guest = visit.is_guest();
    let (mut rows, mut feed) = (Vec::new(), None);
    if !is_guest {
        for webhook in webhooks::list(cx).await? {
            let deliveries = webhooks::deliveries(cx, &webhook.id).await?;
            rows.push(WebhookRow::of(webhook, deliveries, lang));
        }
        feed = Some(feed::state(cx).await?);
    }
    let page = WebhooksPage {
        frame: visit.frame(),
        csrf: csrf::of_call(cx)?,
        is_guest,
        rows,
        actions: [
            ("test", text("Send a test", "Enviar um teste").in_lang(lang)),
            ("rotate", text("Rotate the secret", "Trocar o segredo").in_lang(lang)),
            ("delete", text("Delete", "Excluir").in_lang(lang)),
        ],
        feed,
        made,
        problem: error.map(|error| match typed {
            Some(_) => match FormProblem::of(error, &FIELDS, lang).or_at("url") {
                problem if problem.is_at("events") => FormProblem::at("events", CHOOSE.in_lang(lang).to_owned()),
                problem => problem,
            },
            None => FormProblem::of(error, &[], lang),
        }),
        typed: typed.and_then(|form| form.field("url")).unwrap_or_default(),
        events: [event(EventKind::WatchAlert, ALERTS), event(EventKind::RunFinished, RUNS)],
    };
    let mut response = html(error.map_or(StatusCode::OK, status), &page, lang);
    if let Some(error) = error {
        of_error(response.headers_mut(), error, cx.services.is_https());
    }
    Ok(response)
}

impl WebhookRow {
    fn of(webhook: Webhook, deliveries: Vec<Delivery>, lang: Lang) -> Self {
        let state = match webhook.state {
            WebhookState::Active => text("active", "ativo"),
            WebhookState::Failing => text("failing", "falhando"),
            WebhookState::Disabled => text("disabled", "desativado"),
        };
        let events: Vec<&str> = webhook.events.iter().map(|kind| event_name(*kind).in_lang(lang)).collect();
        Self {
            kind: match webhook.kind {
                WebhookKind::Standard => "Standard Webhooks",
                WebhookKind::Slack => "Slack",
                WebhookKind::Discord => "Discord",
            },
            state: state.in_lang(lang),
            events: events.join(", "),
            deliveries: deliveries.into_iter().take(SHOWN).map(|delivery| DeliveryRow::of(delivery, lang)).collect(),
            webhook,
        }
    }

    fn is_failing(&self) -> bool {
        self.webhook.state != WebhookState::Active
    }

    fn is_disabled(&self) -> bool {
        self.webhook.state == WebhookState::Disabled
    }
}

impl DeliveryRow {
    fn of(delivery: Delivery, lang: Lang) -> Self {
        let state = match delivery.state {
            DeliveryStateWord::Waiting => text("waiting", "na fila"),
            DeliveryStateWord::Delivered => text("delivered", "entregue"),
            DeliveryStateWord::Failed => text("failed", "falhou"),
        };
        let answer = match (delivery.status, &delivery.error) {
            (Some(status), _) => status.to_string(),
            (None, Some(error)) => error.clone(),
            (None, None) => String::new(),
        };
        Self { event: event_name(delivery.kind).in_lang(lang), state: state.in_lang(lang), answer, delivery }
    }
}

/// The name of an event for people.
fn event_name(kind: EventKind) -> Text {
    match kind {
        EventKind::WatchAlert => text("alerts", "alertas"),
        EventKind::RunFinished => text("other runs", "outras auditorias"),
        EventKind::WebhookTest => text("test", "teste"),
    }
}
