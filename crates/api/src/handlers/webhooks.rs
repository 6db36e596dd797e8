//! Webhooks, and the private feed: what tells programs of the runs of followed pages.

use model::page_event::EventKind;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::auth::Done;
use crate::operation::{Accepted, Access, IntoReply, JsonAnswer, Nothing, Operation, Reply};
use service::Services;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::feed::{self, FeedAddresses, FeedState};
use service::webhooks::{self, Delivery, Webhook, WebhookWithSecret};

/// Media type of feeds (RFC 4287 §7).
const ATOM: &str = "application/atom+xml; charset=utf-8";
/// Error codes of every call about one webhook.
const OF_A_WEBHOOK: &[Code] =
    &[Code::GuestTokenRequired, Code::AccountRequired, Code::WebhookNotFound, Code::DatabaseUnavailable];
/// Error codes of every call about the feed.
const OF_THE_FEED: &[Code] = &[Code::GuestTokenRequired, Code::AccountRequired, Code::DatabaseUnavailable];

/// The endpoints of this file.
// Long, as it is a table: an entry for each endpoint.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/webhooks", "list_webhooks", list)
            .title("List webhooks", "Listar os webhooks")
            .doc(
                "The webhooks of the account or organization, oldest first, with their state: `active`, `failing` since \
                 when, or `disabled`. Of an address only origin and end are shown.",
                "Os webhooks da conta ou organização, os mais antigos primeiro, com o estado: `active`, `failing` \
                 desde quando, ou `disabled`. De um endereço só são mostrados a origem e o fim.",
            )
            .access(Access::Account)
            .errors(OF_THE_FEED),
        Operation::post("/api/webhooks", "create_webhook", create)
            .title("Make a webhook", "Criar um webhook")
            .doc(
                "Each run of a followed page is one event: `watch.alert` when the daily watch found that the page got worse, \
                 else `run.finished`. It is posted to `url` as JSON and signed as Standard Webhooks says, with `secret`, \
                 which is answered this once. An address of Slack (`hooks.slack.com`) or Discord (`/api/webhooks/`) gets \
                 messages in that chat's own shape instead. Texts are in the language of this call.\n\nA delivery is tried \
                 10 times over three days; redirects are not followed, and private addresses are refused. Ten webhooks at \
                 most; guests have none.",
                "Cada auditoria de uma página seguida é um evento: `watch.alert` quando o monitoramento diário \
                 descobre que a página piorou, senão `run.finished`. Ele é enviado por POST a `url` como JSON e \
                 assinado segundo o Standard Webhooks, com `secret`, que só é mostrado nesta resposta. Um endereço do \
                 Slack (`hooks.slack.com`) ou do Discord (`/api/webhooks/`) recebe mensagens no formato desse chat. Os \
                 textos vêm no idioma desta chamada.\n\nUma entrega é tentada 10 vezes em três dias; \
                 redirecionamentos não são seguidos, e endereços privados são recusados. No máximo dez webhooks; \
                 visitantes não podem ter nenhum.",
            )
            .example(r#"`{"url": "https://example.com/hooks", "events": ["watch.alert"]}`"#)
            .access(Access::Account)
            .reaches_out()
            .check(|_: &Services, input: &CreateRequest| webhooks::subscribed(input.events.as_deref()).map(drop))
            .errors(&[
                Code::GuestTokenRequired,
                Code::AccountRequired,
                Code::InvalidUrl,
                Code::AddressNotAllowed,
                Code::WebhookLimit,
                Code::RateLimited,
                Code::AuthUnavailable,
                Code::DatabaseUnavailable,
            ]),
        Operation::post("/api/webhooks/{id}/test", "test_webhook", test)
            .title("Send a test delivery", "Enviar uma entrega de teste")
            .doc(
                "Queues a `webhook.test` event with a sample, which is tried once; list_webhook_deliveries says what became \
                 of it. A disabled webhook is active again when it succeeds.",
                "Põe na fila um evento `webhook.test` com dados de exemplo, que é tentado uma vez; \
                 list_webhook_deliveries mostra o resultado. Um webhook desativado volta a ficar ativo se o teste dá \
                 certo.",
            )
            .access(Access::Account)
            .reaches_out()
            .errors(&[
                Code::GuestTokenRequired,
                Code::AccountRequired,
                Code::WebhookNotFound,
                Code::RateLimited,
                Code::DatabaseUnavailable,
            ]),
        Operation::post("/api/webhooks/{id}/rotate", "rotate_webhook_secret", rotate)
            .title("Rotate a webhook's secret", "Trocar o segredo de um webhook")
            .doc(
                "A new secret, answered this once. For 24 hours messages are signed with the one before, too: \
                 `webhook-signature` then has two signatures.",
                "Um novo segredo, que só é mostrado nesta resposta. Por 24 horas as mensagens são assinadas também \
                 com o anterior: `webhook-signature` tem então duas assinaturas.",
            )
            .access(Access::Account)
            .errors(OF_A_WEBHOOK),
        Operation::delete("/api/webhooks/{id}", "delete_webhook", delete)
            .title("Delete a webhook", "Excluir um webhook")
            .doc(
                "It gets no more events, and its list of deliveries is deleted.",
                "Ele não recebe mais eventos, e a lista de entregas dele é excluída.",
            )
            .access(Access::Account)
            .errors(OF_A_WEBHOOK),
        Operation::get("/api/webhooks/{id}/deliveries", "list_webhook_deliveries", deliveries)
            .title("List a webhook's deliveries", "Listar as entregas de um webhook")
            .doc(
                "The last 50, newest first, with tries, the last answer and when the next try is due. Kept for 30 \
                 days.",
                "As últimas 50, as mais novas primeiro, com as tentativas, a última resposta e quando é a próxima \
                 tentativa. Guardadas por 30 dias.",
            )
            .access(Access::Account)
            .errors(OF_A_WEBHOOK),
        Operation::get("/api/feed", "get_feed", feed_state)
            .title("Ask for the feed", "Consultar o feed")
            .doc(
                "Whether the account or organization has a feed. Its address is told only when it is made or renewed.",
                "Se a conta ou organização tem um feed. O endereço só é mostrado quando é criado ou renovado.",
            )
            .access(Access::Account)
            .errors(OF_THE_FEED),
        Operation::post("/api/feed", "renew_feed", renew_feed)
            .title("Make or renew the feed's address", "Criar ou renovar o endereço do feed")
            .doc(
                "An Atom feed of the runs of followed pages, and a calendar of their dates (iCalendar). Whoever knows an \
                 address can read it, without a credential; both are answered this once. The addresses before open \
                 nothing any more.",
                "Um feed Atom das auditorias das páginas seguidas e um calendário das datas delas (iCalendar). Quem \
                 conhece um endereço pode lê-lo, sem credencial; os dois só são mostrados nesta resposta. Os \
                 endereços anteriores deixam de funcionar.",
            )
            .access(Access::Account)
            .errors(OF_THE_FEED),
        Operation::delete("/api/feed", "delete_feed", delete_feed)
            .title("Delete the feed", "Excluir o feed")
            .doc("Its address opens nothing any more.", "O endereço dele deixa de funcionar.")
            .access(Access::Account)
            .errors(OF_THE_FEED),
        Operation::get("/feeds/{token}", "read_feed", read_feed)
            .title("Read a feed", "Ler um feed")
            .doc(
                "The last 50 runs of the followed pages as Atom (RFC 4287), newest first, in the language of the call. The \
                 address itself is the credential.",
                "As últimas 50 auditorias das páginas seguidas como Atom (RFC 4287), as mais novas primeiro, no \
                 idioma da chamada. O próprio endereço é a credencial.",
            )
            .without_tool()
            .unshared()
            .errors(&[Code::NotFound, Code::DatabaseUnavailable]),
    ]
}

/// The caller's webhooks.
#[derive(Debug, Serialize, JsonSchema)]
struct WebhookList {
    /// Oldest first.
    webhooks: Vec<Webhook>,
}

async fn list(cx: Cx, _: Nothing) -> Result<JsonAnswer<WebhookList>, ServiceError> {
    Ok(JsonAnswer::new(WebhookList { webhooks: webhooks::list(&cx).await? }))
}

/// A webhook to make.
#[derive(Debug, Deserialize, JsonSchema)]
struct CreateRequest {
    /// Where events are posted: an absolute http or https URL on the public internet, at most 2,048 bytes.
    url: String,
    /// The events that it gets; all by default.
    #[serde(default)]
    events: Option<Vec<EventKind>>,
}

/// A webhook and its secret.
#[derive(Debug, Serialize, JsonSchema)]
struct SecretAnswer {
    /// Always true.
    ok: bool,
    /// The webhook.
    webhook: Webhook,
    /// The signing secret, `whsec_` and base64. Answered this once. Chats don't check signatures.
    secret: String,
}

impl From<WebhookWithSecret> for SecretAnswer {
    fn from(made: WebhookWithSecret) -> Self {
        Self { ok: true, webhook: made.webhook, secret: made.secret }
    }
}

async fn create(cx: Cx, input: CreateRequest) -> Result<JsonAnswer<SecretAnswer>, ServiceError> {
    let events = webhooks::subscribed(input.events.as_deref())?;
    Ok(JsonAnswer::new(webhooks::create(&cx, &input.url, &events).await?.into()))
}

/// Which webhook.
#[derive(Debug, Deserialize, JsonSchema)]
struct WebhookPath {
    /// Its id.
    #[schemars(extend("x-pt" = "Id do webhook."))]
    id: String,
}

/// A delivery that was queued.
#[derive(Debug, Serialize, JsonSchema)]
struct QueuedTest {
    /// Always true.
    ok: bool,
    /// The delivery of the test.
    delivery: Delivery,
}

async fn test(cx: Cx, input: WebhookPath) -> Result<Accepted<QueuedTest>, ServiceError> {
    Ok(Accepted(QueuedTest { ok: true, delivery: webhooks::test(&cx, &input.id).await? }))
}

async fn rotate(cx: Cx, input: WebhookPath) -> Result<JsonAnswer<SecretAnswer>, ServiceError> {
    Ok(JsonAnswer::new(webhooks::rotate(&cx, &input.id).await?.into()))
}

async fn delete(cx: Cx, input: WebhookPath) -> Result<JsonAnswer<Done>, ServiceError> {
    webhooks::delete(&cx, &input.id).await?;
    Ok(JsonAnswer::new(Done::OK))
}

/// Deliveries of a webhook.
#[derive(Debug, Serialize, JsonSchema)]
struct DeliveryList {
    /// Newest first.
    deliveries: Vec<Delivery>,
}

async fn deliveries(cx: Cx, input: WebhookPath) -> Result<JsonAnswer<DeliveryList>, ServiceError> {
    Ok(JsonAnswer::new(DeliveryList { deliveries: webhooks::deliveries(&cx, &input.id).await? }))
}

async fn feed_state(cx: Cx, _: Nothing) -> Result<JsonAnswer<FeedState>, ServiceError> {
    Ok(JsonAnswer::new(feed::state(&cx).await?))
}

/// A feed's address.
#[derive(Debug, Serialize, JsonSchema)]
struct FeedAddress {
    /// Always true.
    ok: bool,
    /// The address. Answered this once; whoever knows it can read the feed.
    url: String,
    /// The address of the calendar of followed pages (iCalendar), a part of the same secret.
    calendar: String,
}

async fn renew_feed(cx: Cx, _: Nothing) -> Result<JsonAnswer<FeedAddress>, ServiceError> {
    let FeedAddresses { feed, calendar } = feed::renew(&cx).await?;
    Ok(JsonAnswer::new(FeedAddress { ok: true, url: feed, calendar }))
}

async fn delete_feed(cx: Cx, _: Nothing) -> Result<JsonAnswer<Done>, ServiceError> {
    feed::delete(&cx).await?;
    Ok(JsonAnswer::new(Done::OK))
}

/// Which feed.
#[derive(Debug, Deserialize, JsonSchema)]
struct FeedPath {
    /// The token in its address.
    #[schemars(extend("x-pt" = "O token do endereço."))]
    token: String,
}

/// A feed as Atom.
#[derive(Debug)]
struct AtomFeed(String);

impl IntoReply for AtomFeed {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { media_type: ATOM, speaks: true, ..Reply::json(self.0.into()) })
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        (ATOM, None)
    }
}

async fn read_feed(cx: Cx, input: FeedPath) -> Result<AtomFeed, ServiceError> {
    feed::read(&cx.services, &input.token, cx.lang).await.map(AtomFeed)
}
