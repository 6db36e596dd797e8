//! Open Graph tags: what a shared link shows.

use crate::check::MAX_PLACES;
use crate::check::prelude::*;
use crate::facts::elements::{Meta, is_property};
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
    h1: text("What do people see when your page is shared?", "O que aparece quando sua página é compartilhada?"),
    description: text(
        "Check the Open Graph tags of a page: title, type, URL and description. Get missing tags filled in from the page's content.",
        "Verifique as tags Open Graph de uma página: título, tipo, URL e descrição. Receba as que faltam com o conteúdo da página.",
    ),
    lead: text(
        "Messengers and networks build the preview of a shared link from Open Graph tags. This tool reads them in the same way, shows what is missing or contradicts the page, and writes the tags.",
        "Mensageiros e redes montam a prévia de um link compartilhado com as tags Open Graph. Esta ferramenta as lê da mesma forma, mostra o que falta ou contradiz a página e escreve as tags.",
    ),
    example: include_str!("open_graph/bad_incomplete.html"),
};

/// The tags that every page has.
pub(crate) const OGP: &str = "https://ogp.me/#metadata";

const TITLE_MISSING: Check = Check {
    code: "og_title_missing",
    severity: Severity::Warn,
    impact: Impact::Sharing,
    title: text("og:title missing", "og:title ausente"),
    why: text(
        "Messengers and networks use `og:title` as the headline of a shared link. Without it, some show only the URL.",
        "Mensageiros e redes usam `og:title` como título de um link compartilhado. Sem ele, alguns mostram só a URL.",
    ),
    how: text(
        "Add `<meta property=\"og:title\">` to `<head>`.",
        "Adicione `<meta property=\"og:title\">` ao `<head>`.",
    ),
    reference: OGP,
    rule: text(
        "Fails when no `meta` with the `property` (or else `name`) `og:title` has content other than white space. Its place, head or body, doesn't matter. A note when the page has an `og:image`, because networks then use the page title instead. Not measured when the document was cut, on a page with noindex, or when the tag has `value` instead of `content`, which `meta_content_misspelt` reports.",
        "Falha quando nenhum `meta` com `property` (ou, na falta dele, `name`) `og:title` tem conteúdo além de espaços. O lugar, head ou body, não importa. É uma observação quando a página tem `og:image`, porque as redes então usam o título da página. Não é medido quando o documento foi cortado, em página com noindex ou quando a tag tem `value` em vez de `content`, o que `meta_content_misspelt` aponta.",
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
        "Open Graph requires type and URL, and the description is the second line of a preview. Networks guess missing values.",
        "O Open Graph exige tipo e URL, e a descrição é a segunda linha de uma prévia. As redes adivinham os valores que faltam.",
    ),
    how: text(
        "Add the missing tags of `og:type`, `og:url` and `og:description` to `<head>`.",
        "Adicione ao `<head>` as tags que faltam entre `og:type`, `og:url` e `og:description`.",
    ),
    reference: OGP,
    // Also on a page without any Open Graph tag: else the fix of a missing title would bring this finding about.
    rule: text(
        "Fails when `og:type`, `og:url` or `og:description`, as `property` (or else `name`), has no content. Not measured when the document was cut, on a page with noindex, or when the tag has `value` instead of `content`, which `meta_content_misspelt` reports.",
        "Falha quando `og:type`, `og:url` ou `og:description`, como `property` (ou, na falta dele, `name`), não tem conteúdo. Não é medido quando o documento foi cortado, em página com noindex ou quando a tag tem `value` em vez de `content`, o que `meta_content_misspelt` aponta.",
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
    title: text("og:url points to another page", "og:url aponta para outra página"),
    why: text(
        "Networks count shares for the URL in `og:url` and may build the preview from it. Shared links to this page then show another page.",
        "As redes contam os compartilhamentos para a URL em `og:url` e podem montar a prévia a partir dela. Links compartilhados desta página mostram então outra página.",
    ),
    how: text("Use the same URL in `og:url` and in the canonical.", "Use a mesma URL em `og:url` e na canônica."),
    reference: OGP,
    // Sites that moved to https keep the http address on purpose, so that counted shares stay; the scheme is passed over.
    rule: text(
        "Fails when `og:url` is an http(s) URL other than the page's own. The page's own URL is its only valid canonical; if it declares none, it's the final URL without tracking parameters. Host, path and query are compared after percent-encoding is normalized; scheme and fragment are not compared, nor the query when `og:url` has none. A relative URL is resolved as a browser would. A note when only a trailing slash differs, or when the canonical has the same wrong URL. Not applicable without `og:url`.",
        "Falha quando `og:url` é uma URL http(s) diferente da própria página. A URL da própria página é sua única canônica válida; se não declara nenhuma, é a URL final sem parâmetros de rastreamento. Host, caminho e query são comparados com os percentuais normalizados; esquema e fragmento não são comparados, nem a query quando `og:url` não tem uma. Uma URL relativa é resolvida como em um navegador. É uma observação quando só a barra final difere ou quando a canônica tem a mesma URL errada. Não se aplica sem `og:url`.",
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
    title: text("Invalid og:type", "og:type inválido"),
    why: text(
        "Networks treat a page of an unknown type as a website, and ignore its article or video tags.",
        "As redes tratam uma página de tipo desconhecido como um site e ignoram suas tags de artigo ou vídeo.",
    ),
    how: text(
        "Use `article` for an article, otherwise `website` or another Open Graph type.",
        "Use `article` para um artigo; nos outros casos, `website` ou outro tipo do Open Graph.",
    ),
    reference: "https://ogp.me/#types",
    rule: text(
        "Fails when the first `og:type` with content, in any letter case, is not a type of ogp.me or Meta, nor one of the older types (`blog`, `company` and the like) that networks still know. A name with a colon passes, because it may be a custom type.",
        "Falha quando o primeiro `og:type` com conteúdo, em maiúsculas ou minúsculas, não é um tipo do ogp.me ou da Meta, nem um dos tipos antigos (`blog`, `company` e semelhantes) que as redes ainda conhecem. Um nome com dois-pontos passa, porque pode ser um tipo próprio.",
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
        "The Open Graph standard uses `property`. Networks that follow it strictly ignore tags with `name`.",
        "O padrão Open Graph usa `property`. Redes que o seguem à risca ignoram tags com `name`.",
    ),
    how: text(
        "Write `property=\"og:…\"` instead of `name=\"og:…\"`.",
        "Escreva `property=\"og:…\"` em vez de `name=\"og:…\"`.",
    ),
    reference: "https://ogp.me/#intro",
    rule: text(
        "Fails when a `meta` with content has a `name` that begins with `og:` or `fb:`, or is one of the properties of `article:`, and no `property`, and no other `meta` has that key as its `property`. `twitter:` keys belong in `name`. Not applicable without such keys.",
        "Falha quando um `meta` com conteúdo tem um `name` que começa com `og:` ou `fb:`, ou é uma das propriedades de `article:`, e não tem `property`, e nenhum outro `meta` tem essa chave como `property`. Chaves `twitter:` pertencem a `name`. Não se aplica sem essas chaves.",
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
    const NONE: Text = text("The page has no og:title tag.", "A página não tem a tag og:title.");
    const TITLE_ALONE: Text = text(
        "The page has og:image but no og:title, so networks use the page title instead.",
        "A página tem og:image, mas não og:title, e as redes usam o título da página no lugar.",
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
    const LACKS: Text = text("Open Graph tags are missing: {list}.", "Faltam tags Open Graph: {list}.");
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
        "og:type is “{kind}”, which is not an Open Graph type.",
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
    const OTHER: Text =
        text("og:url is {url}, but the page's URL is {own}.", "og:url é {url}, mas a URL da página é {own}.");
    const OWN: Text = text("the page's own URL", "a URL da própria página");
    const DECIDE: Text = text(
        "Decide which URL is right, {url} or {own}, and use it in both og:url and the canonical.",
        "Decida qual URL é a certa, {url} ou {own}, e use-a tanto em og:url como na canônica.",
    );
    const AS_CANONICAL: Text = text(
        "og:url and the canonical are {url}, but the page's URL is {own}.",
        "og:url e a canônica são {url}, mas a URL da página é {own}.",
    );
    const SLASH: Text = text(
        "og:url ({url}) and the page's URL ({own}) differ only in the trailing slash.",
        "og:url ({url}) e a URL da página ({own}) só diferem na barra final.",
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
    if !html.metas.iter().any(|meta| meta.social_key().is_some_and(is_property)) {
        return Err(NotMeasured::Absent);
    }
    let right: std::collections::BTreeSet<&str> =
        html.metas.iter().filter_map(|meta| meta.property.as_deref()).collect();
    let found: Vec<(Element<'_>, &str)> = html
        .metas
        .iter()
        .filter(|meta| meta.property.is_none() && meta.content.as_deref().is_some_and(|content| !content.is_empty()))
        .filter_map(|meta| {
            let key = meta.name.as_deref().filter(|key| is_property(key) && !right.contains(key))?;
            Some((html.element(meta.node)?, key))
        })
        .collect();
    let Some((_, first)) = found.first() else { return PASS };
    const NAMED: Text = text(
        "{count|The Open Graph tag {key} uses name instead of property.|{count} Open Graph tags use name instead of property; the first is {key}.}",
        "{count|A tag Open Graph {key} usa name em vez de property.|{count} tags Open Graph usam name em vez de property; a primeira é {key}.}",
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
