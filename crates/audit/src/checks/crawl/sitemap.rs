//! Sitemaps as files: whether there are any, and whether they can be read. (sitemaps.org protocol 0.9)

use super::robots_txt;
use crate::check::prelude::*;
use crate::facts::robots_txt::{RobotsState, RobotsTxt};
use crate::facts::sitemap::{End, MOST_URLS, SitemapFile, SitemapKind};
use crate::facts::sitemap_draft;
use crate::facts::sitemap_obstacle::{Obstacle, obstacle};
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
            "Find the sitemaps of a site and check that they answer, parse without errors, respect the protocol's limits, and list pages.",
            "Encontre os sitemaps do site e verifique se respondem, se são lidos sem erro, se respeitam os limites do protocolo e se listam páginas.",
        ),
        lead: text(
            "A sitemap that does not answer, or that contains an unescaped &, tells search engines nothing. This tool reads XML, text, RSS, Atom and gzip, follows index files, and shows the line of the first error.",
            "Um sitemap que não responde, ou que contém um & sem escape, não diz nada aos buscadores. Esta ferramenta lê XML, texto, RSS, Atom e gzip, segue índices e mostra a linha do primeiro erro.",
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
    title: text("Invalid sitemap", "Sitemap inválido"),
    why: text(
        "Search engines stop at the first error of a sitemap and may not find any of its pages.",
        "Os buscadores param no primeiro erro de um sitemap e podem não encontrar nenhuma das páginas dele.",
    ),
    how: text(
        "Correct the listed place. In XML, write `&` as `&amp;`, close every element, and begin with `<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">`. In a text file, write one absolute URL per line.",
        "Corrija o ponto indicado. Em XML, escreva `&` como `&amp;`, feche todos os elementos e comece com `<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">`. Em um arquivo de texto, escreva uma URL absoluta por linha.",
    ),
    reference: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
    rule: text(
        "Fails when a file listed in robots.txt or an index, or a sitemap at a common location, has one of these errors: it is not well-formed XML; its root is not `urlset`, `sitemapindex`, `rss` or `feed`; the protocol's namespace is missing or wrong; it is not valid gzip or UTF-8; it is an HTML page; or, as plain text, it has a line that is not an absolute URL. The end of a file that was cut off is not judged.",
        "Falha quando um arquivo indicado no robots.txt ou em um índice, ou um sitemap em um local comum, tem um destes erros: não é XML bem formado; a raiz não é `urlset`, `sitemapindex`, `rss` ou `feed`; o namespace do protocolo falta ou está errado; não é gzip ou UTF-8 válido; é uma página HTML; ou, como texto simples, tem uma linha que não é uma URL absoluta. O fim de um arquivo cortado não é avaliado.",
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
    title: text("Sitemap exceeds the protocol's limits", "Sitemap acima dos limites do protocolo"),
    why: text(
        "Search engines reject a file with too many entries or bytes, and they don't follow an index inside another index.",
        "Os buscadores rejeitam um arquivo com entradas ou bytes demais e não seguem um índice dentro de outro.",
    ),
    how: text(
        "Split the file, and list its parts in one index or in robots.txt.",
        "Divida o arquivo e indique as partes em um índice ou no robots.txt.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps",
    rule: text(
        "Fails when a file lists more than 50,000 URLs, an index lists more than 50,000 files, or an index lists another index. It also fails when an uncompressed file has a `Content-Length` of more than 52,428,800 bytes, the protocol's 50 MB. At most 10 MB of a file are read, so a longer file that is compressed or has no `Content-Length` is not measured.",
        "Falha quando um arquivo lista mais de 50.000 URLs, um índice lista mais de 50.000 arquivos, ou um índice lista outro índice. Falha também quando um arquivo sem compressão tem um `Content-Length` de mais de 52.428.800 bytes, os 50 MB do protocolo. No máximo 10 MB de um arquivo são lidos; por isso, um arquivo maior comprimido ou sem `Content-Length` não é medido.",
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
    title: text("Sitemap can't be fetched", "Sitemap não pode ser buscado"),
    why: text(
        "Search engines get no sitemap at that URL and don't learn of its pages.",
        "Os buscadores não encontram um sitemap nessa URL e não ficam sabendo das páginas dele.",
    ),
    how: text(
        "Make the URL answer 200 with the file and allow it in robots.txt, or remove the reference to it.",
        "Faça a URL responder 200 com o arquivo e libere-a no robots.txt, ou remova a referência a ela.",
    ),
    reference: "https://support.google.com/webmasters/answer/7451001",
    rule: text(
        "Fails when a file listed in robots.txt or an index answers 400 or above or gives no response. On the page's own origin it also fails when robots.txt blocks Googlebot from the file by another line than the one that blocks the page. Not measured on 401, 403, 408, 429 or a firewall's challenge, which other crawlers may not get, or when the audit itself ran out of time.",
        "Falha quando um arquivo indicado no robots.txt ou em um índice responde 400 ou mais ou não dá resposta. Na própria origem da página, falha também quando o robots.txt bloqueia o arquivo para o Googlebot por outra linha que não a que bloqueia a página. Não é medido com 401, 403, 408, 429 ou um desafio de firewall, que outros robôs podem não receber, nem quando o tempo da própria auditoria acaba.",
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
    title: text("Empty sitemap", "Sitemap vazio"),
    why: text(
        "Search engines report an empty sitemap as an error, and it helps no page to be found.",
        "Os buscadores relatam um sitemap vazio como erro, e ele não ajuda nenhuma página a ser encontrada.",
    ),
    how: text(
        "List the pages that should be found, or remove the file.",
        "Liste as páginas que devem ser encontradas ou remova o arquivo.",
    ),
    reference: "https://support.google.com/webmasters/answer/7451001",
    rule: text(
        "Fails when the site has sitemaps, all of them were read in full without errors, and together they list no URL. One empty file among others passes, since a news sitemap is empty on a quiet day.",
        "Falha quando o site tem sitemaps, todos foram lidos por inteiro sem erros, e juntos não listam nenhuma URL. Um arquivo vazio entre outros passa, pois um sitemap de notícias fica vazio em um dia calmo.",
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
        "A sitemap tells search engines which pages exist. A small site whose pages link to each other is found without one.",
        "Um sitemap diz aos buscadores quais páginas existem. Um site pequeno, com páginas ligadas entre si, é encontrado sem ele.",
    ),
    how: text(
        "Add a sitemap.xml at the root of the host, and list it in robots.txt.",
        "Adicione um sitemap.xml na raiz do host e indique-o no robots.txt.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/overview",
    rule: text(
        "Fails when robots.txt has no usable `Sitemap` line and none of /sitemap.xml, /sitemap_index.xml and /sitemap.txt returns a sitemap. Not measured when one of them does not answer or denies access.",
        "Falha quando o robots.txt não tem uma linha `Sitemap` utilizável e nenhum de /sitemap.xml, /sitemap_index.xml e /sitemap.txt devolve um sitemap. Não é medido quando um deles não responde ou nega o acesso.",
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
        "robots.txt lists no sitemap, and there is none at /sitemap.xml, /sitemap_index.xml or /sitemap.txt.",
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
            "Add a sitemap.xml with the pages to be found at the root of the host, and list it in robots.txt.",
            "Adicione na raiz do host um sitemap.xml com as páginas a serem encontradas e indique-o no robots.txt.",
        );
        return FixDraft::instruction(FixTarget::File, WRITE, &[]);
    };
    const LINKED: Text = text(
        "this page and the pages of the host that it links to",
        "esta página e as páginas do host para as quais ela tem links",
    );
    const COMPLETE: Text = text(
        "Add the other pages of the site. robots.txt gets the line {line}.",
        "Adicione as outras páginas do site. O robots.txt recebe a linha {line}.",
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
        "{count|A sitemap is invalid.|{count} sitemaps are invalid; the first:} {url}, line {line}, column {column}: {what}",
        "{count|Um sitemap é inválido.|{count} sitemaps são inválidos; o primeiro:} {url}, linha {line}, coluna {column}: {what}",
    );
    const CORRECT: Text = text(
        "Correct line {line}, column {column} of {url} in the program that generates it.",
        "Corrija a linha {line}, coluna {column} de {url} no programa que o gera.",
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
            text("The sitemap index lists another index, {url}.", "O índice de sitemaps lista outro índice, {url}.");
        const FLAT: Text = text(
            "List the files of {url} directly in the first index.",
            "Liste os arquivos de {url} diretamente no primeiro índice.",
        );
        let values = [("url", inner.url.as_str().into())];
        let fix = FixDraft::instruction(FixTarget::File, FLAT, &values);
        let places = sitemaps.nested().map(|file| Place { url: Some(file.url.clone()), ..Place::default() });
        return problem(NESTED, &values, fix).at(places).fail();
    }
    let heavy = |file: &&SitemapFile| file.stated_size.is_some_and(|size| size > MOST_BYTES);
    if let Some((first, size)) = sitemaps.relevant().find(heavy).and_then(|file| Some((file, file.stated_size?))) {
        const HEAVY: Text = text(
            "{url} has {size} bytes, more than the {most} bytes (50 MB) that are allowed.",
            "{url} tem {size} bytes, mais que os {most} bytes (50 MB) permitidos.",
        );
        const LIGHTEN: Text = text(
            "Split {url} into files of at most 50 MB before compression, and list them in one index.",
            "Divida {url} em arquivos de no máximo 50 MB antes da compressão e liste-os em um só índice.",
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
        "{url} lists {count} entries, more than the allowed {most}.",
        "{url} lista {count} entradas, mais que as {most} permitidas.",
    );
    const SPLIT: Text = text(
        "Split {url} into files of at most {most} entries, and list them in one index.",
        "Divida {url} em arquivos de no máximo {most} entradas e liste-os em um só índice.",
    );
    let values = [("url", first.url.as_str().into()), ("count", entries(first).into()), ("most", MOST_URLS.into())];
    let places = large.iter().map(|file| Place { url: Some(file.url.clone()), ..Place::default() });
    problem(MORE, &values, FixDraft::instruction(FixTarget::File, SPLIT, &values)).at(places).fail()
}

fn unreachable(facts: &Facts<'_>) -> Verdict {
    let sitemaps = facts.sitemaps()?;
    let bad: Vec<(&SitemapFile, Obstacle)> =
        sitemaps.named().filter_map(|file| Some((file, obstacle(facts, file)?))).collect();
    let Some((first, obstacle)) = bad.first() else {
        let is_unknown = sitemaps.named().any(|file| matches!(file.end, End::Unread(_)));
        return match sitemaps.named().next() {
            None => Err(NotMeasured::Absent),
            Some(_) if is_unknown => Err(NotMeasured::Sitemap),
            Some(_) => PASS,
        };
    };
    const ANSWER: Text = text(
        "Make {url} answer 200 with the file and allow it in robots.txt, or remove the reference to it.",
        "Faça {url} responder 200 com o arquivo e libere-o no robots.txt, ou remova a referência a ele.",
    );
    const AWAY: Text = text(
        "{count|A sitemap|{count} sitemaps} can't be fetched.",
        "{count|Um sitemap não pode ser buscado|{count} sitemaps não podem ser buscados}.",
    );
    let reason = obstacle.words();
    let values = [("count", bad.len().into()), ("url", first.url.as_str().into()), ("reason", reason.into())];
    let places = bad.iter().map(|(file, obstacle)| Place {
        url: Some(file.url.clone()),
        snippet: Some(obstacle.words()),
        ..Place::default()
    });
    let mut found = problem(AWAY, &values, FixDraft::instruction(FixTarget::File, ANSWER, &values)).at(places);
    let cause = obstacle.sentence().phrase(&values);
    found.message.en = format!("{} {}", found.message.en, cause.en);
    found.message.pt = format!("{} {}", found.message.pt, cause.pt);
    found.fail()
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
        "{count|The site's only sitemap lists no URLs|The site's {count} sitemaps list no URLs}.",
        "{count|O único sitemap do site não lista nenhuma URL|Os {count} sitemaps do site não listam nenhuma URL}.",
    );
    const LINKED: Text = text(
        "this page and the pages of the host that it links to",
        "esta página e as páginas do host para as quais ela tem links",
    );
    const COMPLETE: Text = text("Add the other pages of the site.", "Adicione as outras páginas do site.");
    const LIST: Text = text(
        "List the pages that should be found, in the program that generates the sitemap.",
        "Liste as páginas que devem ser encontradas, no programa que gera o sitemap.",
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
