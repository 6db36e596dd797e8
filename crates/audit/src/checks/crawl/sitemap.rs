//! Sitemaps as files: whether there are any, and whether they can be read. (sitemaps.org protocol 0.9)

use model::capture::{FailureKind, Fetched};

use super::robots_txt;
use crate::check::prelude::*;
use crate::facts::robots_txt::{RobotsState, RobotsTxt};
use crate::facts::sitemap::{End, MOST_URLS, SitemapFile, SitemapKind};
use crate::facts::sitemap_draft;
use crate::facts::sitemap_survey::{Presence, Sitemaps};
use crate::fix::FileChange;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "sitemap",
    category: Category::Crawl,
    landing: Landing {
        title: text("XML sitemap checker", "Verificador de sitemap XML"),
        h1: text("Can search engines read my sitemap?", "Os buscadores conseguem ler meu sitemap?"),
        description: text(
            "Find the sitemaps of a site and check that they answer, parse, stay within the limits of the protocol and list any pages at all.",
            "Encontre os sitemaps do site e verifique se respondem, se podem ser lidos, se respeitam os limites do protocolo e se listam páginas.",
        ),
        lead: text(
            "A sitemap that does not answer, or breaks off at an unescaped &, tells search engines nothing. This tool reads XML, text, RSS, Atom and gzip, goes through indexes, and shows the line of the first fault.",
            "Um sitemap que não responde, ou que quebra em um & sem escape, não diz nada aos buscadores. Esta ferramenta lê XML, texto, RSS, Atom e gzip, percorre índices e mostra a linha da primeira falha.",
        ),
        example: include_str!("sitemap/bad_broken.http"),
    },
    checks: &[PARSE_ERROR, TOO_LARGE, UNREACHABLE, EMPTY, MISSING],
};

/// Bytes of one file before compression: "50MB (52,428,800 bytes)" (sitemaps.org protocol, "Using Sitemap index files").
const MOST_BYTES: u64 = 52_428_800;
/// Where a first sitemap goes.
const PATH: &str = "/sitemap.xml";

const PARSE_ERROR: Check = Check {
    code: "sitemap_parse_error",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("A sitemap that can't be read", "Um sitemap que não pode ser lido"),
    why: text(
        "Search engines stop at the first error of a sitemap, and may learn of none of the pages in it.",
        "Os buscadores param no primeiro erro de um sitemap, e podem não conhecer nenhuma das páginas dele.",
    ),
    how: text(
        "Correct the place named. In XML, write `&` as `&amp;`, close every element, and begin with `<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">`; in a text file, put one absolute URL on each line.",
        "Corrija o ponto indicado. Em XML, escreva `&` como `&amp;`, feche todo elemento e comece com `<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">`; num arquivo de texto, ponha uma URL absoluta em cada linha.",
    ),
    reference: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
    rule: text(
        "Fails when a file that robots.txt or an index names, or a sitemap at a usual place, is no well-formed XML, has another root than `urlset`, `sitemapindex`, `rss` or `feed`, lacks the protocol's namespace or has another, is no valid gzip or UTF-8, is a web page, or as plain text has a line that is no absolute URL. What a cut leaves unfinished is no fault.",
        "Falha quando um arquivo indicado pelo robots.txt ou por um índice, ou um sitemap em um lugar usual, não é XML bem formado, tem raiz diferente de `urlset`, `sitemapindex`, `rss` ou `feed`, não tem o namespace do protocolo ou tem outro, não é gzip ou UTF-8 válido, é uma página web ou, como texto simples, tem uma linha que não é URL absoluta. O que um corte deixa inacabado não é falha.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: FIRST,
    run: parse_error,
};

const TOO_LARGE: Check = Check {
    code: "sitemap_too_large",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Sitemap past the limits of the protocol", "Sitemap além dos limites do protocolo"),
    why: text(
        "Search engines reject a file with more entries or bytes than allowed, and an index inside an index is not followed.",
        "Os buscadores rejeitam um arquivo com mais entradas ou bytes que o permitido, e um índice dentro de outro não é seguido.",
    ),
    how: text(
        "Split the file, and name the parts in one index, or each in robots.txt.",
        "Divida o arquivo e indique as partes em um só índice, ou cada uma no robots.txt.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps",
    rule: text(
        "Fails when one file lists more than 50,000 URLs, an index lists more than 50,000 files, or an index lists another index. Fails too when a file that is sent unpacked states a `Content-Length` of more than 52,428,800 bytes, the 50 MB of the protocol. No more than 10 MiB of a file is read, so a longer one that is packed or states no length is not measured.",
        "Falha quando um arquivo lista mais de 50.000 URLs, um índice lista mais de 50.000 arquivos, ou um índice lista outro índice. Falha também quando um arquivo enviado sem compressão declara um `Content-Length` de mais de 52.428.800 bytes, os 50 MB do protocolo. Não se leem mais de 10 MiB de um arquivo, por isso um maior que venha comprimido ou não declare o tamanho não é medido.",
    ),
    thresholds: &[threshold("most_entries", MOST_URLS, "entries"), threshold("most_bytes", MOST_BYTES, "bytes")],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: too_large,
};

const UNREACHABLE: Check = Check {
    code: "sitemap_unreachable",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Sitemap that can't be fetched", "Sitemap que não pode ser buscado"),
    why: text(
        "Search engines are sent to an address where there is no sitemap, and learn of none of the pages in it.",
        "Os buscadores são mandados a um endereço sem sitemap e não ficam sabendo de nenhuma das páginas dele.",
    ),
    how: text(
        "Let the address answer 200 with the file and allow it in robots.txt, or stop naming it.",
        "Faça o endereço responder 200 com o arquivo e permita-o no robots.txt, ou deixe de indicá-lo.",
    ),
    reference: "https://support.google.com/webmasters/answer/7451001",
    rule: text(
        "Fails when a file that robots.txt or an index names answers 400 and above, does not answer, or, on the page's own origin, is forbidden to Googlebot by another line of robots.txt than the one that forbids the page. Left open: 401, 403, 408, 429 and a firewall's challenge, which other crawlers may not meet, and whatever the time of the audit itself did not suffice for.",
        "Falha quando um arquivo indicado pelo robots.txt ou por um índice responde de 400 em diante, não responde ou, na própria origem da página, é proibido ao Googlebot por outra linha do robots.txt que não a que proíbe a página. Ficam em aberto: 401, 403, 408, 429 e o desafio de um firewall, que outros robôs podem não encontrar, e aquilo para que o tempo da própria auditoria não bastou.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: unreachable,
};

const EMPTY: Check = Check {
    code: "sitemap_empty",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Sitemaps without any page", "Sitemaps sem nenhuma página"),
    why: text(
        "Search engines report an empty sitemap as an error, and the site does without what one is for.",
        "Os buscadores apontam um sitemap vazio como erro, e o site fica sem aquilo para que ele serve.",
    ),
    how: text(
        "List the pages that should be found, or remove the file.",
        "Liste as páginas que devem ser encontradas, ou remova o arquivo.",
    ),
    reference: "https://support.google.com/webmasters/answer/7451001",
    rule: text(
        "Fails when the site has sitemaps, every one of them was read to its end without a fault, and together they list no URL. One empty file among others passes: a news sitemap is empty on a quiet day.",
        "Falha quando o site tem sitemaps, todos foram lidos até o fim sem falha, e juntos não listam nenhuma URL. Um arquivo vazio entre outros passa: um sitemap de notícias fica vazio em um dia calmo.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: WHOLE,
    run: empty,
};

const MISSING: Check = Check {
    code: "sitemap_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No sitemap", "Sem sitemap"),
    why: text(
        "A sitemap tells search engines which pages there are. A small site whose pages link to each other is found without one.",
        "Um sitemap diz aos buscadores quais páginas existem. Um site pequeno, com páginas ligadas entre si, é encontrado sem ele.",
    ),
    how: text(
        "Put a sitemap.xml at the root of the host and name it in robots.txt.",
        "Coloque um sitemap.xml na raiz do host e indique-o no robots.txt.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/overview",
    rule: text(
        "Fails when robots.txt names no sitemap that can be asked for and none of /sitemap.xml, /sitemap_index.xml and /sitemap.txt answers with one. A place that does not answer, or forbids the question, leaves it open.",
        "Falha quando o robots.txt não indica um sitemap utilizável e nenhum de /sitemap.xml, /sitemap_index.xml e /sitemap.txt responde com um. Um lugar que não responde, ou que proíbe a pergunta, deixa a questão em aberto.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: missing,
};

/// Where nothing is wrong that was read: whether that is all there is.
pub(super) fn nothing_found(sitemaps: &Sitemaps<'_>) -> Verdict {
    match sitemaps.presence() {
        Presence::Missing => Err(NotMeasured::Absent),
        _ if sitemaps.is_complete() => PASS,
        _ => Err(NotMeasured::Sitemap),
    }
}

fn missing(facts: &Facts<'_>) -> Verdict {
    let not_asked = |reason| if reason == NotMeasured::Sitemap { NotMeasured::Probe } else { reason };
    match facts.sitemaps().map_err(not_asked)?.presence() {
        Presence::Present => return PASS,
        Presence::Unknown => return Err(NotMeasured::Probe),
        Presence::Missing => {}
    }
    const NONE: Text = text(
        "robots.txt names no sitemap, and there is none at /sitemap.xml, /sitemap_index.xml or /sitemap.txt.",
        "O robots.txt não indica um sitemap, e não há nenhum em /sitemap.xml, /sitemap_index.xml ou /sitemap.txt.",
    );
    problem(NONE, &[], first_sitemap(facts)).fail()
}

/// A first file, named in robots.txt: else the next audit would ask for that.
fn first_sitemap(facts: &Facts<'_>) -> FixDraft {
    let address = facts.url().ok().and_then(|url| url.join(PATH).ok());
    // Of a robots.txt that was not read whole no whole file can be made to name the sitemap.
    let is_cut = matches!(facts.robots(), Ok(RobotsState::Found(RobotsTxt { truncated: true, .. })));
    let Some((content, address)) = sitemap_draft::first(facts).zip(address).filter(|_| !is_cut) else {
        const WRITE: Text = text(
            "Put a sitemap.xml at the root of the host that lists the pages to be found, and name it in robots.txt.",
            "Coloque na raiz do host um sitemap.xml que liste as páginas a serem encontradas, e indique-o no robots.txt.",
        );
        return FixDraft::instruction(FixTarget::File, WRITE, &[]);
    };
    const LINKED: Text = text(
        "this page and the pages of the host that it links to",
        "esta página e as páginas do host para as quais ela aponta",
    );
    const COMPLETE: Text = text(
        "Add the other pages of the site; robots.txt gets the line {line}.",
        "Acrescente as outras páginas do site; o robots.txt recebe a linha {line}.",
    );
    let line = robots_txt::sitemap_line(address.as_str());
    let fix = FixDraft::file(PATH, content).from(LINKED, &[]).note(COMPLETE, &[("line", line.as_str().into())]);
    match facts.robots() {
        Ok(RobotsState::Unreachable(_)) | Err(_) => fix,
        Ok(_) => fix.with_file_change(robots_txt::PATH, FileChange::Append(line)),
    }
}

fn parse_error(facts: &Facts<'_>) -> Verdict {
    let sitemaps = facts.sitemaps()?;
    let broken: Vec<&SitemapFile> = sitemaps.relevant().filter(|file| file.fault.is_some()).collect();
    let Some((first, fault)) = broken.first().and_then(|file| Some((file, file.fault.as_ref()?))) else {
        return nothing_found(sitemaps);
    };
    const BROKEN: Text = text(
        "{count} {count|sitemap|sitemaps} can't be read; {url}, line {line}, column {column}: {what}",
        "{count} {count|sitemap|sitemaps} não {count|pode|podem} ser {count|lido|lidos}; {url}, linha {line}, coluna {column}: {what}",
    );
    const CORRECT: Text = text(
        "Correct {url} at line {line}, column {column}, in the program that writes it.",
        "Corrija {url} na linha {line}, coluna {column}, no programa que o escreve.",
    );
    let values = [
        ("count", broken.len().into()),
        ("url", first.url.as_str().into()),
        ("line", fault.line.into()),
        ("column", fault.column.into()),
    ];
    let mut found = problem(BROKEN, &values, FixDraft::instruction(FixTarget::File, CORRECT, &values));
    // What is wrong differs by language, so it is filled in after the values.
    found.message.en = found.message.en.replacen("{what}", &fault.what.en, 1);
    found.message.pt = found.message.pt.replacen("{what}", &fault.what.pt, 1);
    let place = |file: &&SitemapFile| Place {
        url: Some(file.url.clone()),
        line: file.fault.as_ref().map(|fault| fault.line),
        ..Place::default()
    };
    found.at(broken.iter().map(place)).fail()
}

fn too_large(facts: &Facts<'_>) -> Verdict {
    let sitemaps = facts.sitemaps()?;
    if let Some(inner) = sitemaps.nested().next() {
        const NESTED: Text =
            text("A sitemap index lists another index, {url}.", "Um índice de sitemaps lista outro índice, {url}.");
        const FLAT: Text = text(
            "List the files of {url} in the first index itself.",
            "Liste os arquivos de {url} no próprio primeiro índice.",
        );
        let values = [("url", inner.url.as_str().into())];
        let fix = FixDraft::instruction(FixTarget::File, FLAT, &values);
        let places = sitemaps.nested().map(|file| Place { url: Some(file.url.clone()), ..Place::default() });
        return problem(NESTED, &values, fix).at(places).fail();
    }
    let heavy = |file: &&SitemapFile| file.stated_size.is_some_and(|size| size > MOST_BYTES);
    if let Some((first, size)) = sitemaps.relevant().find(heavy).and_then(|file| Some((file, file.stated_size?))) {
        const HEAVY: Text =
            text("{url} has {size} bytes; {most} are allowed.", "{url} tem {size} bytes; são permitidos {most}.");
        const LIGHTEN: Text = text(
            "Split {url} into files of at most {most} bytes before compression, and name them in one index.",
            "Divida {url} em arquivos de no máximo {most} bytes antes da compressão e indique-os em um só índice.",
        );
        let values = [("url", first.url.as_str().into()), ("size", size.into()), ("most", MOST_BYTES.into())];
        let places =
            sitemaps.relevant().filter(heavy).map(|file| Place { url: Some(file.url.clone()), ..Place::default() });
        return problem(HEAVY, &values, FixDraft::instruction(FixTarget::File, LIGHTEN, &values)).at(places).fail();
    }
    let entries = |file: &SitemapFile| file.urls.max(file.listed_files);
    let large: Vec<&SitemapFile> = sitemaps.relevant().filter(|file| entries(file) > MOST_URLS).collect();
    let Some(first) = large.first() else { return nothing_found(sitemaps) };
    const MORE: Text = text(
        "{url} lists {count} entries; {most} are allowed.",
        "{url} lista {count} entradas; são permitidas {most}.",
    );
    const SPLIT: Text = text(
        "Split {url} into files of at most {most} entries, and name them in one index.",
        "Divida {url} em arquivos de no máximo {most} entradas e indique-os em um só índice.",
    );
    let values = [("url", first.url.as_str().into()), ("count", entries(first).into()), ("most", MOST_URLS.into())];
    let places = large.iter().map(|file| Place { url: Some(file.url.clone()), ..Place::default() });
    problem(MORE, &values, FixDraft::instruction(FixTarget::File, SPLIT, &values)).at(places).fail()
}

/// Why a named file can't be fetched by anyone; `None` where it can, or where that is not known.
fn obstacle(facts: &Facts<'_>, file: &SitemapFile) -> Option<String> {
    let url = url::Url::parse(&file.url).ok()?;
    let is_own = facts.url().is_ok_and(|own| own.origin() == url.origin());
    if is_own
        && let Ok(verdict) = facts.robots_verdict_on("Googlebot", &url)
        && let Some((rule, line)) = verdict.rule.filter(|_| !verdict.allowed)
        // The rule that forbids the page is told of the page.
        && facts.robots_verdict("Googlebot").is_ok_and(|page| page.rule.is_none_or(|(_, of_page)| of_page != line))
    {
        return Some(rule);
    }
    match &file.end {
        End::Whole | End::TooLarge => None,
        End::Gone(status) => Some(status.to_string()),
        End::Unread(reason) => {
            let extra = facts.capture.extras.iter().find(|extra| extra.want.url == file.url)?;
            let is_theirs = match &extra.fetched {
                // Other times that ran out may be the audit's own.
                Fetched::Failed(failure) => match failure.kind {
                    FailureKind::Unreachable => true,
                    FailureKind::Timeout => {
                        matches!(failure.reason.as_str(), "dns" | "connect" | "tls" | "first_byte")
                    }
                    _ => false,
                },
                Fetched::Response(exchange) => exchange.status >= 500 && *reason == exchange.status.to_string(),
            };
            is_theirs.then(|| reason.clone())
        }
    }
}

fn unreachable(facts: &Facts<'_>) -> Verdict {
    let sitemaps = facts.sitemaps()?;
    let bad: Vec<(&SitemapFile, String)> =
        sitemaps.named().filter_map(|file| Some((file, obstacle(facts, file)?))).collect();
    let Some((first, reason)) = bad.first() else {
        let is_unknown = sitemaps.named().any(|file| matches!(file.end, End::Unread(_)));
        return match sitemaps.named().next() {
            None => Err(NotMeasured::Absent),
            Some(_) if is_unknown => Err(NotMeasured::Sitemap),
            Some(_) => PASS,
        };
    };
    const AWAY: Text = text(
        "{count} {count|sitemap|sitemaps} can't be fetched; {url}: {reason}",
        "{count} {count|sitemap não pode ser buscado|sitemaps não podem ser buscados}; {url}: {reason}",
    );
    const ANSWER: Text = text(
        "Let {url} answer 200 with the file, allowed in robots.txt, or stop naming it; now: {reason}",
        "Faça {url} responder 200 com o arquivo, permitido no robots.txt, ou deixe de indicá-lo; agora: {reason}",
    );
    let values = [("count", bad.len().into()), ("url", first.url.as_str().into()), ("reason", reason.as_str().into())];
    let places = bad.iter().map(|(file, reason)| Place {
        url: Some(file.url.clone()),
        snippet: Some(reason.clone()),
        ..Place::default()
    });
    problem(AWAY, &values, FixDraft::instruction(FixTarget::File, ANSWER, &values)).at(places).fail()
}

fn empty(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let sitemaps = facts.sitemaps()?;
    let urls: u64 = sitemaps.files.iter().map(|file| file.urls).sum();
    if urls > 0 || !sitemaps.is_complete() {
        return nothing_found(sitemaps);
    }
    let files: Vec<&SitemapFile> = sitemaps.relevant().collect();
    const NOTHING: Text = text(
        "{count} {count|sitemap was|sitemaps were} read; no URL is listed.",
        "{count} {count|sitemap foi lido|sitemaps foram lidos}; nenhuma URL está listada.",
    );
    const LINKED: Text = text(
        "this page and the pages of the host that it links to",
        "esta página e as páginas do host para as quais ela aponta",
    );
    const COMPLETE: Text = text("Add the other pages of the site.", "Acrescente as outras páginas do site.");
    const LIST: Text = text(
        "Let the program that writes the sitemap list the pages that should be found.",
        "Faça o programa que escreve o sitemap listar as páginas que devem ser encontradas.",
    );
    let path = files
        .iter()
        .find(|file| file.kind == Some(SitemapKind::Urlset))
        .and_then(|file| sitemap_draft::own_path(facts, file));
    let fix = match path.zip(sitemap_draft::first(facts)) {
        Some((path, content)) => FixDraft::file(&path, content).from(LINKED, &[]).note(COMPLETE, &[]),
        None => FixDraft::instruction(FixTarget::File, LIST, &[]),
    };
    let places = files.iter().map(|file| Place { url: Some(file.url.clone()), ..Place::default() });
    problem(NOTHING, &[("count", files.len().into())], fix).at(places).fail()
}
