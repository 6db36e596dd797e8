//! Language alternates as a set: the page among them, a default, one address for a code, and none that is blocked.
//!
//! Over 400 lines: most are the texts of five checks, which share how a set is read.

use std::collections::BTreeMap;

use url::Url;

use crate::check::prelude::*;
use crate::checks::i18n::hreflang::{GOOGLE, alternate_tag, declared, is_supported, place};
use crate::facts::hreflang::Alternate;
use crate::facts::named_page::TargetFault;
use crate::facts::sitemap::SitemapFile;
use crate::facts::url_identity::{identity, same_page};
use crate::facts::{canonical, detected_language, language_tag};
use crate::fix::HeadKey;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "hreflang-set",
    category: Category::I18n,
    landing: Landing {
        title: text("Hreflang set checker", "Verificador do conjunto hreflang"),
        h1: text("Is your set of hreflang versions complete?", "Seu conjunto de versões hreflang está completo?"),
        description: text(
            "Check whether a page names itself and a default in its hreflang set, whether a code leads to two addresses, and whether a version is blocked.",
            "Confira se a página nomeia a si mesma e um padrão no conjunto hreflang, se um código leva a dois endereços e se alguma versão está bloqueada.",
        ),
        lead: text(
            "Hreflang works only as a set: every version lists all versions, itself included, with one address for each language. This checker reads the set that a page declares and completes it where it can.",
            "Hreflang só funciona em conjunto: cada versão lista todas, inclusive a si mesma, com um endereço para cada idioma. Este verificador lê o conjunto que a página declara e o completa onde pode.",
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
        "Each version must list itself along with all others; a set without the page may be ignored.",
        "Cada versão deve listar a si mesma junto com todas as outras; um conjunto sem a página pode ser ignorado.",
    ),
    how: text(
        "Add an entry for this page with its own language.",
        "Adicione uma entrada para esta página com o próprio idioma.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when link elements or the `Link` header declare at least one alternate and none of them leads to the page's own address: its one valid canonical, else its final URL without fragment and tracking parameters. Addresses are compared parsed; a trailing slash counts.",
        "Falha quando elementos link ou o cabeçalho `Link` declaram pelo menos uma versão alternativa e nenhuma leva ao endereço da própria página: sua única canônica válida ou, sem ela, a URL final sem fragmento e parâmetros de rastreamento. Os endereços são comparados já interpretados; a barra final conta.",
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
    title: text("No default among the language versions", "Nenhuma versão padrão entre os idiomas"),
    why: text(
        "Readers of a language that has no version get whichever one the search engine picks.",
        "Quem lê num idioma sem versão própria recebe a que o buscador escolher.",
    ),
    how: text(
        "Add an `x-default` entry with the version, or the language selector, for everyone else.",
        "Adicione uma entrada `x-default` com a versão, ou o seletor de idiomas, para todos os outros.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions#xdefault",
    rule: text(
        "Fails when link elements and the `Link` header together declare at least 2 versions, the page itself counted in, and none has the code `x-default`, in any case. It is optional by Google's own words, so this is advice.",
        "Falha quando elementos link e o cabeçalho `Link` juntos declaram pelo menos 2 versões, contando a própria página, e nenhuma tem o código `x-default`, em maiúsculas ou minúsculas. O próprio Google o chama de opcional, por isso é um conselho.",
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
    title: text("One hreflang code, several addresses", "Um código hreflang, vários endereços"),
    why: text(
        "When one code leads to two pages, search engines can't tell which is the version and may ignore both.",
        "Quando um código leva a duas páginas, os buscadores não sabem qual é a versão e podem ignorar as duas.",
    ),
    how: text("Keep one address for each code.", "Mantenha um endereço para cada código."),
    reference: GOOGLE,
    rule: text(
        "Fails when the same `hreflang` code, case and surrounding space ignored, has two or more different addresses across the link elements, the `Link` header and the page's own entries in those sitemaps that were read. Addresses are compared parsed, without fragment; the same code with the same address twice is left alone, and so are several codes for one address.",
        "Falha quando o mesmo código `hreflang`, sem contar maiúsculas e espaços em volta, tem dois ou mais endereços diferentes entre os elementos link, o cabeçalho `Link` e as entradas da própria página nos sitemaps que foram lidos. Os endereços são comparados já interpretados, sem fragmento; o mesmo código com o mesmo endereço duas vezes fica de fora, assim como vários códigos para um endereço.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: duplicate_code,
};

const MISMATCH: Check = Check {
    code: "hreflang_lang_mismatch",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("hreflang and lang disagree about this page", "hreflang e lang discordam sobre esta página"),
    why: text(
        "The page tells search engines one language and browsers another; one of the two sends readers to the wrong version.",
        "A página diz um idioma aos buscadores e outro aos navegadores; um dos dois leva leitores à versão errada.",
    ),
    how: text(
        "Declare the page's language alike in `lang` of `<html>` and in its own hreflang entry.",
        "Declare o idioma da página do mesmo modo em `lang` de `<html>` e na própria entrada hreflang.",
    ),
    reference: GOOGLE,
    rule: text(
        "Fails when the page's own hreflang entries, `x-default` left out, all have another primary language than the `lang` of `<html>`. Regions and scripts are not compared; codes of one language count as one (`no`, `nb`, `nn`; `he`, `iw`; `id`, `in`; `tl`, `fil`). Not applicable without a valid `lang` or without an entry of the page itself.",
        "Falha quando as entradas hreflang da própria página, fora `x-default`, têm todas outro idioma primário que o `lang` de `<html>`. Regiões e escritas não são comparadas; códigos de um mesmo idioma contam como um (`no`, `nb`, `nn`; `he`, `iw`; `id`, `in`; `tl`, `fil`). Não se aplica sem `lang` válido nem sem entrada da própria página.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Page),
    since: WHOLE,
    run: mismatch,
};

const BLOCKED: Check = Check {
    code: "hreflang_target_blocked",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Language version that does not confirm the pair", "Versão de idioma que não confirma o par"),
    why: text(
        "Search engines believe a pair only when both pages name each other. A version that can't be fetched, leads elsewhere or does not name this page can't confirm it, so it is not offered to its readers.",
        "Os buscadores só acreditam em um par quando as duas páginas se nomeiam. Uma versão que não pode ser buscada, leva a outro lugar ou não nomeia esta página não o confirma, e por isso não é oferecida aos seus leitores.",
    ),
    how: text(
        "Let each entry name a page that answers 200, may be crawled and indexed, and names this one in turn.",
        "Faça cada entrada nomear uma página que responda 200, possa ser rastreada e indexada, e nomeie esta de volta.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions#guidelines",
    rule: text(
        "Fails when the robots.txt of the page's origin disallows Googlebot the address of an alternate on the same origin, the page itself left out; at most 100 are looked at. Fails too when one of at most two of them, which are asked for, is answered with a redirect or 4xx, asks Google not to index it, or names other alternates but not this page. A version that names none passes unless the site has no sitemap, where it might name them. `x-default` is not asked for, since it may lead on by language. 401, 403, 429, 5xx and silence tell nothing; without them and without a readable robots.txt it is not measured.",
        "Falha quando o robots.txt da origem da página proíbe ao Googlebot o endereço de uma versão alternativa na mesma origem, fora a própria página; são olhadas no máximo 100. Falha também quando uma de no máximo duas delas, que são pedidas, recebe um redirecionamento ou 4xx, pede ao Google para não ser indexada, ou nomeia outras versões mas não esta página. Uma que não nomeia nenhuma passa, a menos que o site não tenha sitemap, onde poderia nomeá-las. `x-default` não é pedido, pois pode redirecionar conforme o idioma. 401, 403, 429, 5xx e silêncio não dizem nada; sem resposta e sem um robots.txt legível, não é medido.",
    ),
    thresholds: &[threshold("alternates_most", MOST_JUDGED as u64, "alternates")],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: target_blocked,
};

/// Alternates from which on a default is of use.
const LEAST_FOR_DEFAULT: usize = 2;
/// Alternates that are judged by robots.txt: its rules may be thousands.
const MOST_JUDGED: usize = 100;
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
    let insecure: Vec<(&Alternate, Element<'_>)> = all
        .iter()
        .copied()
        .filter(|alternate| names_insecurely(alternate, page, &own))
        .filter_map(|alternate| Some((alternate, html.element(alternate.node?)?)))
        .filter(|(_, link)| link.start_tag().is_some())
        .collect();
    if let Some((alternate, _)) = insecure.first() {
        const INSECURE: Text = text(
            "The alternate {lang} is this page, {url}, but names it as {href}, without https.",
            "A versão {lang} é esta página, {url}, mas a nomeia como {href}, sem https.",
        );
        const INSECURE_ALL: Text = text(
            "The alternates {lang} are this page, {url}, but name it as {href}, without https.",
            "As versões {lang} são esta página, {url}, mas a nomeiam como {href}, sem https.",
        );
        const OWN: Text = text("the page's own address", "o endereço da própria página");
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
        "{count} {count|alternate is|alternates are} declared in the head or the Link header, but not this page, {url}.",
        "{count} {count|versão é declarada|versões são declaradas} no head ou no cabeçalho Link, mas não esta página, {url}.",
    );
    let lang = html.document.html().and_then(|root| language_tag::read(root.attribute("lang")?.trim()));
    let lang = lang.filter(is_supported).map(|tag| tag.to_string());
    let taken = |lang: &String| all.iter().any(|alternate| alternate.lang.eq_ignore_ascii_case(lang));
    let fix = match lang.filter(|lang| !taken(lang)) {
        Some(lang) => {
            const OWN: Text =
                text("lang of <html> and the page's own address", "lang de <html> e o endereço da própria página");
            let tag = alternate_tag(&lang, own.as_str());
            FixDraft::head(HeadKey::Hreflang(lang.to_ascii_lowercase()), tag).from(OWN, &[])
        }
        None => FixDraft::template(FixTarget::Head, alternate_tag("{{LANG}}", own.as_str())),
    };
    let values = [("count", all.len().into()), ("url", own.as_str().into())];
    problem(ABSENT, &values, fix).at(all.iter().map(|alternate| place(facts, alternate))).fail()
}

/// Whether an alternate is the page but for its scheme, which is not https.
fn names_insecurely(alternate: &Alternate, page: &Url, own: &Url) -> bool {
    let url = alternate.url.as_ref().filter(|url| url.scheme() == "http");
    url.is_some_and(|url| same_page(&canonical::mended(page, url), own))
}

fn is_default(alternate: &Alternate) -> bool {
    alternate.lang.trim().eq_ignore_ascii_case("x-default")
}

/// Fails when there are versions and no default.
fn x_default_missing(facts: &Facts<'_>) -> Verdict {
    let all = declared(facts)?;
    let own = facts.own_url()?;
    // The page is one of the versions, whether it says so or not.
    let page = facts.url()?;
    let is_own = |alternate: &&Alternate| {
        alternate.url.as_ref().is_some_and(|url| same_page(&canonical::mended(page, url), &own))
    };
    let count = all.len() + usize::from(!all.iter().any(is_own));
    if count < LEAST_FOR_DEFAULT || all.iter().any(|alternate| is_default(alternate)) {
        return PASS;
    }
    const NONE: Text = text(
        "{declared} language {declared|version is|versions are} declared, and none as x-default.",
        "{declared} {declared|versão de idioma é declarada|versões de idioma são declaradas}, e nenhuma como x-default.",
    );
    const BESIDES: Text = text(
        "{declared} language {declared|version is|versions are} declared besides this page, and none as x-default.",
        "Além desta página, {declared} {declared|versão de idioma é declarada|versões de idioma são declaradas}, e nenhuma como x-default.",
    );
    const CHOOSE: Text = text(
        "Choose the version for everyone else, or a page to select a language.",
        "Escolha a versão para todos os outros, ou uma página para selecionar o idioma.",
    );
    const ROOT: Text = text(
        "Choose the version for everyone else; {url} leads to the site's root.",
        "Escolha a versão para todos os outros; {url} leva à raiz do site.",
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
    let mut by_code: BTreeMap<String, BTreeMap<String, (Option<&SitemapFile>, &Alternate)>> = BTreeMap::new();
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
        "{count} hreflang {count|code has|codes have} more than one address: {list}.",
        "{count} {count|código hreflang tem|códigos hreflang têm} mais de um endereço: {list}.",
    );
    const DECIDE: Text = text(
        "Decide which address is the version, and take the others out: {list}.",
        "Decida qual endereço é a versão e tire os outros: {list}.",
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

/// Codes of one language as one.
fn language(code: &str) -> &str {
    match code {
        "nb" | "nn" => "no",
        "iw" => "he",
        "in" => "id",
        "fil" => "tl",
        other => other,
    }
}

/// Fails when the page's own entry names another language than its root element.
fn mismatch(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all = declared(facts)?;
    let own = facts.own_url()?;
    let root = html.document.html().ok_or(NotMeasured::Html)?;
    let lang = root.attribute("lang").and_then(|lang| language_tag::read(lang.trim())).ok_or(NotMeasured::Absent)?;
    let is_own = |alternate: &&&Alternate| {
        !is_default(alternate) && alternate.url.as_ref().is_some_and(|url| same_page(url, &own))
    };
    let entries: Vec<(&Alternate, language_tag::Tag)> = all
        .iter()
        .filter(is_own)
        .filter_map(|alternate| Some((*alternate, language_tag::corrected(&alternate.lang)?)))
        .collect();
    let Some((first, code)) = entries.first() else { return Err(NotMeasured::Absent) };
    if entries.iter().any(|(_, tag)| language(&tag.language) == language(&lang.language)) {
        return PASS;
    }
    const DISAGREE: Text = text(
        "The page's own hreflang entry says “{code}”, but lang of <html> says “{lang}”.",
        "A entrada hreflang da própria página diz “{code}”, mas lang de <html> diz “{lang}”.",
    );
    const BY_SET: Text = text("the page's own hreflang entry", "a entrada hreflang da própria página");
    const BY_TEXT: Text =
        text("lang of <html>, in which the text is written", "lang de <html>, em que o texto está escrito");
    const DECIDE: Text = text(
        "Decide in which language the page is, and correct the other of the two.",
        "Decida em que idioma a página está e corrija o outro dos dois.",
    );
    let written = detected_language::detect(html.language_sample());
    let is_written = |tag: &language_tag::Tag| written.is_some_and(|found| language(found) == language(&tag.language));
    let element = first.node.and_then(|node| html.element(node)).filter(|element| element.start_tag().is_some());
    let taken = |tag: &str| all.iter().any(|alternate| alternate.lang.trim().eq_ignore_ascii_case(tag));
    let fix = match element {
        // The text speaks for the root element: then the entry is the slip.
        Some(element)
            if is_written(&lang) && entries.len() == 1 && is_supported(&lang) && !taken(&lang.to_string()) =>
        {
            let tag = alternate_tag(&lang.to_string(), &first.href);
            FixDraft::edit(FixTarget::Head, tag).set(element, "hreflang", &lang.to_string()).from(BY_TEXT, &[])
        }
        _ if (written.is_none() || is_written(code))
            && !detected_language::contradicts(html.language_sample(), &code.language)
            && root.start_tag().is_some() =>
        {
            let tag = format!("<html lang=\"{}\">", attribute(&code.to_string()));
            FixDraft::edit(FixTarget::Page, tag).set(root, "lang", &code.to_string()).from(BY_SET, &[])
        }
        _ => FixDraft::instruction(FixTarget::Page, DECIDE, &[]),
    };
    let values = [("code", first.lang.as_str().into()), ("lang", lang.to_string().into())];
    problem(DISAGREE, &values, fix).at([place(facts, first), root.place()]).fail()
}

/// Fails when robots.txt keeps Googlebot from another version, or one that was asked for does not confirm the pair.
fn target_blocked(facts: &Facts<'_>) -> Verdict {
    let all = declared(facts)?;
    let page = facts.url()?;
    let own = facts.own_url()?;
    let is_other = |url: &&Url| url.origin() == page.origin() && !same_page(url, page) && !same_page(url, &own);
    let others = all.iter().filter_map(|alternate| Some((*alternate, alternate.url.as_ref().filter(is_other)?)));
    let mut blocked: Vec<(&Alternate, &Url, String)> = Vec::new();
    let mut seen = 0;
    let mut unread = None;
    for (alternate, url) in others.take(MOST_JUDGED) {
        seen += 1;
        match facts.robots_verdict_on("googlebot", url) {
            Ok(verdict) => {
                blocked.extend(verdict.rule.filter(|_| !verdict.allowed).map(|(rule, _)| (alternate, url, rule)))
            }
            Err(reason) => unread = Some(reason),
        }
    }
    if seen == 0 {
        return Err(NotMeasured::Absent);
    }
    let Some((_, url, rule)) = blocked.first() else { return unconfirmed(facts, unread) };
    const DISALLOWED: Text = text(
        "robots.txt keeps Googlebot from {count} language {count|version|versions}; the first is {url} ({rule}).",
        "O robots.txt impede o Googlebot de buscar {count} {count|versão|versões} de idioma; a primeira é {url} ({rule}).",
    );
    const ALLOW: Text = text(
        "Allow these addresses in robots.txt, or take their entries out of the set.",
        "Libere estes endereços no robots.txt, ou tire as entradas deles do conjunto.",
    );
    let values = [("count", blocked.len().into()), ("url", url.as_str().into()), ("rule", rule.as_str().into())];
    let fix = FixDraft::instruction(FixTarget::Head, ALLOW, &[]);
    problem(DISALLOWED, &values, fix).at(blocked.iter().map(|(alternate, ..)| place(facts, alternate))).fail()
}

/// Fails when a version that was asked for does not confirm the pair. `unread`: why robots.txt told nothing.
fn unconfirmed(facts: &Facts<'_>, unread: Option<NotMeasured>) -> Verdict {
    let faults = match (facts.alternate_faults(), unread) {
        (Ok(faults), _) => faults,
        (Err(_), Some(reason)) => return Err(reason),
        (Err(_), None) => return PASS,
    };
    let Some((first, fault)) = faults.first() else { return unread.map_or(PASS, Err) };
    const GONE: Text =
        text("The language version {url} answers {status}.", "A versão de idioma {url} responde {status}.");
    const LEADS: Text = text(
        "The language version {url} answers {status} and leads to {target}.",
        "A versão de idioma {url} responde {status} e leva a {target}.",
    );
    const HIDDEN: Text = text(
        "The language version {url} asks Google not to index it.",
        "A versão de idioma {url} pede ao Google para não ser indexada.",
    );
    const NO_RETURN: Text = text(
        "The language version {url} does not name this page in turn.",
        "A versão de idioma {url} não nomeia esta página de volta.",
    );
    const CONFIRM: Text = text(
        "Name here what answers itself and may be indexed, and put this tag into each version: {tag}",
        "Nomeie aqui o que responde diretamente e pode ser indexado, e coloque esta tag em cada versão: {tag}",
    );
    let (message, status, target) = match fault {
        TargetFault::Status(status) => (GONE, *status, ""),
        TargetFault::Redirect(status, target) => (LEADS, *status, target.as_str()),
        TargetFault::NoIndex => (HIDDEN, 200, ""),
        TargetFault::NoReturn => (NO_RETURN, 200, ""),
    };
    let url = first.url.as_ref().map_or("", Url::as_str);
    let own = facts.own_url()?;
    let all = declared(facts)?;
    let is_own = |alternate: &&&Alternate| alternate.url.as_ref().is_some_and(|url| same_page(url, &own));
    let code = all.iter().find(is_own).map_or("{{LANG}}", |alternate| alternate.lang.as_str());
    let tag = alternate_tag(code, own.as_str());
    let values =
        [("count", faults.len().into()), ("url", url.into()), ("status", status.into()), ("target", target.into())];
    let fix = FixDraft::instruction(FixTarget::Head, CONFIRM, &[("tag", tag.into())]);
    problem(message, &values, fix).at(faults.iter().map(|(alternate, _)| place(facts, alternate))).fail()
}
