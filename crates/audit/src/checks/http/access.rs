//! Whether the page can be reached at all.

use model::capture::{FailureKind, Fetched};

use crate::check::prelude::*;
use crate::facts::redirects::is_endless;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "access",
    category: Category::Http,
    landing: Landing {
        title: text("HTTP status checker", "Verificador de status HTTP"),
        h1: text("Does my page answer as it should?", "Minha página responde como deveria?"),
        description: text(
            "Fetch a page as a crawler does and see its status: unreachable, client error, server error or an answer without content.",
            "Busque uma página como um robô e veja o status: inalcançável, erro de cliente, erro de servidor ou resposta sem conteúdo.",
        ),
        lead: text(
            "Search engines index only what answers with a success status. This tool fetches the page once and says what came back, which step failed when nothing did, and what the status means for indexing.",
            "Os buscadores só indexam o que responde com status de sucesso. Esta ferramenta busca a página uma vez e diz o que voltou, qual etapa falhou quando nada voltou e o que o status significa para a indexação.",
        ),
        example: include_str!("access/bad_not_found.http"),
    },
    checks: &[UNREACHABLE, CLIENT_ERROR, SERVER_ERROR, NO_CONTENT],
};

const UNREACHABLE: Check = Check {
    code: "page_unreachable",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Page can't be reached", "Página inalcançável"),
    why: text(
        "Neither people nor crawlers get the page. What stays unreachable drops out of the index.",
        "Nem pessoas nem robôs recebem a página. O que continua inalcançável sai do índice.",
    ),
    how: text(
        "Mend the name, the server or the certificate, as the message says.",
        "Conserte o nome, o servidor ou o certificado, como diz a mensagem.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#network-and-dns-errors",
    rule: text(
        "Fails when no response head came from the address or from one it redirects to: the name does not resolve, the connection or the TLS handshake fails, the head is no HTTP, or time runs out. Endless redirects are told by their own check. A body that breaks off later is no failure.",
        "Falha quando nenhum cabeçalho de resposta veio do endereço nem de outro para o qual ele redireciona: o nome não resolve, a conexão ou o handshake TLS falha, o que chega não é HTTP, ou o tempo se esgota. Redirecionamentos sem fim têm verificação própria. Um corpo interrompido depois não é falha.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: unreachable,
};

const CLIENT_ERROR: Check = Check {
    code: "http_status_client_error",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Page answers with a client error", "Página responde com erro de cliente"),
    why: text(
        "Search engines drop pages that answer 4xx, whatever their content says.",
        "Os buscadores descartam páginas que respondem 4xx, diga o conteúdo o que disser.",
    ),
    how: text(
        "Answer 200 where the page exists, or redirect to where it went.",
        "Responda 200 onde a página existe, ou redirecione para onde ela foi.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails on a final status of 400 to 499. Left alone: 429, which limits the rate; 402, which asks for payment and has its own check; and a firewall's challenge, told by its marks.",
        "Falha com status final de 400 a 499. Ficam de fora: 429, que limita o ritmo; 402, que pede pagamento e tem verificação própria; e o desafio de um firewall, reconhecido por suas marcas.",
    ),
    thresholds: &[
        threshold("first_status", FIRST_CLIENT_ERROR as u64, "status"),
        threshold("last_status", LAST_CLIENT_ERROR as u64, "status"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: client_error,
};

const SERVER_ERROR: Check = Check {
    code: "http_status_server_error",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Page answers with a server error", "Página responde com erro de servidor"),
    why: text(
        "On 5xx crawlers slow down; pages that keep failing drop out of the index.",
        "Com 5xx os robôs diminuem o ritmo; páginas que continuam falhando saem do índice.",
    ),
    how: text("Look into the server's log for the cause.", "Procure a causa no log do servidor."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails on a final status of 500 and above, maintenance by 503 included: the page is away while it lasts. A firewall's challenge under such a status is left to its own check.",
        "Falha com status final de 500 em diante, inclusive manutenção com 503: a página está fora enquanto isso dura. O desafio de um firewall com esse status fica para a verificação própria.",
    ),
    thresholds: &[threshold("first_status", FIRST_SERVER_ERROR as u64, "status")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: server_error,
};

const NO_CONTENT: Check = Check {
    code: "http_status_no_content",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Status says there is no finished page", "O status diz que não há uma página pronta"),
    why: text(
        "A crawler takes 204 for an empty page, and waits for what 201 and 202 only promise; 206 is a part that nobody asked for.",
        "Um robô entende 204 como página vazia e espera pelo que 201 e 202 apenas prometem; 206 é um pedaço que ninguém pediu.",
    ),
    how: text("Answer a page with status 200.", "Responda a página com o status 200."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails on a final status of 201, 202, 204, 205 or 206. A body without content is told by `html_empty` instead.",
        "Falha com status final 201, 202, 204, 205 ou 206. Um corpo sem conteúdo é apontado por `html_empty`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: no_content,
};

/// First status of the class (RFC 9110 §15.5).
const FIRST_CLIENT_ERROR: u16 = 400;
/// Last status of the class.
const LAST_CLIENT_ERROR: u16 = 499;
/// First status of the class (RFC 9110 §15.6).
const FIRST_SERVER_ERROR: u16 = 500;
/// Asks for payment (RFC 9110 §15.5.3): a check of its own.
const PAYMENT_REQUIRED: u16 = 402;
/// Limits the rate (RFC 6585 §4).
const TOO_MANY_REQUESTS: u16 = 429;

fn unreachable(facts: &Facts<'_>) -> Verdict {
    let Fetched::Failed(failure) = &facts.capture.page else { return PASS };
    if is_endless(failure) {
        return PASS;
    }
    const TIMED_OUT: Text = text("{url} did not answer in time ({reason}).", "{url} não respondeu a tempo ({reason}).");
    const FAILED: Text = text("{url} could not be reached ({reason}).", "Não foi possível alcançar {url} ({reason}).");
    let message = if failure.kind == FailureKind::Timeout { TIMED_OUT } else { FAILED };
    const CAUSE: Text = text("The step that failed: {reason}.", "A etapa que falhou: {reason}.");
    let fix = FixDraft::instruction(FixTarget::Page, CAUSE, &[("reason", failure.reason.as_str().into())]);
    problem(message, &[("url", failure.url.as_str().into()), ("reason", failure.reason.as_str().into())], fix).fail()
}

fn client_error(facts: &Facts<'_>) -> Verdict {
    let status = facts.response()?.status;
    let is_error = (FIRST_CLIENT_ERROR..=LAST_CLIENT_ERROR).contains(&status);
    if !is_error || matches!(status, PAYMENT_REQUIRED | TOO_MANY_REQUESTS) {
        return PASS;
    }
    status_error(facts, status)
}

fn server_error(facts: &Facts<'_>) -> Verdict {
    let status = facts.response()?.status;
    if status < FIRST_SERVER_ERROR { PASS } else { status_error(facts, status) }
}

fn status_error(facts: &Facts<'_>, status: u16) -> Verdict {
    const STATUS: Text = text("{url} answers with status {status}.", "{url} responde com o status {status}.");
    const ANSWER: Text = text(
        "Answer 200 at {url}, or redirect it permanently to the page that replaces it.",
        "Responda 200 em {url}, ou redirecione de forma permanente para a página que a substitui.",
    );
    let url = || Value::from(facts.final_url());
    problem(
        STATUS,
        &[("url", url()), ("status", status.into())],
        FixDraft::instruction(FixTarget::Page, ANSWER, &[("url", url())]),
    )
    .fail()
}

fn no_content(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    let message = match exchange.status {
        201 | 202 => text(
            "{url} answers {status}: something is being made, and may come later.",
            "{url} responde {status}: algo está sendo criado e pode vir depois.",
        ),
        204 | 205 => text("{url} answers {status}: there is no content.", "{url} responde {status}: não há conteúdo."),
        206 => text(
            "{url} answers {status}, a part of the page, although the whole was asked for.",
            "{url} responde {status}, um pedaço da página, embora se tenha pedido a página inteira.",
        ),
        _ if exchange.is_success() => return PASS,
        _ => return Err(NotMeasured::Status),
    };
    const WHOLE_PAGE: Text =
        text("Answer {url} with status 200 and the whole page.", "Responda {url} com status 200 e a página inteira.");
    let url = || Value::from(facts.final_url());
    let fix = FixDraft::instruction(FixTarget::Page, WHOLE_PAGE, &[("url", url())]);
    problem(message, &[("url", url()), ("status", exchange.status.into())], fix).fail()
}
