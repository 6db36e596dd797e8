//! Robots directives of meta tags and headers: what keeps the page, its links or its snippet out of search.

use model::time::Timestamp;

use crate::check::prelude::*;
use crate::facts::document::{NodeId, collapse};
use crate::facts::page::{Meta, Reach};
use crate::facts::robots_directives::{Directive, Origin, for_google, is_known, parse_date, suggestion};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "robots-meta",
    category: Category::Indexing,
    landing: Landing::TO_WRITE,
    checks: &[NOINDEX_META, NOINDEX_HEADER, UNAVAILABLE, NOFOLLOW, NOSNIPPET, CONFLICT, UNKNOWN],
};

const SPEC: &str = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag";

const NOINDEX_META: Check = Check {
    code: "noindex_meta",
    severity: Severity::Error,
    title: text("Page asks not to be indexed", "A página pede para não ser indexada"),
    why: text(
        "A robots meta tag with noindex keeps the page out of search results altogether.",
        "Uma meta tag robots com noindex mantém a página totalmente fora dos resultados de busca.",
    ),
    how: text("If the page should be found, remove noindex.", "Se a página deve ser encontrada, remova noindex."),
    reference: SPEC,
    rule: text("", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: noindex_meta,
};

const NOINDEX_HEADER: Check = Check {
    code: "noindex_header",
    severity: Severity::Error,
    title: text("Header asks not to index the page", "Cabeçalho pede para não indexar a página"),
    why: text(
        "An X-Robots-Tag header with noindex keeps the page out of search results, and can't be seen in its source.",
        "Um cabeçalho X-Robots-Tag com noindex mantém a página fora dos resultados, e não aparece no código dela.",
    ),
    how: text(
        "If the page should be found, stop sending noindex.",
        "Se a página deve ser encontrada, deixe de enviar noindex.",
    ),
    reference: SPEC,
    rule: text("", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: noindex_header,
};

const UNAVAILABLE: Check = Check {
    code: "unavailable_after_past",
    severity: Severity::Error,
    title: text("Page has expired by its own word", "A página expirou por palavra própria"),
    why: text(
        "After the date of unavailable_after the page drops out of search.",
        "Depois da data de unavailable_after a página sai da busca.",
    ),
    how: text("Remove the directive, or name a date to come.", "Remova a diretiva, ou dê uma data futura."),
    reference: SPEC,
    rule: text("", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: unavailable,
};

const NOFOLLOW: Check = Check {
    code: "nofollow_page",
    severity: Severity::Warn,
    title: text("Page asks that no link be followed", "A página pede que nenhum link seja seguido"),
    why: text(
        "Crawlers don't find other pages of the site from here, and the links count for nothing.",
        "Os robôs não encontram outras páginas do site a partir daqui, e os links não contam.",
    ),
    how: text("Remove nofollow, or set it on single links only.", "Remova nofollow, ou use-o só em links isolados."),
    reference: SPEC,
    rule: text("", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: nofollow,
};

const NOSNIPPET: Check = Check {
    code: "nosnippet_set",
    severity: Severity::Warn,
    title: text("Page asks for no snippet", "A página pede para não ter trecho"),
    why: text(
        "Results show the bare title, and the page is left out of AI answers in Search.",
        "Os resultados mostram só o título, e a página fica fora das respostas de IA da Busca.",
    ),
    how: text(
        "Remove nosnippet, or allow a length with max-snippet.",
        "Remova nosnippet, ou permita um tamanho com max-snippet.",
    ),
    reference: SPEC,
    rule: text("", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Head),
    since: FIRST,
    run: nosnippet,
};

const CONFLICT: Check = Check {
    code: "robots_directives_conflict",
    severity: Severity::Warn,
    title: text("Robots directives contradict each other", "Diretivas robots se contradizem"),
    why: text(
        "The most restrictive one wins, which may not be the one you meant.",
        "Vence a mais restritiva, que pode não ser a que você queria.",
    ),
    how: text("Keep one tag that says what you mean.", "Mantenha uma só tag que diga o que você quer."),
    reference: SPEC,
    rule: text("Fails when the directives for Google contradict each other.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: conflict,
};

const UNKNOWN: Check = Check {
    code: "robots_directive_unknown",
    severity: Severity::Warn,
    title: text("Robots directive nobody knows", "Diretiva robots desconhecida"),
    why: text(
        "A misspelled directive is ignored, without a word.",
        "Uma diretiva escrita errado é ignorada, sem aviso.",
    ),
    how: text(
        "Use the directives of the specification, separated by commas.",
        "Use as diretivas da especificação, separadas por vírgulas.",
    ),
    reference: SPEC,
    rule: text("Fails on a token that is in no list.", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: unknown,
};

fn is_noindex(directive: &Directive) -> bool {
    for_google(directive) && matches!(directive.name.as_str(), "noindex" | "none")
}

fn place(facts: &Facts<'_>, directive: &Directive) -> Option<Place> {
    match &directive.source {
        Origin::Meta(node) => facts.markup()?.element(*node).map(Element::place),
        Origin::Header(line) => Some(Place { snippet: Some(format!("X-Robots-Tag: {line}")), ..Place::default() }),
    }
}

fn tag_of(directive: &Directive) -> Option<NodeId> {
    match &directive.source {
        Origin::Meta(node) => Some(*node),
        Origin::Header(_) => None,
    }
}

fn from_meta(directive: &Directive) -> bool {
    tag_of(directive).is_some()
}

/// A finding about some directives whose removal is the owner's decision, never ours.
fn decide(facts: &Facts<'_>, found: &[&Directive], message: Text, values: &[(&str, Value)]) -> Verdict {
    if found.is_empty() {
        return PASS;
    }
    const ONLY_IF: Text = text(
        "Remove {directive} only if the page is meant to be found and quoted.",
        "Remova {directive} só se a página deve ser encontrada e citada.",
    );
    let names: Vec<&str> = found.iter().map(|directive| directive.name.as_str()).collect();
    let target = if found.iter().all(|directive| from_meta(directive)) { FixTarget::Head } else { FixTarget::Page };
    let fix = FixDraft::instruction(target, ONLY_IF, &[("directive", names.join(", ").into())]);
    Ok(Some(problem(message, values, fix).at(found.iter().filter_map(|directive| place(facts, directive)))))
}

fn noindex_meta(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let all: Vec<&Directive> = facts.directives().iter().filter(|directive| is_noindex(directive)).collect();
    if !all.iter().any(|directive| from_meta(directive)) {
        return PASS;
    }
    const ASKS: Text = text("The page's robots meta tag says noindex.", "A meta tag robots da página diz noindex.");
    decide(facts, &all, ASKS, &[])
}

fn noindex_header(facts: &Facts<'_>) -> Verdict {
    facts.measured_response()?;
    let all: Vec<&Directive> =
        facts.directives().iter().filter(|directive| is_noindex(directive) && !from_meta(directive)).collect();
    const ASKS: Text = text("The X-Robots-Tag header says noindex.", "O cabeçalho X-Robots-Tag diz noindex.");
    decide(facts, &all, ASKS, &[])
}

fn expiry(directive: &Directive) -> Option<Timestamp> {
    directive.value.as_deref().filter(|_| directive.name == "unavailable_after").and_then(parse_date)
}

fn unavailable(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let now = facts.capture.started_at;
    let past: Vec<&Directive> =
        facts.directives().iter().filter(|d| for_google(d) && expiry(d).is_some_and(|date| date <= now)).collect();
    const PAST: Text =
        text("unavailable_after is {date}, which is past.", "unavailable_after é {date}, que já passou.");
    let date = past.first().and_then(|directive| directive.value.clone()).unwrap_or_default();
    decide(facts, &past, PAST, &[("date", date.into())])
}

fn nofollow(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let internal = html.anchors.iter().filter(|anchor| anchor.reach == Reach::Internal).count();
    let found: Vec<&Directive> =
        facts.directives().iter().filter(|d| for_google(d) && matches!(d.name.as_str(), "nofollow" | "none")).collect();
    if internal == 0 {
        return if found.is_empty() { PASS } else { Err(NotMeasured::Absent) };
    }
    const LINKS: Text = text(
        "The page says nofollow; {count} internal {count|link is|links are} not followed.",
        "A página diz nofollow; {count} {count|link interno não é seguido|links internos não são seguidos}.",
    );
    decide(facts, &found, LINKS, &[("count", internal.into())])
}

fn nosnippet(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    facts.indexable()?;
    let none = |d: &Directive| d.name == "nosnippet" || d.name == "max-snippet" && d.value.as_deref() == Some("0");
    let found: Vec<&Directive> = facts.directives().iter().filter(|d| for_google(d) && none(d)).collect();
    const NONE: Text = text("The page allows no snippet ({directive}).", "A página não permite trecho ({directive}).");
    let name = found.first().map(|directive| directive.name.clone()).unwrap_or_default();
    decide(facts, &found, NONE, &[("directive", name.into())])
}

/// Pairs that exclude each other.
const OPPOSITES: [(&str, &str); 7] = [
    ("index", "noindex"),
    ("follow", "nofollow"),
    ("all", "none"),
    // `all` is index and follow, `none` is noindex and nofollow.
    ("all", "noindex"),
    ("all", "nofollow"),
    ("index", "none"),
    ("follow", "none"),
];

/// Fails when the directives for Google contradict each other.
fn conflict(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all: Vec<&Directive> = facts.directives().iter().filter(|directive| for_google(directive)).collect();
    if all.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let Some((a, b)) = contradiction(&all) else { return PASS };
    const BOTH: Text = text("The page says both {a} and {b}.", "A página diz {a} e também {b}.");
    let shown = |directive: &Directive| match &directive.value {
        Some(value) => format!("{}:{value}", directive.name),
        None => directive.name.clone(),
    };
    let metas: Vec<&Meta> =
        html.metas.iter().filter(|meta| all.iter().any(|directive| tag_of(directive) == Some(meta.node))).collect();
    let elements: Vec<Element<'_>> = metas.iter().filter_map(|meta| html.element(meta.node)).collect();
    // One that says something else too can be neither rewritten nor removed.
    let say_only_this = metas.iter().all(|meta| meta.has_one_reader()) && !elements.iter().any(|e| e.has("charset"));
    let only_metas =
        all.iter().all(|directive| from_meta(directive)) && all.iter().all(|directive| directive.agent.is_none());
    let fix =
        match elements.split_first().filter(|(first, _)| only_metas && say_only_this && first.start_tag().is_some()) {
            Some((first, rest)) => {
                const MERGED: Text = text(
                    "the declared directives, the more restrictive of each pair",
                    "as diretivas declaradas, a mais restritiva de cada par",
                );
                let content = merged(&all);
                let tag = format!("<meta name=\"robots\" content=\"{}\">", attribute(&content));
                rest.iter()
                    .fold(FixDraft::edit(FixTarget::Head, tag).set(*first, "content", &content), |fix, meta| {
                        fix.remove(*meta)
                    })
                    .from(MERGED, &[])
            }
            None => {
                const DECIDE: Text = text("Say it once: either {a} or {b}.", "Diga uma vez só: {a} ou {b}.");
                FixDraft::instruction(FixTarget::Page, DECIDE, &[("a", shown(a).into()), ("b", shown(b).into())])
            }
        };
    let values = [("a", shown(a).into()), ("b", shown(b).into())];
    Ok(Some(problem(BOTH, &values, fix).at([a, b].into_iter().filter_map(|directive| place(facts, directive)))))
}

/// Two directives that exclude each other, or one of two values.
fn contradiction<'d>(all: &[&'d Directive]) -> Option<(&'d Directive, &'d Directive)> {
    let named = |name: &str| all.iter().copied().find(|directive| directive.name == name);
    let opposite = OPPOSITES.iter().find_map(|(a, b)| Some((named(a)?, named(b)?)));
    let values_differ = ["max-snippet", "max-image-preview", "max-video-preview"].iter().find_map(|name| {
        let first = named(name)?;
        let other = all.iter().copied().find(|d| d.name == *name && d.value != first.value)?;
        Some((first, other))
    });
    let snippet = named("nosnippet")
        .zip(all.iter().copied().find(|d| d.name == "max-snippet" && d.value.as_deref() != Some("0")));
    opposite.or(values_differ).or(snippet)
}

/// The effective set: of each contradiction the more restrictive.
fn merged(all: &[&Directive]) -> String {
    let has = |name: &str| all.iter().any(|directive| directive.name == name);
    let mut out: Vec<String> = Vec::new();
    for directive in all {
        let beaten = match directive.name.as_str() {
            "index" => has("noindex") || has("none"),
            "follow" => has("nofollow") || has("none"),
            "all" => has("none") || has("noindex") || has("nofollow"),
            "max-snippet" => has("nosnippet"),
            _ => false,
        };
        let same = all.iter().filter(|other| other.name == directive.name);
        let values: Vec<&str> =
            same.filter_map(|other| other.value.as_deref()).filter(|value| !value.is_empty()).collect();
        let text = if values.is_empty() {
            directive.name.clone()
        } else {
            format!("{}:{}", directive.name, most_restrictive(&directive.name, values))
        };
        if !beaten && !out.contains(&text) {
            out.push(text);
        }
    }
    out.join(", ")
}

/// Of several values of one directive the one that allows least: the earliest date. -1 is no limit.
fn most_restrictive(name: &str, values: Vec<&str>) -> String {
    let rank = |value: &&str| match name {
        "max-image-preview" => {
            ["none", "standard", "large"].iter().position(|known| value.eq_ignore_ascii_case(known)).unwrap_or(3) as i64
        }
        "unavailable_after" => parse_date(value).map_or(i64::MAX, |date| date.0),
        _ => value.parse::<i64>().map_or(i64::MAX, |number| if number < 0 { i64::MAX - 1 } else { number }),
    };
    values.into_iter().min_by_key(rank).unwrap_or_default().to_owned()
}

/// Fails on a token that is in no list.
fn unknown(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let all = facts.directives();
    if all.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let bad: Vec<&Directive> = all.iter().filter(|directive| !is_known(&directive.name)).collect();
    let Some(first) = bad.first() else { return PASS };
    const IGNORED: Text =
        text("“{name}” is no robots directive and is ignored.", "“{name}” não é uma diretiva robots e é ignorada.");
    const MEANT: Text = text(
        "“{name}” is no robots directive; did you mean {meant}?",
        "“{name}” não é uma diretiva robots; você quis dizer {meant}?",
    );
    let meant = suggestion(&first.name);
    let values = [("name", first.name.as_str().into()), ("meant", meant.unwrap_or_default().into())];
    let node = match (&first.source, meant) {
        (Origin::Meta(node), Some(meant)) if bad.len() == 1 && adds_only(first, meant, all) => {
            html.element(*node).map(|meta| (meta, meant))
        }
        _ => None,
    };
    let fix = match node.filter(|(meta, _)| meta.start_tag().is_some()) {
        Some((meta, meant)) => {
            const SPELLED: Text = text("the declared tag, spelled right", "a tag declarada, escrita certo");
            let content = collapse(meta.attribute("content").unwrap_or_default());
            let spelled = content.split(',').map(str::trim).map(|token| {
                let is_wrong =
                    token.split(':').next().is_some_and(|name| name.trim().eq_ignore_ascii_case(&first.name));
                let value = token.split_once(':').map_or(String::new(), |(_, value)| format!(":{}", value.trim()));
                if is_wrong { format!("{meant}{value}") } else { token.to_owned() }
            });
            let content = spelled.collect::<Vec<_>>().join(", ");
            let tag = format!("<meta name=\"robots\" content=\"{}\">", attribute(&content));
            FixDraft::edit(FixTarget::Head, tag).set(meta, "content", &content).from(SPELLED, &[])
        }
        None => {
            const CORRECT: Text = text("Correct or remove “{name}”.", "Corrija ou remova “{name}”.");
            FixDraft::instruction(FixTarget::Head, CORRECT, &[("name", first.name.as_str().into())])
        }
    };
    let message = if meant.is_some() { MEANT } else { IGNORED };
    Ok(Some(problem(message, &values, fix).at(bad.iter().filter_map(|directive| place(facts, directive)))))
}

/// Whether a directive spelled right neither hides the page, its links or its snippet, which is the owner's decision, nor
/// contradicts another.
fn adds_only(misspelled: &Directive, meant: &str, all: &[Directive]) -> bool {
    let spelled = Directive { name: meant.to_owned(), ..misspelled.clone() };
    let hides = meant.starts_with("no") || meant == "unavailable_after" || spelled.value.as_deref() == Some("0");
    let others = all.iter().filter(|directive| *directive != misspelled);
    let after: Vec<&Directive> = others.chain([&spelled]).filter(|directive| for_google(directive)).collect();
    !hides && contradiction(&after).is_none()
}
