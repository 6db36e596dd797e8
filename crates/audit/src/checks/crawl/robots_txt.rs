//! robots.txt as a file: whether crawlers get one they can read. (RFC 9309)

use crate::check::prelude::*;
use crate::facts::content_type;
use crate::facts::robots_txt::{RobotsState, RobotsTxt};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "robots-txt",
    category: Category::Crawl,
    landing: Landing {
        title: text("robots.txt checker", "Verificador de robots.txt"),
        h1: text("Can crawlers read my robots.txt?", "Os robôs conseguem ler meu robots.txt?"),
        description: text(
            "Fetch /robots.txt as crawlers do and see whether it is missing, unreachable, a web page in disguise, or served from elsewhere.",
            "Busque /robots.txt como os robôs e veja se ele falta, está inalcançável, é uma página web disfarçada ou vem de outro host.",
        ),
        lead: text(
            "Crawlers ask for robots.txt before anything else, and stop when it answers with an error. This tool fetches the file, follows its redirects and says what crawlers make of the answer.",
            "Os robôs pedem o robots.txt antes de tudo, e param quando ele responde com erro. Esta ferramenta busca o arquivo, segue os redirecionamentos e diz o que os robôs entendem da resposta.",
        ),
        example: include_str!("robots_txt/bad_html.http"),
    },
    checks: &[UNREACHABLE, HTML_RESPONSE, MISSING, CONTENT_TYPE, OFF_HOST],
};

/// Where the file is on a host.
pub(super) const PATH: &str = "/robots.txt";
/// Redirects that a crawler should follow (RFC 9309 §2.3.1.2), and the fetcher does.
const MOST_REDIRECTS: u64 = 5;
/// The whole file of a site that hides nothing.
const OPEN: &str = "User-agent: *\nAllow: /\n";

const UNREACHABLE: Check = Check {
    code: "robots_txt_unreachable",
    severity: Severity::Error,
    impact: Impact::Indexing,
    title: text("robots.txt can't be reached", "robots.txt inalcançável"),
    why: text(
        "While robots.txt answers with an error or not at all, crawlers must assume that everything is forbidden, and stop.",
        "Enquanto o robots.txt responde com erro ou não responde, os robôs devem supor que tudo é proibido, e param.",
    ),
    how: text(
        "Let /robots.txt answer 200, or 404 if there is none.",
        "Faça /robots.txt responder 200, ou 404 se não houver.",
    ),
    reference: "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec#http-status-codes",
    rule: text(
        "Fails when /robots.txt answers 429 or 500 and above, or when no answer came: name, connection, TLS or time. What robots.txt says is then unknown, and no other check claims anything of it.",
        "Falha quando o /robots.txt responde 429 ou de 500 em diante, ou quando não veio resposta: nome, conexão, TLS ou tempo. O que o robots.txt diz fica então desconhecido, e nenhuma outra verificação afirma algo sobre ele.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: FIRST,
    run: unreachable,
};

const HTML_RESPONSE: Check = Check {
    code: "robots_txt_html_response",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("robots.txt answers with a web page", "O robots.txt responde com uma página web"),
    why: text(
        "The server sends its app or error page with status 200. Crawlers look for rules in it and find none.",
        "O servidor envia o aplicativo ou a página de erro com status 200. Os robôs procuram regras nela e não acham.",
    ),
    how: text("Serve a text file there, or answer 404.", "Sirva ali um arquivo de texto, ou responda 404."),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3",
    rule: text(
        "Fails when /robots.txt answers 2xx and the body begins as an HTML document does. Crawlers find no rules in it, so nothing is forbidden; checks of lines are left out.",
        "Falha quando o /robots.txt responde 2xx e o corpo começa como um documento HTML. Os robôs não acham regras nele, então nada é proibido; as verificações de linhas ficam de fora.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: html_response,
};

const MISSING: Check = Check {
    code: "robots_txt_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No robots.txt", "Sem robots.txt"),
    why: text(
        "Crawlers take a missing file as leave to fetch everything, which is fine. A file is where they look for your sitemap.",
        "Os robôs entendem a falta do arquivo como permissão para buscar tudo, e tudo bem. É no arquivo que procuram o seu sitemap.",
    ),
    how: text("Put a robots.txt at the root of the host.", "Coloque um robots.txt na raiz do host."),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.3",
    rule: text(
        "Fails when /robots.txt of the page's origin answers 400 to 499 except 429, or redirects more than five times: crawlers then take everything as allowed. 401 and 403 count as missing too.",
        "Falha quando o /robots.txt da origem da página responde de 400 a 499, exceto 429, ou redireciona mais de cinco vezes: os robôs então entendem que tudo é permitido. 401 e 403 também contam como ausente.",
    ),
    thresholds: &[threshold("most_redirects", MOST_REDIRECTS, "hops")],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: missing,
};

const CONTENT_TYPE: Check = Check {
    code: "robots_txt_content_type_wrong",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("robots.txt is not sent as plain text", "O robots.txt não é enviado como texto simples"),
    why: text(
        "The standard asks for text/plain. Google reads the file whatever its type; a stricter crawler may not, and browsers offer a download.",
        "O padrão pede text/plain. O Google lê o arquivo com qualquer tipo; um robô mais rigoroso talvez não, e os navegadores oferecem um download.",
    ),
    how: text("Send `Content-Type: text/plain; charset=utf-8`.", "Envie `Content-Type: text/plain; charset=utf-8`."),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3",
    rule: text(
        "Fails when /robots.txt answers 2xx with a text file and a `Content-Type` other than `text/plain`. A missing header passes, and an HTML document is told by its own check.",
        "Falha quando o /robots.txt responde 2xx com um arquivo de texto e um `Content-Type` diferente de `text/plain`. Um cabeçalho ausente passa, e um documento HTML tem verificação própria.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: content_type,
};

const OFF_HOST: Check = Check {
    code: "robots_txt_redirected_off_host",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("robots.txt comes from another host", "O robots.txt vem de outro host"),
    why: text(
        "Whoever writes that host's file decides what crawlers may fetch here, and not every crawler follows such a redirect.",
        "Quem escreve o arquivo daquele host decide o que os robôs podem buscar aqui, e nem todo robô segue esse redirecionamento.",
    ),
    how: text(
        "Serve a file of its own at /robots.txt of each host.",
        "Sirva um arquivo próprio em /robots.txt de cada host.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.2",
    rule: text(
        "Fails when /robots.txt of the page's origin redirects and the text file that is read in the end is on another host. Redirects on the same host pass, from http to https too.",
        "Falha quando o /robots.txt da origem da página redireciona e o arquivo de texto lido no fim está em outro host. Redirecionamentos no mesmo host passam, também de http para https.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: off_host,
};

/// A place in the file.
pub(super) fn place(facts: &Facts<'_>, line: Option<u32>, snippet: Option<String>) -> Place {
    Place { url: facts.robots_url(), line, snippet, ..Place::default() }
}

/// The file, where there is one that can be read.
pub(super) fn found<'f>(facts: &'f Facts<'_>) -> Result<&'f RobotsTxt, NotMeasured> {
    match facts.robots()? {
        RobotsState::Found(file) => Ok(file),
        RobotsState::Unreachable(_) => Err(NotMeasured::Robots),
        RobotsState::Missing(_) | RobotsState::Html => Err(NotMeasured::Absent),
    }
}

/// The sitemap that is there although robots.txt does not name it.
pub(super) fn unnamed_sitemap<'f>(facts: &'f Facts<'_>) -> Option<&'f str> {
    let sitemaps = facts.sitemaps().ok().filter(|sitemaps| !sitemaps.is_declared)?;
    sitemaps.files.iter().find(|file| file.is_sitemap()).map(|file| file.url.as_str())
}

/// A file that allows everything and names the sitemap that was found.
fn open_file(facts: &Facts<'_>) -> String {
    unnamed_sitemap(facts).map_or_else(|| OPEN.to_owned(), |url| format!("{OPEN}{}\n", sitemap_line(url)))
}

/// The line of robots.txt that names a sitemap.
pub(super) fn sitemap_line(url: &str) -> String {
    format!("Sitemap: {url}")
}

fn missing(facts: &Facts<'_>) -> Verdict {
    let RobotsState::Missing(status) = facts.robots()? else { return PASS };
    const NONE: Text = text("/robots.txt answers {status}.", "/robots.txt responde {status}.");
    const REDIRECTS: Text =
        text("/robots.txt redirects more than five times.", "/robots.txt redireciona mais de cinco vezes.");
    let message = if *status == 0 { REDIRECTS } else { NONE };
    const ALL: Text = text("A file that allows everything, as now.", "Um arquivo que permite tudo, como agora.");
    problem(message, &[("status", (*status).into())], FixDraft::file(PATH, open_file(facts)).note(ALL, &[])).fail()
}

fn unreachable(facts: &Facts<'_>) -> Verdict {
    let RobotsState::Unreachable(reason) = facts.robots()? else { return PASS };
    const FAILED: Text =
        text("/robots.txt could not be read ({reason}).", "Não foi possível ler /robots.txt ({reason}).");
    const ANSWER: Text = text(
        "Let /robots.txt answer 200 with the file, or 404 if there is none; now: {reason}.",
        "Faça /robots.txt responder 200 com o arquivo, ou 404 se não houver; agora: {reason}.",
    );
    let values = [("reason", reason.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::File, ANSWER, &values);
    problem(FAILED, &values, fix).at([place(facts, None, None)]).fail()
}

fn html_response(facts: &Facts<'_>) -> Verdict {
    match facts.robots()? {
        RobotsState::Html => {}
        RobotsState::Missing(_) => return Err(NotMeasured::Absent),
        RobotsState::Found(_) | RobotsState::Unreachable(_) => return PASS,
    }
    const PAGE: Text =
        text("/robots.txt answers with an HTML document.", "/robots.txt responde com um documento HTML.");
    const ALL: Text = text("A file that allows everything, as now.", "Um arquivo que permite tudo, como agora.");
    problem(PAGE, &[], FixDraft::file(PATH, open_file(facts)).note(ALL, &[])).at([place(facts, None, None)]).fail()
}

fn content_type(facts: &Facts<'_>) -> Verdict {
    found(facts)?;
    let Some(kind) = content_type::declared(facts.robots_response()?) else { return Err(NotMeasured::Absent) };
    if content_type::extract(&kind).is_some_and(|kind| kind.essence == "text/plain") {
        return PASS;
    }
    const OTHER: Text = text("/robots.txt is sent as {type}.", "/robots.txt é enviado como {type}.");
    const SEND: Text = text(
        "Send for /robots.txt: Content-Type: text/plain; charset=utf-8",
        "Envie para /robots.txt: Content-Type: text/plain; charset=utf-8",
    );
    let fix = FixDraft::instruction(FixTarget::File, SEND, &[]);
    problem(OTHER, &[("type", kind.into())], fix).at([place(facts, None, None)]).fail()
}

fn off_host(facts: &Facts<'_>) -> Verdict {
    found(facts)?;
    let exchange = facts.robots_response()?;
    let requested = facts.url()?.join(PATH).map_err(|_| NotMeasured::Robots)?;
    let read = url::Url::parse(&exchange.url).map_err(|_| NotMeasured::Robots)?;
    if read.host_str() == requested.host_str() {
        return PASS;
    }
    const ELSEWHERE: Text = text("{from} redirects to {to}.", "{from} redireciona para {to}.");
    const OWN: Text = text(
        "Answer {from} with a file of this host instead of the redirect.",
        "Responda {from} com um arquivo deste host em vez do redirecionamento.",
    );
    let values = [("from", requested.as_str().into()), ("to", read.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::File, OWN, &values);
    let places = exchange.hops.iter().map(|hop| Place {
        url: Some(hop.url.clone()),
        snippet: Some(format!("{} Location: {}", hop.status, hop.location)),
        ..Place::default()
    });
    problem(ELSEWHERE, &values, fix).at(places).fail()
}
