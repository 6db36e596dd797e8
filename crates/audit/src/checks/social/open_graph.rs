//! Open Graph tags: what a shared link shows.

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::elements::Meta;
use crate::facts::new_nodes::in_words;
use crate::facts::page::Html;
use crate::facts::resolved::{EvidenceSource, Resolved, title};
use crate::facts::url_identity::{self, identity, same_site};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "open-graph",
    category: Category::Social,
    landing: LANDING,
    checks: &[TITLE_MISSING, URL_MISMATCH, TYPE_INVALID, CORE_INCOMPLETE, ATTRIBUTE_WRONG],
};

const LANDING: Landing = Landing {
    title: text("Open Graph checker", "Verificador de Open Graph"),
    h1: text("What shows when your page is shared?", "O que aparece quando sua página é compartilhada?"),
    description: text(
        "Check the Open Graph tags of a page: title, type, address and description, and get the missing ones from what the page says.",
        "Verifique as tags Open Graph de uma página: título, tipo, endereço e descrição, e receba as que faltam com o que a página diz.",
    ),
    lead: text(
        "Messengers and networks build the card of a shared link from Open Graph tags. This tool reads them as they do, tells what is missing or contradicts the page, and writes the tags.",
        "Mensageiros e redes montam o cartão de um link compartilhado com as tags Open Graph. Esta ferramenta as lê da mesma forma, diz o que falta ou contradiz a página e escreve as tags.",
    ),
    example: include_str!("open_graph/bad_incomplete.html"),
};

/// The tags that every page has.
pub(crate) const OGP: &str = "https://ogp.me/#metadata";

const TITLE_MISSING: Check = Check {
    code: "og_title_missing",
    severity: Severity::Warn,
    impact: Impact::Sharing,
    title: text("No title for shared links", "Sem título para links compartilhados"),
    why: text(
        "Messengers and networks take the headline of a shared link from `og:title`; without it some show the bare address.",
        "Mensageiros e redes tiram de `og:title` a manchete de um link compartilhado; sem ele, alguns mostram só o endereço.",
    ),
    how: text(
        "Add `<meta property=\"og:title\">` to `<head>`.",
        "Adicione `<meta property=\"og:title\">` ao `<head>`.",
    ),
    reference: OGP,
    rule: text(
        "Fails when no `meta` whose `property`, or where it has none whose `name`, is `og:title` has content other than white space. Its place, head or body, does not matter. A note where there is an `og:image`: one tag of a card is missing, and it has a substitute. Not measured when the document was cut, on a page that asks not to be indexed, nor where the tag says `value` in place of `content`, which is `meta_content_misspelt`.",
        "Falha quando nenhum `meta` cujo `property`, ou na falta dele cujo `name`, é `og:title` tem conteúdo além de espaços. O lugar, cabeçalho ou corpo, não importa. É só uma nota quando há `og:image`: falta uma tag do cartão, e ela tem substituta. Não é medido quando o documento foi cortado, em página que pede para não ser indexada, nem onde a tag diz `value` no lugar de `content`, o que é `meta_content_misspelt`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: title_missing,
};

const CORE_INCOMPLETE: Check = Check {
    code: "og_core_incomplete",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Open Graph tags incomplete", "Tags Open Graph incompletas"),
    why: text(
        "Type and address are required by Open Graph, and the description is the second line of a card; readers fill the gaps with guesses.",
        "Tipo e endereço são exigidos pelo Open Graph, e a descrição é a segunda linha de um cartão; os leitores preenchem as lacunas com palpites.",
    ),
    how: text(
        "Add the missing ones of `og:type`, `og:url` and `og:description` to `<head>`.",
        "Adicione ao `<head>` o que falta de `og:type`, `og:url` e `og:description`.",
    ),
    reference: OGP,
    // Also on a page without any Open Graph tag: else the fix of a missing title would bring this finding about.
    rule: text(
        "Fails when `og:type`, `og:url` or `og:description`, by `property` or else `name`, has no content. Not measured when the document was cut, on a page that asks not to be indexed, nor where the tag says `value` in place of `content`, which is `meta_content_misspelt`.",
        "Falha quando `og:type`, `og:url` ou `og:description`, por `property` ou na falta dele `name`, não tem conteúdo. Não é medido quando o documento foi cortado, em página que pede para não ser indexada, nem onde a tag diz `value` no lugar de `content`, o que é `meta_content_misspelt`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: core_incomplete,
};

const URL_MISMATCH: Check = Check {
    code: "og_url_canonical_mismatch",
    severity: Severity::Warn,
    impact: Impact::Sharing,
    title: text("og:url names another page", "og:url nomeia outra página"),
    why: text(
        "Networks count shares for the address in `og:url` and take the card from it: links to this page show another one.",
        "As redes contam os compartilhamentos para o endereço em `og:url` e tiram dele o cartão: links para esta página mostram outra.",
    ),
    how: text(
        "Let `og:url` and the canonical name the same address.",
        "Faça `og:url` e a canônica nomearem o mesmo endereço.",
    ),
    reference: OGP,
    // Sites that moved to https keep the http address on purpose, so that counted shares stay; the scheme is passed over.
    rule: text(
        "Fails when `og:url` is an http(s) address other than the page's own: its one valid canonical, or where it declares none its final URL without tracking parameters. Compared are host, path and query, percent-encoding normalised; scheme and fragment are not, nor the query where `og:url` has none. A relative one is resolved as a browser would. A note where only a slash at the end differs, or where the canonical, wrong itself, names the same address. Not applicable without `og:url`.",
        "Falha quando `og:url` é um endereço http(s) diferente do da própria página: a sua única canônica válida ou, se não declara nenhuma, a URL final sem parâmetros de rastreamento. Comparam-se host, caminho e query, com percentuais normalizados; esquema e fragmento não, nem a query quando `og:url` não tem. Um relativo é resolvido como em um navegador. É só uma nota quando só difere a barra no fim, ou quando a canônica, ela mesma errada, indica o mesmo endereço. Não se aplica sem `og:url`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: url_mismatch,
};

const TYPE_INVALID: Check = Check {
    code: "og_type_invalid",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("og:type that does not exist", "og:type que não existe"),
    why: text(
        "Networks take a page of an unknown type for a website, and pass over what its article or video tags say.",
        "As redes tomam uma página de tipo desconhecido por um site e ignoram o que as tags de artigo ou vídeo dizem.",
    ),
    how: text(
        "Use `article` for an article, else `website`, or another type of Open Graph.",
        "Use `article` para um artigo, senão `website`, ou outro tipo do Open Graph.",
    ),
    reference: "https://ogp.me/#types",
    rule: text(
        "Fails when the first `og:type` with content, letter case ignored, is none of the types of ogp.me and of Meta, nor one of the older types (`blog`, `company` and the like) that readers still know. A name with a colon is left alone: it may be a type of one's own.",
        "Falha quando o primeiro `og:type` com conteúdo, sem distinguir maiúsculas, não é um dos tipos do ogp.me e da Meta, nem um dos tipos antigos (`blog`, `company` e semelhantes) que os leitores ainda conhecem. Um nome com dois-pontos fica de fora: pode ser um tipo próprio.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: PRECISION,
    run: type_invalid,
};

const ATTRIBUTE_WRONG: Check = Check {
    code: "og_attribute_name_wrong",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Open Graph tag in the wrong attribute", "Tag Open Graph no atributo errado"),
    why: text(
        "Open Graph is read from `property`. Readers that keep to it pass over tags that say `name`.",
        "O Open Graph é lido de `property`. Leitores que seguem a regra ignoram tags que dizem `name`.",
    ),
    how: text(
        "Write `property=\"og:…\"` instead of `name=\"og:…\"`.",
        "Escreva `property=\"og:…\"` em vez de `name=\"og:…\"`.",
    ),
    reference: "https://ogp.me/#intro",
    rule: text(
        "Fails when a `meta` with content has a `name` that begins with `og:`, `article:` or `fb:` and no `property`, and no other `meta` has that key as its `property`. Keys of `twitter:` are right in `name`. Not applicable without such keys.",
        "Falha quando um `meta` com conteúdo tem um `name` que começa com `og:`, `article:` ou `fb:` e não tem `property`, e nenhum outro `meta` tem essa chave como `property`. Chaves `twitter:` estão certas em `name`. Não se aplica sem chaves assim.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: attribute_wrong,
};

/// A head tag for a key, into an empty tag of that key where there is one.
pub(crate) fn tag_fix(html: &Html, attribute_name: &str, key: &str, value: &str) -> FixDraft {
    let tag = format!("<meta {attribute_name}=\"{key}\" content=\"{}\">", attribute(value));
    let is_blank = |meta: &&Meta| meta.social_key() == Some(key) && meta.in_head && meta.has_one_reader();
    let blank = html.metas.iter().find(is_blank).and_then(|meta| html.element(meta.node));
    match blank.filter(|meta| meta.start_tag().is_some()) {
        Some(meta) => FixDraft::edit(FixTarget::Head, tag).set(meta, "content", value),
        None if attribute_name == "property" => FixDraft::head(HeadKey::Property(key.to_owned()), tag),
        None => FixDraft::head(HeadKey::Name(key.to_owned()), tag),
    }
}

fn title_missing(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    if html.social("og:title").is_some() {
        return PASS;
    }
    if html.is_misspelt("og:title") {
        return Err(NotMeasured::Misspelt);
    }
    const NONE: Text = text("The page has no og:title.", "A página não tem og:title.");
    const TITLE_ALONE: Text = text(
        "The page has an og:image, but no og:title; networks then take its title.",
        "A página tem og:image, mas não og:title; as redes então usam o título dela.",
    );
    let is_minor = html.social("og:image").is_some();
    let message = if is_minor { TITLE_ALONE } else { NONE };
    let fix = match title::for_sharing(html) {
        Some(resolved) => tag_fix(html, "property", "og:title", &resolved.value).of(&resolved),
        None => FixDraft::template(FixTarget::Head, "<meta property=\"og:title\" content=\"{{TITLE}}\">"),
    };
    problem(message, &[], fix).minor_if(is_minor).fail()
}

fn core_incomplete(facts: &Facts<'_>) -> Verdict {
    let html = facts.whole_page()?;
    const CORE: [&str; 3] = ["og:type", "og:url", "og:description"];
    let missing: Vec<&str> = CORE.into_iter().filter(|key| html.social(key).is_none()).collect();
    if missing.is_empty() {
        return PASS;
    }
    let missing: Vec<&str> = missing.into_iter().filter(|key| !html.is_misspelt(key)).collect();
    if missing.is_empty() {
        return Err(NotMeasured::Misspelt);
    }
    const LACKS: Text = text("The page has no {list}.", "A página não tem {list}.");
    let own = facts.own_url()?;
    let resolved = |key: &str| match key {
        "og:type" => Some(html.page_type().clone()),
        "og:url" => Some(Resolved::high(own.as_str(), EvidenceSource::OwnAddress)),
        _ => html.description().cloned(),
    };
    let found: Vec<(&str, Option<Resolved>)> = missing.iter().map(|key| (*key, resolved(key))).collect();
    let known = || found.iter().filter_map(|(key, resolved)| Some((*key, resolved.as_ref()?)));
    let origins: Vec<(String, Text)> =
        known().map(|(key, resolved)| (key.to_owned(), resolved.source.words())).collect();
    let fix = if known().count() == found.len() {
        let whole = FixDraft::heads([]);
        let fix = known().fold(whole, |fix, (key, resolved)| fix.and(tag_fix(html, "property", key, &resolved.value)));
        if known().all(|(_, resolved)| resolved.is_ready()) { fix } else { fix.into_draft() }
    } else {
        let tag = |(key, resolved): &(&str, Option<Resolved>)| {
            let value = resolved.as_ref().map_or_else(|| "{{DESCRIPTION}}".to_owned(), |one| attribute(&one.value));
            format!("<meta property=\"{key}\" content=\"{value}\">")
        };
        FixDraft::template(FixTarget::Head, found.iter().map(tag).collect::<Vec<_>>().join("\n"))
    };
    problem(LACKS, &[("list", missing.join(", ").into())], FixDraft { origin: Some(in_words(&origins)), ..fix }).fail()
}

/// Types of Open Graph; the file says where from.
const TYPES: &str = include_str!("../../data/og_types.txt");

fn type_invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut metas = html.metas.iter().filter(|meta| meta.social_key() == Some("og:type"));
    let filled = metas.find_map(|meta| Some((meta, meta.content.as_deref().filter(|c| !c.is_empty())?)));
    let Some((meta, content)) = filled else { return Err(NotMeasured::Absent) };
    let mut known = TYPES.lines().filter(|line| !line.starts_with('#')).flat_map(|line| line.split(' '));
    if content.contains(':') || known.any(|kind| kind.eq_ignore_ascii_case(content)) {
        return PASS;
    }
    const UNKNOWN: Text = text(
        "og:type is “{kind}”, which is no type of Open Graph.",
        "og:type é “{kind}”, que não é um tipo do Open Graph.",
    );
    let fitting = html.page_type();
    let tag = format!("<meta property=\"og:type\" content=\"{}\">", fitting.value);
    let element = html.element(meta.node);
    let fix = match element.filter(|element| element.start_tag().is_some() && meta.has_one_reader()) {
        Some(element) => FixDraft::edit(FixTarget::Head, tag).set(element, "content", &fitting.value).of(fitting),
        None => FixDraft::instruction(FixTarget::Head, TYPE_INVALID.how, &[]),
    };
    problem(UNKNOWN, &[("kind", content.into())], fix).on(element).fail()
}

/// Host, path and query as they are compared.
fn compared(url: &url::Url, with_query: bool) -> String {
    let mut url = url_identity::without_tracking(url);
    if !with_query {
        url.set_query(None);
    }
    let whole = identity(&url);
    whole.split_once(':').map_or(whole.clone(), |(_, rest)| rest.to_owned())
}

fn url_mismatch(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let metas: Vec<&Meta> = html.metas.iter().filter(|meta| meta.social_key() == Some("og:url")).collect();
    let filled = metas.iter().find_map(|meta| Some((*meta, meta.content.as_deref().filter(|c| !c.is_empty())?)));
    let Some((meta, content)) = filled else { return Err(NotMeasured::Absent) };
    let Some(url) = html.resolve(content).filter(|url| matches!(url.scheme(), "http" | "https")) else {
        return Err(NotMeasured::Absent);
    };
    let own = facts.own_url()?;
    let with_query = url.query().is_some();
    if compared(&url, with_query) == compared(&own, with_query) {
        return PASS;
    }
    const OTHER: Text = text("og:url is {url}, the page is {own}.", "og:url é {url}, a página é {own}.");
    const OWN: Text = text("the page's own address", "o endereço da própria página");
    const DECIDE: Text = text(
        "Decide which address is meant, {url} or {own}, and let og:url and the canonical both name it.",
        "Decida qual endereço vale, {url} ou {own}, e faça og:url e a canônica nomearem o mesmo.",
    );
    const AS_CANONICAL: Text = text(
        "og:url is {url}, as the canonical is; the page is {own}.",
        "og:url é {url}, como a canônica; a página é {own}.",
    );
    const SLASH: Text = text(
        "og:url is {url}, the page is {own}: they differ in the slash at the end.",
        "og:url é {url}, a página é {own}: diferem na barra no fim.",
    );
    let values = [("url", content.into()), ("own", own.as_str().into())];
    // Readers are led from one spelling to the other.
    let without_slash =
        |url: &url::Url| compared(url, with_query).replacen("/?", "?", 1).trim_end_matches('/').to_owned();
    let is_slash = without_slash(&url) == without_slash(&own);
    // One wrong address in two tags is told of the canonical.
    let is_as_canonical = facts
        .single_canonical()
        .is_ok_and(|canonical| compared(canonical.url, with_query) == compared(&url, with_query));
    let message = if is_as_canonical {
        AS_CANONICAL
    } else if is_slash {
        SLASH
    } else {
        OTHER
    };
    let element = html.element(meta.node);
    let ready = element.filter(|element| element.start_tag().is_some() && meta.has_one_reader());
    let fix = match ready.filter(|_| same_site(&url, &own)) {
        Some(element) => {
            let tag = format!("<meta property=\"og:url\" content=\"{}\">", attribute(own.as_str()));
            FixDraft::edit(FixTarget::Head, tag).set(element, "content", own.as_str()).from(OWN, &[])
        }
        None => FixDraft::instruction(FixTarget::Head, DECIDE, &values),
    };
    problem(message, &values, fix).minor_if(is_as_canonical || is_slash).on(element).fail()
}

fn attribute_wrong(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let is_concerned = |key: &str| ["og:", "article:", "fb:"].iter().any(|start| key.starts_with(start));
    if !html.metas.iter().any(|meta| meta.social_key().is_some_and(is_concerned)) {
        return Err(NotMeasured::Absent);
    }
    let right: std::collections::BTreeSet<&str> =
        html.metas.iter().filter_map(|meta| meta.property.as_deref()).collect();
    let found: Vec<(Element<'_>, &str)> = html
        .metas
        .iter()
        .filter(|meta| meta.property.is_none() && meta.content.as_deref().is_some_and(|content| !content.is_empty()))
        .filter_map(|meta| {
            let key = meta.name.as_deref().filter(|key| is_concerned(key) && !right.contains(key))?;
            Some((html.element(meta.node)?, key))
        })
        .collect();
    let Some((_, first)) = found.first() else { return PASS };
    const NAMED: Text = text(
        "{count} Open Graph {count|tag is|tags are} in name instead of property, such as {key}.",
        "{count} {count|tag|tags} Open Graph {count|está|estão} em name em vez de property, como {key}.",
    );
    const SAME: Text = text("the same tags with property", "as mesmas tags com property");
    let tag = |(element, key): &(Element<'_>, &str)| {
        let content = element.attribute("content").unwrap_or_default();
        format!("<meta property=\"{}\" content=\"{}\">", attribute(key), attribute(content))
    };
    let fix = if found.iter().all(|(element, _)| element.start_tag().is_some()) {
        let snippet = found.iter().take(MAX_PLACES).map(tag).collect::<Vec<_>>().join("\n");
        let fix = FixDraft::edit(FixTarget::Head, snippet).from(SAME, &[]);
        found.iter().fold(fix, |fix, (element, key)| fix.unset(*element, "name").set(*element, "property", key))
    } else {
        FixDraft::instruction(FixTarget::Head, ATTRIBUTE_WRONG.how, &[])
    };
    let values = [("count", found.len().into()), ("key", (*first).into())];
    problem(NAMED, &values, fix).on(found.iter().map(|(element, _)| element)).fail()
}
