//! Whether the page can be reached at all.

use model::capture::Fetched;

use crate::check::prelude::*;
use crate::facts::fetch_failure;
use crate::facts::redirects::is_endless;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "access",
    category: Category::Http,
    landing: Landing {
        title: text("HTTP status checker", "Verificador de status HTTP"),
        h1: text("Does my page answer with the right status?", "Minha página responde com o status certo?"),
        description: text(
            "Fetch a page as a crawler does and see its HTTP status: unreachable, client error, server error, or a response without content.",
            "Busque uma página como um robô e veja o status HTTP: inacessível, erro de cliente, erro de servidor ou resposta sem conteúdo.",
        ),
        lead: text(
            "Search engines index only pages that answer with a success status. This tool fetches the page once and shows the status, what it means for indexing, or which step of the connection failed.",
            "Os buscadores só indexam páginas que respondem com status de sucesso. Esta ferramenta busca a página uma vez e mostra o status, o que ele significa para a indexação, ou em que etapa a conexão falhou.",
        ),
        example: include_str!("access/bad_not_found.http"),
    },
    checks: &[UNREACHABLE, CLIENT_ERROR, SERVER_ERROR, NO_CONTENT],
};

const UNREACHABLE: Check = Check {
    code: "page_unreachable",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("Page unreachable", "Página inacessível"),
    why: text(
        "Neither visitors nor crawlers can load the page. Pages that stay unreachable drop out of the index.",
        "Nem visitantes nem robôs conseguem carregar a página. Páginas que continuam inacessíveis saem do índice.",
    ),
    how: text(
        "Fix the DNS record, the server or the certificate, as the message says.",
        "Corrija o registro DNS, o servidor ou o certificado, conforme a mensagem.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#network-and-dns-errors",
    rule: text(
        "Fails when the URL, or one that it redirects to, returns no HTTP response: the DNS lookup, the connection or the TLS handshake fails, the response is not valid HTTP, or the request times out. Endless redirects have their own check. A body that breaks off later is not a failure.",
        "Falha quando a URL, ou outra para a qual ela redireciona, não devolve resposta HTTP: a consulta DNS, a conexão ou o handshake TLS falha, a resposta não é HTTP válido, ou o tempo da requisição se esgota. Redirecionamentos sem fim têm verificação própria. Um corpo interrompido depois não é falha.",
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
        "Search engines remove pages that answer 4xx from the index, whatever their content.",
        "Os buscadores removem do índice páginas que respondem 4xx, seja qual for o conteúdo.",
    ),
    how: text(
        "Answer 200 if the page exists, or redirect to the page that replaced it.",
        "Responda 200 se a página existe, ou redirecione para a que a substituiu.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails on a final status of 400 to 499. Three cases are ignored: 429, a rate limit; 402, a request for payment, which has its own check; and a firewall's challenge, recognized by its headers or content.",
        "Falha com status final de 400 a 499. Três casos são ignorados: 429, um limite de requisições; 402, um pedido de pagamento, que tem verificação própria; e o desafio de um firewall, reconhecido pelos cabeçalhos ou pelo conteúdo.",
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
        "Crawlers slow down when they get 5xx. Pages that keep failing drop out of the index.",
        "Os robôs reduzem o ritmo quando recebem 5xx. Páginas que continuam falhando saem do índice.",
    ),
    how: text("Look for the cause in the server's error log.", "Procure a causa no log de erros do servidor."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails on a final status of 500 or above. This includes 503 for maintenance, since the page is unavailable meanwhile. A firewall's challenge with such a status has its own check.",
        "Falha com status final de 500 ou mais. Isso inclui 503 de manutenção, pois a página fica indisponível enquanto ela dura. O desafio de um firewall com esse status tem verificação própria.",
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
    title: text("Status not meant for a complete page", "Status impróprio para uma página completa"),
    why: text(
        "Crawlers treat 204 as an empty page, 201 and 202 as content still to come, and 206 as a fragment. None of them gets the page indexed reliably.",
        "Os robôs tratam 204 como página vazia, 201 e 202 como conteúdo que ainda virá, e 206 como um fragmento. Com nenhum deles a indexação da página é garantida.",
    ),
    how: text("Answer the page with status 200.", "Responda a página com o status 200."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#http-status-codes",
    rule: text(
        "Fails on a final status of 201, 202, 204, 205 or 206. An empty body with status 200 is reported by `html_empty` instead.",
        "Falha com status final 201, 202, 204, 205 ou 206. Um corpo vazio com status 200 é relatado por `html_empty`.",
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
    let reason = failure.reason.as_str();
    let values = [("url", failure.url.as_str().into()), ("reason", reason.into())];
    let fix = FixDraft::instruction(FixTarget::Page, fetch_failure::advice(reason), &[]);
    problem(fetch_failure::sentence(reason), &values, fix).fail()
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
        "Make {url} answer 200, or redirect it permanently to the page that replaces it.",
        "Faça {url} responder 200, ou redirecione-a de forma permanente para a página que a substitui.",
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
            "{url} answers {status}, which promises content for later instead of sending the page.",
            "{url} responde {status}, que promete o conteúdo para depois em vez de enviar a página.",
        ),
        204 | 205 => text(
            "{url} answers {status}, which means that there is no content.",
            "{url} responde {status}, que significa que não há conteúdo.",
        ),
        206 => text(
            "{url} answers {status} and sends only a part of the page, although the whole page was requested.",
            "{url} responde {status} e envia só uma parte da página, embora a página inteira tenha sido pedida.",
        ),
        _ if exchange.is_success() => return PASS,
        _ => return Err(NotMeasured::Status),
    };
    const WHOLE_PAGE: Text = text(
        "Make {url} answer with status 200 and the whole page.",
        "Faça {url} responder com o status 200 e a página inteira.",
    );
    let url = || Value::from(facts.final_url());
    let fix = FixDraft::instruction(FixTarget::Page, WHOLE_PAGE, &[("url", url())]);
    problem(message, &[("url", url()), ("status", exchange.status.into())], fix).fail()
}
