//! Language alternates as a set: the page among them, a default, one address for a code, and none that is blocked.

mod other_versions;
mod own_language;

use std::collections::BTreeMap;

use url::Url;

use crate::check::prelude::*;
use crate::checks::i18n::hreflang::{GOOGLE, alternate_tag, declared, is_default, is_supported, place};
use crate::facts::hreflang::DeclaredAlternate;
use crate::facts::sitemap::SitemapFile;
use crate::facts::url_identity::{identity, same_page};
use crate::facts::{canonical, language_tag};
use crate::fix::HeadKey;
use other_versions::BLOCKED;
use own_language::MISMATCH;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "hreflang-set",
    category: Category::I18n,
    landing: Landing {
        title: text("Hreflang set checker", "Verificador do conjunto hreflang"),
        h1: text("Is your set of hreflang versions complete?", "Seu conjunto de versões hreflang está completo?"),
        description: text(
            "Check whether a page's hreflang set includes the page and a default, whether a code has two URLs, and whether a version is blocked.",
            "Confira se o conjunto hreflang inclui a própria página e um padrão, se um código tem duas URLs e se alguma versão está bloqueada.",
        ),
        lead: text(
            "Hreflang works only as a set: every version lists all versions, including itself, with one URL for each language. This tool reads the set on a page and completes it where it can.",
            "Hreflang só funciona em conjunto: cada versão lista todas, inclusive a si mesma, com uma URL para cada idioma. Esta ferramenta lê o conjunto de uma página e o completa onde pode.",
        ),
        example: include_str!("hreflang_set/bad_no_self.html"),
    },
    checks: &[NO_SELF, X_DEFAULT, DUPLICATE, MISMATCH, BLOCKED],
};

const NO_SELF: Check = Check {
    code: "hreflang_no_self",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Page missing from its own hreflang set", "Página ausente do próprio conjunto hreflang"),
    why: text(
        "Each language version must list itself along with all others. Search engines may ignore a set that leaves the page out.",
        "Cada versão de idioma deve listar a si mesma junto com as outras. Os buscadores podem ignorar um conjunto sem a própria página.",
    ),
    how: text(
        "Add an hreflang entry for this page, with its own language and URL.",
        "Adicione uma entrada hreflang para esta página, com o idioma e a URL dela.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when link elements or the `Link` header declare at least one alternate and none of them has the page's own URL. The page's own URL is its only valid canonical; without one, it's the final URL without fragment and tracking parameters. URLs are compared after parsing, and a trailing slash counts.",
        "Falha quando elementos link ou o cabeçalho `Link` declaram pelo menos uma versão alternativa e nenhuma tem a URL da própria página. A URL da própria página é sua única canônica válida; sem ela, é a URL final sem fragmento e parâmetros de rastreamento. As URLs são comparadas depois de interpretadas, e a barra final conta.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: no_self,
};

const X_DEFAULT: Check = Check {
    code: "hreflang_x_default_missing",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("No x-default language version", "Sem versão x-default entre os idiomas"),
    why: text(
        "When no version matches a reader's language, search engines pick one themselves. An `x-default` entry tells them which.",
        "Quando nenhuma versão corresponde ao idioma do leitor, os buscadores escolhem uma por conta própria. Uma entrada `x-default` diz qual mostrar.",
    ),
    how: text(
        "Add an `x-default` entry for everyone else: a default version or a language selector.",
        "Adicione uma entrada `x-default` para todos os outros: uma versão padrão ou um seletor de idiomas.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions#xdefault",
    rule: text(
        "Fails when link elements and the `Link` header together declare at least 2 versions, including the page itself, and none has the code `x-default` in any letter case. Google calls this entry optional, so the finding is a note.",
        "Falha quando elementos link e o cabeçalho `Link` juntos declaram pelo menos 2 versões, contando a própria página, e nenhuma tem o código `x-default`, em maiúsculas ou minúsculas. O Google chama essa entrada de opcional; por isso, é uma nota.",
    ),
    thresholds: &[threshold("alternates_least", LEAST_FOR_DEFAULT as u64, "alternates")],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: x_default_missing,
};

const DUPLICATE: Check = Check {
    code: "hreflang_duplicate_code",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Several URLs for one hreflang code", "Várias URLs para um código hreflang"),
    why: text(
        "When one code has two URLs, search engines can't tell which is the right version and may ignore both.",
        "Quando um código tem duas URLs, os buscadores não sabem qual é a versão certa e podem ignorar as duas.",
    ),
    how: text("Keep one URL for each code.", "Mantenha uma URL para cada código."),
    reference: GOOGLE,
    rule: text(
        "Fails when the same `hreflang` code has two or more different URLs. The check compares the link elements, the `Link` header, and the page's own entries in the sitemaps that could be read. Letter case and surrounding spaces of the code are ignored. URLs are compared after parsing, without fragment. Repeating a code with the same URL passes, and so do several codes for one URL.",
        "Falha quando o mesmo código `hreflang` tem duas ou mais URLs diferentes. São comparados os elementos link, o cabeçalho `Link` e as entradas da própria página nos sitemaps que puderam ser lidos. Maiúsculas e espaços em volta do código são ignorados. As URLs são comparadas depois de interpretadas, sem fragmento. Repetir um código com a mesma URL passa, assim como vários códigos para uma URL.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: duplicate_code,
};

/// Alternates from which on a default is of use.
const LEAST_FOR_DEFAULT: usize = 2;
/// Codes that a message lists.
const MOST_LISTED: usize = 6;

/// Fails when there are alternates and none is the page's own address.
fn no_self(facts: &Facts<'_>) -> Verdict {
    let all = declared(facts)?;
    let own = facts.own_url()?;
    if all.iter().any(|alternate| alternate.url.as_ref().is_some_and(|url| same_page(url, &own))) {
        return PASS;
    }
    let page = facts.url()?;
    let html = facts.page()?;
    // The page may stand for several languages, and for the default: all of its entries are wrong alike.
    let insecure: Vec<(&DeclaredAlternate, Element<'_>)> = all
        .iter()
        .copied()
        .filter(|alternate| names_insecurely(alternate, page, &own))
        .filter_map(|alternate| Some((alternate, html.element(alternate.node?)?)))
        .filter(|(_, link)| link.start_tag().is_some())
        .collect();
    if let Some((alternate, _)) = insecure.first() {
        const INSECURE: Text = text(
            "The hreflang entry “{lang}” for this page uses http instead of https: {href}.",
            "A entrada hreflang “{lang}” desta página usa http em vez de https: {href}.",
        );
        const INSECURE_ALL: Text = text(
            "The hreflang entries {lang} for this page use http instead of https: {href}.",
            "As entradas hreflang {lang} desta página usam http em vez de https: {href}.",
        );
        const OWN: Text = text("the page's own URL", "a URL da própria página");
        let langs: Vec<&str> = insecure.iter().map(|(alternate, _)| alternate.lang.trim()).collect();
        let tags: Vec<String> = langs.iter().map(|lang| alternate_tag(lang, own.as_str())).collect();
        let fix = FixDraft::edit(FixTarget::Head, tags.join("\n")).from(OWN, &[]);
        let fix = insecure.iter().fold(fix, |fix, (_, link)| fix.set(*link, "href", own.as_str()));
        let message = if insecure.len() == 1 { INSECURE } else { INSECURE_ALL };
        let values =
            [("lang", langs.join(", ").into()), ("url", own.as_str().into()), ("href", alternate.href.as_str().into())];
        return problem(message, &values, fix).at(insecure.iter().map(|(one, _)| place(facts, one))).fail();
    }
    const ABSENT: Text = text(
        "The page's hreflang set has {count|one version|{count} versions}, but not the page itself ({url}).",
        "O conjunto hreflang da página tem {count|uma versão|{count} versões}, mas não a própria página ({url}).",
    );
    let lang = html.document.html().and_then(|root| language_tag::read(root.attribute("lang")?.trim()));
    let lang = lang.filter(is_supported).map(|tag| tag.to_string());
    let taken = |lang: &String| all.iter().any(|alternate| alternate.lang.eq_ignore_ascii_case(lang));
    let fix = match lang.filter(|lang| !taken(lang)) {
        Some(lang) => {
            const OWN: Text = text("lang of <html> and the page's own URL", "lang de <html> e a URL da própria página");
            let tag = alternate_tag(&lang, own.as_str());
            FixDraft::head(HeadKey::Hreflang(lang.to_ascii_lowercase()), tag).from(OWN, &[])
        }
        None => FixDraft::template(FixTarget::Head, alternate_tag("{{LANG}}", own.as_str())),
    };
    let values = [("count", all.len().into()), ("url", own.as_str().into())];
    problem(ABSENT, &values, fix).at(all.iter().map(|alternate| place(facts, alternate))).fail()
}

/// Whether an alternate is the page but for its scheme, which is not https.
fn names_insecurely(alternate: &DeclaredAlternate, page: &Url, own: &Url) -> bool {
    let url = alternate.url.as_ref().filter(|url| url.scheme() == "http");
    url.is_some_and(|url| same_page(&canonical::mended(page, url), own))
}

/// Fails when there are versions and no default.
fn x_default_missing(facts: &Facts<'_>) -> Verdict {
    let all = declared(facts)?;
    let own = facts.own_url()?;
    // The page is one of the versions, whether it says so or not.
    let page = facts.url()?;
    let is_own = |alternate: &&DeclaredAlternate| {
        alternate.url.as_ref().is_some_and(|url| same_page(&canonical::mended(page, url), &own))
    };
    let count = all.len() + usize::from(!all.iter().any(is_own));
    if count < LEAST_FOR_DEFAULT || all.iter().any(|alternate| is_default(alternate)) {
        return PASS;
    }
    const NONE: Text = text(
        "The page's hreflang set has {declared} versions, but no x-default.",
        "O conjunto hreflang da página tem {declared} versões, mas nenhum x-default.",
    );
    const BESIDES: Text = text(
        "The page's hreflang set has {declared|one version|{declared} versions} besides the page itself, but no x-default.",
        "O conjunto hreflang da página tem {declared|uma versão|{declared} versões} além da própria página, mas nenhum x-default.",
    );
    const CHOOSE: Text = text(
        "Choose the default version, or a page for choosing the language.",
        "Escolha a versão padrão ou uma página de escolha de idioma.",
    );
    const ROOT: Text = text(
        "Choose the default version. A candidate is {url}, which is a home page.",
        "Escolha a versão padrão. Uma candidata é {url}, que é uma página inicial.",
    );
    let fix = FixDraft::template(FixTarget::Head, alternate_tag("x-default", "{{DEFAULT_URL}}"));
    let root = all.iter().filter_map(|alternate| alternate.url.as_ref()).find(|url| url.path() == "/");
    let fix = match root {
        Some(root) => fix.note(ROOT, &[("url", root.as_str().into())]),
        None => fix.note(CHOOSE, &[]),
    };
    let message = if count == all.len() { NONE } else { BESIDES };
    let values = [("declared", all.len().into()), ("count", count.into())];
    problem(message, &values, fix).at(all.into_iter().map(|alternate| place(facts, alternate))).fail()
}

/// Fails when a code has several addresses.
fn duplicate_code(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let of_page = facts.alternates().iter().map(|alternate| (None, alternate));
    let listed = facts.listed_alternates().map(|(file, alternate)| (Some(file), alternate));
    let mut by_code: BTreeMap<String, BTreeMap<String, (Option<&SitemapFile>, &DeclaredAlternate)>> = BTreeMap::new();
    for declared in of_page.chain(listed) {
        let (_, alternate) = declared;
        let address = alternate.url.as_ref().map_or_else(|| alternate.href.clone(), identity);
        by_code.entry(alternate.lang.trim().to_ascii_lowercase()).or_default().entry(address).or_insert(declared);
    }
    if by_code.is_empty() {
        return Err(NotMeasured::Absent);
    }
    by_code.retain(|_, addresses| addresses.len() > 1);
    if by_code.is_empty() {
        return PASS;
    }
    const SEVERAL: Text = text(
        "{count|The hreflang code {list} has more than one URL.|{count} hreflang codes have more than one URL: {list}.}",
        "{count|O código hreflang {list} tem mais de uma URL.|{count} códigos hreflang têm mais de uma URL: {list}.}",
    );
    const DECIDE: Text = text(
        "Choose one URL for each code and remove the other entries: {list}.",
        "Escolha uma URL para cada código e remova as outras entradas: {list}.",
    );
    let codes: Vec<&str> = by_code.keys().map(String::as_str).take(MOST_LISTED).collect();
    let pairs = by_code.iter().take(MOST_LISTED).flat_map(|(code, addresses)| {
        addresses.keys().take(MOST_LISTED).map(move |address| format!("{code} → {address}"))
    });
    let pairs = pairs.collect::<Vec<_>>().join(", ");
    let values = [("count", by_code.len().into()), ("list", codes.join(", ").into())];
    let rivals = || by_code.values().flat_map(BTreeMap::values);
    let target = if rivals().any(|(file, _)| file.is_none()) { FixTarget::Head } else { FixTarget::File };
    let fix = FixDraft::instruction(target, DECIDE, &[("list", pairs.into())]);
    let at = rivals().map(|(file, alternate)| match file {
        Some(file) => Place { url: Some(file.url.clone()), snippet: Some(alternate.href.clone()), ..Place::default() },
        None => place(facts, alternate),
    });
    problem(SEVERAL, &values, fix).at(at).fail()
}
