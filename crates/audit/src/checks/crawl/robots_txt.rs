//! robots.txt as a file: whether crawlers get one they can read. (RFC 9309)

use crate::check::prelude::*;
use crate::facts::content_type;
use crate::facts::fetch_failure;
use crate::facts::robots_txt::{RobotsState, RobotsTxt};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "robots-txt",
    category: Category::Crawl,
    landing: Landing {
        title: text("robots.txt checker", "Verificador de robots.txt"),
        h1: text("Can crawlers read my robots.txt?", "Os robôs conseguem ler meu robots.txt?"),
        description: text(
            "Fetch /robots.txt as crawlers do and see whether it is missing, unreachable, an HTML page, or served from another host.",
            "Busque /robots.txt como os robôs e veja se ele falta, está inacessível, é uma página HTML ou vem de outro host.",
        ),
        lead: text(
            "Crawlers request robots.txt before anything else, and stop when it answers with an error. This tool fetches the file, follows its redirects, and shows how crawlers treat the response.",
            "Os robôs pedem o robots.txt antes de tudo, e param quando ele responde com erro. Esta ferramenta busca o arquivo, segue os redirecionamentos e mostra como os robôs tratam a resposta.",
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
    title: text("robots.txt unreachable", "robots.txt inacessível"),
    why: text(
        "While robots.txt answers with a server error or not at all, crawlers must assume that the whole site is blocked, and stop crawling.",
        "Enquanto o robots.txt responde com erro de servidor ou não responde, os robôs devem supor que o site inteiro está bloqueado, e param de rastrear.",
    ),
    how: text(
        "Make /robots.txt answer 200, or 404 if there is none.",
        "Faça /robots.txt responder 200, ou 404 se não houver arquivo.",
    ),
    reference: "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec#http-status-codes",
    rule: text(
        "Fails when /robots.txt answers 429 or 500 and above, or gives no response because of a DNS, connection or TLS failure or a timeout. Other checks that need robots.txt are then not measured.",
        "Falha quando o /robots.txt responde 429 ou 500 e acima, ou não dá resposta por falha de DNS, de conexão ou de TLS ou por timeout. As outras verificações que dependem do robots.txt ficam então sem medição.",
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
    title: text("robots.txt is an HTML page", "O robots.txt é uma página HTML"),
    why: text(
        "The server sends its app or error page with status 200. Crawlers look for rules in it and find none.",
        "O servidor envia o aplicativo ou a página de erro com status 200. Os robôs procuram regras nela e não encontram.",
    ),
    how: text(
        "Serve a text file at /robots.txt, or answer 404.",
        "Sirva um arquivo de texto em /robots.txt, ou responda 404.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3",
    rule: text(
        "Fails when /robots.txt answers 2xx and its body begins like an HTML document. Crawlers find no rules in it, so nothing is blocked. Checks of its lines are not measured.",
        "Falha quando o /robots.txt responde 2xx e o corpo começa como um documento HTML. Os robôs não encontram regras nele; portanto, nada é bloqueado. As verificações de linhas não são medidas.",
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
        "Crawlers may fetch everything when the file is missing, which is fine. The file is also where they look for your sitemap.",
        "Sem o arquivo, os robôs podem buscar tudo, o que não é um problema. É nele que os robôs também procuram o seu sitemap.",
    ),
    how: text("Add a robots.txt at the root of the host.", "Adicione um robots.txt na raiz do host."),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.3",
    rule: text(
        "Fails when /robots.txt of the page's origin answers 400 to 499 except 429, or redirects more than five times. Crawlers then treat everything as allowed. 401 and 403 count as missing too.",
        "Falha quando o /robots.txt da origem da página responde de 400 a 499, exceto 429, ou redireciona mais de cinco vezes. Os robôs tratam então tudo como permitido. 401 e 403 também contam como ausente.",
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
    title: text("robots.txt not sent as text/plain", "robots.txt não enviado como text/plain"),
    why: text(
        "The standard requires text/plain. Google reads the file whatever its type, but stricter crawlers may not, and browsers offer a download.",
        "O padrão exige text/plain. O Google lê o arquivo com qualquer tipo, mas robôs mais rigorosos podem não ler, e os navegadores oferecem um download.",
    ),
    how: text("Send `Content-Type: text/plain; charset=utf-8`.", "Envie `Content-Type: text/plain; charset=utf-8`."),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3",
    rule: text(
        "Fails when /robots.txt answers 2xx with a text file and a `Content-Type` other than `text/plain`. A missing header passes. An HTML document has its own check.",
        "Falha quando o /robots.txt responde 2xx com um arquivo de texto e um `Content-Type` diferente de `text/plain`. Um cabeçalho ausente passa. Um documento HTML tem verificação própria.",
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
    title: text("robots.txt redirects to another host", "O robots.txt redireciona para outro host"),
    why: text(
        "The owner of that host decides what crawlers may fetch here, and some crawlers don't follow such a redirect.",
        "O dono daquele host decide o que os robôs podem buscar aqui, e alguns robôs não seguem esse redirecionamento.",
    ),
    how: text(
        "Serve each host's own file at its /robots.txt.",
        "Sirva em /robots.txt de cada host um arquivo próprio.",
    ),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.2",
    rule: text(
        "Fails when /robots.txt of the page's origin redirects and the text file at the end is on another host. Redirects on the same host pass, including from http to https.",
        "Falha quando o /robots.txt da origem da página redireciona e o arquivo de texto no fim está em outro host. Redirecionamentos no mesmo host passam, também de http para https.",
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
    const NONE: Text = text(
        "The site has no robots.txt: /robots.txt answers {status}.",
        "O site não tem robots.txt: /robots.txt responde {status}.",
    );
    const REDIRECTS: Text = text(
        "/robots.txt redirects more than five times, so crawlers treat it as missing.",
        "/robots.txt redireciona mais de cinco vezes; os robôs o tratam como ausente.",
    );
    let message = if *status == 0 { REDIRECTS } else { NONE };
    const ALL: Text = text("The file allows everything, as now.", "O arquivo permite tudo, como agora.");
    problem(message, &[("status", (*status).into())], FixDraft::file(PATH, open_file(facts)).note(ALL, &[])).fail()
}

fn unreachable(facts: &Facts<'_>) -> Verdict {
    let RobotsState::Unreachable(reason) = facts.robots()? else { return PASS };
    const STATUS: Text = text("/robots.txt answers {reason}.", "/robots.txt responde {reason}.");
    const ANSWER: Text = text(
        "Make {url} answer 200 with the file, or 404 if there is none.",
        "Faça {url} responder 200 com o arquivo, ou 404 se não houver arquivo.",
    );
    let is_status = reason.bytes().all(|byte| byte.is_ascii_digit());
    let message = if is_status { STATUS } else { fetch_failure::sentence(reason) };
    let url = facts.robots_url().unwrap_or_else(|| PATH.to_owned());
    let values = [("url", url.into()), ("reason", reason.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::File, ANSWER, &values);
    problem(message, &values, fix).at([place(facts, None, None)]).fail()
}

fn html_response(facts: &Facts<'_>) -> Verdict {
    match facts.robots()? {
        RobotsState::Html => {}
        RobotsState::Missing(_) => return Err(NotMeasured::Absent),
        RobotsState::Found(_) | RobotsState::Unreachable(_) => return PASS,
    }
    const PAGE: Text = text(
        "/robots.txt returns an HTML page instead of a text file.",
        "/robots.txt devolve uma página HTML em vez de um arquivo de texto.",
    );
    const ALL: Text = text("The file allows everything, as now.", "O arquivo permite tudo, como agora.");
    problem(PAGE, &[], FixDraft::file(PATH, open_file(facts)).note(ALL, &[])).at([place(facts, None, None)]).fail()
}

fn content_type(facts: &Facts<'_>) -> Verdict {
    found(facts)?;
    let Some(kind) = content_type::declared(facts.robots_response()?) else { return Err(NotMeasured::Absent) };
    if content_type::extract(&kind).is_some_and(|kind| kind.essence == "text/plain") {
        return PASS;
    }
    const OTHER: Text = text(
        "/robots.txt is sent as {type} instead of text/plain.",
        "/robots.txt é enviado como {type} em vez de text/plain.",
    );
    const SEND: Text = text(
        "Send this header for /robots.txt: Content-Type: text/plain; charset=utf-8",
        "Envie este cabeçalho para /robots.txt: Content-Type: text/plain; charset=utf-8",
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
    const ELSEWHERE: Text = text("{from} redirects to another host: {to}", "{from} redireciona para outro host: {to}");
    const OWN: Text = text(
        "Serve a robots.txt of this host at {from} instead of the redirect.",
        "Sirva um robots.txt deste host em {from} em vez do redirecionamento.",
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
