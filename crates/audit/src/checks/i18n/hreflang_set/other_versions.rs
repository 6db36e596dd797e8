//! The other versions of a set: each may be crawled and indexed, and lists the page in return.

use url::Url;

use crate::check::prelude::*;
use crate::checks::i18n::hreflang::{alternate_tag, declared, place};
use crate::facts::hreflang::DeclaredAlternate;
use crate::facts::named_page::TargetFault;
use crate::facts::url_identity::same_page;

pub(super) const BLOCKED: Check = Check {
    code: "hreflang_target_blocked",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Language version without a valid return link", "Versão de idioma sem link de retorno válido"),
    why: text(
        "Search engines accept an hreflang pair only when both pages link to each other. A version that is blocked, redirects, or doesn't link back is not offered to its readers.",
        "Os buscadores só aceitam um par hreflang quando as duas páginas apontam uma para a outra. Uma versão bloqueada, redirecionada ou sem link de retorno não é oferecida a seus leitores.",
    ),
    how: text(
        "Point each entry to a page that answers 200, may be crawled and indexed, and lists this page in its own hreflang set.",
        "Aponte cada entrada para uma página que responda 200, possa ser rastreada e indexada, e liste esta página no próprio conjunto hreflang.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/international/localized-versions#guidelines",
    rule: text(
        "Fails when the page's robots.txt blocks Googlebot from an alternate on the same origin; at most 100 alternates are checked. At most two alternates are also fetched: it fails when one of them answers with a redirect or 4xx, is set to noindex for Google, or lists other alternates but not this page. A fetched version without any alternates passes, unless the site has no sitemap that could list them. `x-default` is not fetched, because it may redirect by language. 401, 403, 429, 5xx and timeouts are ignored. When there are no usable answers and no readable robots.txt, the check is not measured.",
        "Falha quando o robots.txt da página bloqueia ao Googlebot uma versão alternativa na mesma origem; no máximo 100 versões são verificadas. No máximo duas versões também são buscadas: falha quando uma delas responde com redirecionamento ou 4xx, tem noindex para o Google, ou lista outras versões mas não esta página. Uma versão buscada que não lista nenhuma passa, a menos que o site não tenha um sitemap que possa listá-las. `x-default` não é buscado, porque pode redirecionar conforme o idioma. 401, 403, 429, 5xx e falta de resposta são ignorados. Sem respostas úteis e sem um robots.txt legível, não é medido.",
    ),
    thresholds: &[threshold("alternates_most", MOST_JUDGED as u64, "alternates")],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: WHOLE,
    run: target_blocked,
};

/// Alternates that are judged by robots.txt: its rules may be thousands.
const MOST_JUDGED: usize = 100;

/// Fails when robots.txt keeps Googlebot from another version, or one that was asked for does not confirm the pair.
fn target_blocked(facts: &Facts<'_>) -> Verdict {
    let all = declared(facts)?;
    let page = facts.url()?;
    let own = facts.own_url()?;
    let is_other = |url: &&Url| url.origin() == page.origin() && !same_page(url, page) && !same_page(url, &own);
    let others = all.iter().filter_map(|alternate| Some((*alternate, alternate.url.as_ref().filter(is_other)?)));
    let mut blocked: Vec<(&DeclaredAlternate, &Url, String)> = Vec::new();
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
        "robots.txt blocks Googlebot from {count|a language version: {url}|{count} language versions; the first is {url}} ({rule}).",
        "O robots.txt bloqueia ao Googlebot {count|uma versão de idioma: {url}|{count} versões de idioma; a primeira é {url}} ({rule}).",
    );
    const ALLOW: Text = text(
        "Allow these URLs in robots.txt, or remove their entries from the hreflang set.",
        "Libere estas URLs no robots.txt ou remova as entradas delas do conjunto hreflang.",
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
        "The language version {url} redirects ({status}) to {target}.",
        "A versão de idioma {url} redireciona ({status}) para {target}.",
    );
    const HIDDEN: Text = text(
        "The language version {url} is set to noindex for Google.",
        "A versão de idioma {url} tem noindex para o Google.",
    );
    const NO_RETURN: Text = text(
        "The language version {url} doesn't list this page in its hreflang set.",
        "A versão de idioma {url} não lista esta página no conjunto hreflang dela.",
    );
    const CONFIRM: Text = text(
        "List only versions that answer 200 and may be indexed, and add this tag to each of them: {tag}",
        "Liste só versões que respondam 200 e possam ser indexadas, e adicione esta tag a cada uma: {tag}",
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
    let is_own = |alternate: &&&DeclaredAlternate| alternate.url.as_ref().is_some_and(|url| same_page(url, &own));
    let code = all.iter().find(is_own).map_or("{{LANG}}", |alternate| alternate.lang.as_str());
    let tag = alternate_tag(code, own.as_str());
    let values =
        [("count", faults.len().into()), ("url", url.into()), ("status", status.into()), ("target", target.into())];
    let fix = FixDraft::instruction(FixTarget::Head, CONFIRM, &[("tag", tag.into())]);
    problem(message, &values, fix).at(faults.iter().map(|(alternate, _)| place(facts, alternate))).fail()
}
