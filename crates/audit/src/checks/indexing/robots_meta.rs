//! Robots meta tags as text: contradictions, misspellings, values and repetitions.
//!
//! Over 400 lines: most are the texts of five checks, whose fixes share one tag.

use crate::check::prelude::*;
use crate::facts::robots_directives::{
    Directive, DirectiveOrigin, Status, for_google, has_valid_value, header_fault, is_known, status, suggestion,
};
use crate::facts::robots_tag::{adds_only, contradiction, mended, wants_large_preview};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "robots-meta",
    category: Category::Indexing,
    landing: Landing {
        title: text("Robots meta tag validator", "Validador da meta tag robots"),
        h1: text("Is my robots meta tag written right?", "Minha meta tag robots está escrita certo?"),
        description: text(
            "Validate robots meta tags: unknown, obsolete and contradicting directives, wrong values, and several tags in one page.",
            "Valide meta tags robots: diretivas desconhecidas, obsoletas ou contraditórias, valores errados e várias tags na mesma página.",
        ),
        lead: text(
            "Crawlers ignore a misspelled directive without a word, and of two that contradict each other the stricter wins. This tool reads every robots tag and writes the one that says what you mean.",
            "Os robôs ignoram sem aviso uma diretiva escrita errado, e de duas que se contradizem vence a mais restritiva. Esta ferramenta lê cada tag robots e escreve a única que diz o que você quer.",
        ),
        example: include_str!("robots_meta/bad_conflict.html"),
    },
    checks: &[CONFLICT, UNKNOWN, VALUE_INVALID, OBSOLETE, MULTIPLE],
};

const RULES: &str = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#directives";

const CONFLICT: Check = Check {
    code: "robots_directives_conflict",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Robots directives contradict each other", "Diretivas robots se contradizem"),
    why: text(
        "The most restrictive one wins, which may not be the one you meant.",
        "Vence a mais restritiva, que pode não ser a que você queria.",
    ),
    how: text("Keep one tag that says what you mean.", "Mantenha uma só tag que diga o que você quer."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#robotsmeta",
    rule: text(
        "Fails when the directives for everyone and for Googlebot, of all tags and headers together, hold both sides of a pair (`index` and `noindex`, `follow` and `nofollow`, `all` or one half of it and `none`), `nosnippet` and a `max-snippet` other than 0, or two values of one `max-` rule.",
        "Falha quando as diretivas para todos e para o Googlebot, de todas as tags e cabeçalhos juntos, contêm os dois lados de um par (`index` e `noindex`, `follow` e `nofollow`, `all` ou uma metade dele e `none`), `nosnippet` e um `max-snippet` diferente de 0, ou dois valores de uma mesma regra `max-`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: conflict,
};

const UNKNOWN: Check = Check {
    code: "robots_directive_unknown",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Robots directive nobody knows", "Diretiva robots desconhecida"),
    why: text(
        "A misspelled directive is ignored, without a word.",
        "Uma diretiva escrita errado é ignorada, sem aviso.",
    ),
    how: text(
        "Use the directives of the specification, separated by commas.",
        "Use as diretivas da especificação, separadas por vírgulas.",
    ),
    reference: RULES,
    rule: text(
        "Fails on a token that is neither a valid directive nor one of the historical or conventional ones in the table. At most two letters away from exactly one valid directive, that one is suggested. A header line that can't be split into rules is told by `x_robots_tag_malformed`.",
        "Falha com um termo que não é diretiva válida nem uma das históricas ou convencionais da tabela. A no máximo duas letras de exatamente uma diretiva válida, ela é sugerida. Uma linha de cabeçalho que não se divide em regras é apontada por `x_robots_tag_malformed`.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: FIRST,
    run: unknown,
};

const VALUE_INVALID: Check = Check {
    code: "robots_directive_value_invalid",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Robots directive with a value nobody takes", "Diretiva robots com valor que ninguém aceita"),
    why: text(
        "A rule with a wrong value is dropped whole: the limit or date you set does not hold.",
        "Uma regra com valor errado é descartada por inteiro: o limite ou a data que você definiu não vale.",
    ),
    how: text(
        "Give `max-snippet` and `max-video-preview` a whole number from -1, `max-image-preview` one of none, standard and large, `unavailable_after` a date such as 2027-06-25.",
        "Dê a `max-snippet` e `max-video-preview` um número inteiro a partir de -1, a `max-image-preview` um entre none, standard e large, e a `unavailable_after` uma data como 2027-06-25.",
    ),
    reference: RULES,
    rule: text(
        "Fails when `max-snippet` or `max-video-preview` has no whole number of -1 or more, `max-image-preview` none of `none`, `standard` and `large`, or `unavailable_after` no date by ISO 8601, RFC 822 or RFC 850; a missing value fails too.",
        "Falha quando `max-snippet` ou `max-video-preview` não tem um inteiro maior ou igual a -1, `max-image-preview` não é `none`, `standard` nem `large`, ou `unavailable_after` não tem uma data segundo ISO 8601, RFC 822 ou RFC 850; um valor ausente também falha.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::Head),
    since: WHOLE,
    run: value_invalid,
};

const OBSOLETE: Check = Check {
    code: "robots_directive_obsolete",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Robots directive that Google no longer reads", "Diretiva robots que o Google não lê mais"),
    why: text(
        "It does nothing in Google; noarchive and nocache still keep Bing from using the page in Copilot's answers.",
        "Não faz nada no Google; noarchive e nocache ainda impedem o Bing de usar a página nas respostas do Copilot.",
    ),
    how: text(
        "Remove noodp, noydir and nositelinkssearchbox; keep noarchive and nocache only if you mean Bing.",
        "Remova noodp, noydir e nositelinkssearchbox; mantenha noarchive e nocache só se forem para o Bing.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#directives",
    rule: text(
        "Fails on `noodp`, `noydir` and `nositelinkssearchbox`, which nobody reads, and on `noarchive` and `nocache`, which Google ignores and Bing reads. Those two are never removed by a fix: they may be meant.",
        "Falha com `noodp`, `noydir` e `nositelinkssearchbox`, que ninguém lê, e com `noarchive` e `nocache`, que o Google ignora e o Bing lê. Esses dois nunca são removidos por uma correção: podem ser intencionais.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: obsolete,
};

const MULTIPLE: Check = Check {
    code: "robots_meta_multiple",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("Several robots meta tags", "Várias meta tags robots"),
    why: text(
        "Crawlers unite them; whoever edits one tag overlooks the other, which often comes from a plugin.",
        "Os robôs as unem; quem edita uma tag não vê a outra, que muitas vezes vem de um plugin.",
    ),
    how: text("Write all directives into one tag.", "Escreva todas as diretivas em uma só tag."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#robotsmeta",
    rule: text(
        "Fails on two or more `meta name=\"robots\"` with content. Tags for single crawlers are not counted, and a contradiction between them is told as such instead.",
        "Falha com dois ou mais `meta name=\"robots\"` com conteúdo. Tags para robôs específicos não contam, e uma contradição entre elas é apontada como tal.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::Head),
    since: WHOLE,
    run: multiple,
};

/// Where a directive is declared.
pub(super) fn place(facts: &Facts<'_>, directive: &Directive) -> Option<Place> {
    match &directive.source {
        DirectiveOrigin::Meta(node) => facts.markup()?.element(*node).map(Element::place),
        DirectiveOrigin::Header(line) => {
            Some(Place { snippet: Some(format!("X-Robots-Tag: {line}")), ..Place::default() })
        }
    }
}

/// The same for several, each place once.
fn places(facts: &Facts<'_>, directives: &[&Directive]) -> Vec<Place> {
    let mut places: Vec<Place> = directives.iter().filter_map(|directive| place(facts, directive)).collect();
    places.dedup();
    places
}

/// A finding about some directives whose removal is the owner's decision, never ours.
pub(super) fn decide(facts: &Facts<'_>, found: &[&Directive], message: Text, values: &[(&str, Value)]) -> Verdict {
    const ONLY_IF: Text = text(
        "Remove {directive} only if the page is meant to be found and quoted.",
        "Remova {directive} só se a página deve ser encontrada e citada.",
    );
    decide_by(facts, found, message, values, ONLY_IF)
}

/// The same with another note, in which `{directive}` stands for their names.
pub(super) fn decide_by(
    facts: &Facts<'_>,
    found: &[&Directive],
    message: Text,
    values: &[(&str, Value)],
    note: Text,
) -> Verdict {
    if found.is_empty() {
        return PASS;
    }
    let mut names: Vec<&str> = found.iter().map(|directive| directive.name.as_str()).collect();
    names.dedup();
    let target = if found.iter().all(|directive| directive.is_in_page()) { FixTarget::Head } else { FixTarget::Page };
    let fix = FixDraft::instruction(target, note, &[("directive", names.join(", ").into())]);
    problem(message, values, fix).at(places(facts, found)).fail()
}

/// Checks whose fix rewrites the robots tag. Of those that fire one gets the tag, with every correction at once:
/// several rewritings of one tag would undo each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mender {
    Conflict,
    Unknown,
    Obsolete,
    Multiple,
    Preview,
}

impl Mender {
    /// In the order in which they are asked.
    const ALL: [Self; 5] = [Self::Conflict, Self::Unknown, Self::Obsolete, Self::Multiple, Self::Preview];

    /// Whether the check fires, and the mended tag makes it go away.
    fn is_due(self, facts: &Facts<'_>) -> bool {
        let all = facts.directives();
        let is_plain_tag = |directive: &Directive| directive.is_in_page() && directive.agent.is_none();
        match self {
            Self::Conflict => {
                let google: Vec<&Directive> = all.iter().filter(|directive| for_google(directive)).collect();
                contradiction(&google).is_some() && google.iter().all(|directive| is_plain_tag(directive))
            }
            Self::Unknown => {
                let bad = || all.iter().filter(|directive| !is_known(&directive.name));
                let is_mended = |directive: &Directive| {
                    suggestion(&directive.name).is_some_and(|meant| adds_only(directive, meant, all))
                };
                bad().next().is_some() && bad().all(|bad| is_plain_tag(bad) && is_mended(bad))
            }
            Self::Obsolete => {
                let bad = || all.iter().filter(|directive| is_obsolete(directive));
                let is_dead = |directive: &Directive| status(&directive.name) == Some(Status::Dead);
                bad().next().is_some() && bad().all(|bad| is_plain_tag(bad) && is_dead(bad))
            }
            Self::Multiple => filled_tags(facts).len() > 1,
            Self::Preview => wants_large_preview(facts),
        }
    }
}

/// The fix of a check that the mended tag satisfies; `None` where the tag can't be rewritten or would not help.
pub(super) fn shared_fix(facts: &Facts<'_>, of: Mender, origin: Text) -> Option<FixDraft> {
    let mended = mended(facts).filter(|_| of.is_due(facts))?;
    let (first, rest) = mended.tags.split_first()?;
    let tag = match mended.content.as_str() {
        "" => String::new(),
        content => format!("<meta name=\"robots\" content=\"{}\">", attribute(content)),
    };
    if Mender::ALL.into_iter().find(|mender| mender.is_due(facts)) != Some(of) {
        const SAME: Text = text(
            "The tag that the first finding on robots directives gets mends this too: {tag}",
            "A tag que o primeiro achado sobre diretivas robots recebe corrige isto também: {tag}",
        );
        return Some(FixDraft::instruction(FixTarget::Head, SAME, &[("tag", tag.into())]));
    }
    let fix = match tag.is_empty() {
        true => FixDraft::edit(FixTarget::Head, tag).remove(*first),
        false => FixDraft::edit(FixTarget::Head, tag).set(*first, "content", &mended.content),
    };
    Some(rest.iter().fold(fix, |fix, tag| fix.remove(*tag)).from(origin, &[]))
}

/// `name:value`, as declared.
fn shown(directive: &Directive) -> String {
    match &directive.value {
        Some(value) => format!("{}:{value}", directive.name),
        None => directive.name.clone(),
    }
}

fn conflict(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let all: Vec<&Directive> = facts.directives().iter().filter(|directive| for_google(directive)).collect();
    if all.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let Some((a, b)) = contradiction(&all) else { return PASS };
    const BOTH: Text = text("The page says both {a} and {b}.", "A página diz {a} e também {b}.");
    const MERGED: Text = text(
        "the declared directives, the more restrictive of each pair",
        "as diretivas declaradas, a mais restritiva de cada par",
    );
    const DECIDE: Text = text("Say it once: either {a} or {b}.", "Diga uma vez só: {a} ou {b}.");
    let values = [("a", shown(a).into()), ("b", shown(b).into())];
    let fix = shared_fix(facts, Mender::Conflict, MERGED)
        .unwrap_or_else(|| FixDraft::instruction(FixTarget::Page, DECIDE, &values));
    problem(BOTH, &values, fix).at(places(facts, &[a, b])).fail()
}

fn unknown(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let all = facts.directives();
    if all.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let is_malformed = |directive: &Directive| match &directive.source {
        DirectiveOrigin::Meta(_) => false,
        DirectiveOrigin::Header(line) => header_fault(line).is_some(),
    };
    let bad: Vec<&Directive> =
        all.iter().filter(|directive| !is_known(&directive.name) && !is_malformed(directive)).collect();
    let Some(first) = bad.first() else { return PASS };
    const IGNORED: Text =
        text("“{name}” is no robots directive and is ignored.", "“{name}” não é uma diretiva robots e é ignorada.");
    const MEANT: Text = text(
        "“{name}” is no robots directive; did you mean {meant}?",
        "“{name}” não é uma diretiva robots; você quis dizer {meant}?",
    );
    const SPELLED: Text = text("the declared tag, spelled right", "a tag declarada, escrita certo");
    const CORRECT: Text = text("Correct or remove “{name}”.", "Corrija ou remova “{name}”.");
    let meant = suggestion(&first.name);
    let values = [("name", first.name.as_str().into()), ("meant", meant.unwrap_or_default().into())];
    let fix = shared_fix(facts, Mender::Unknown, SPELLED)
        .unwrap_or_else(|| FixDraft::instruction(FixTarget::Head, CORRECT, &[("name", first.name.as_str().into())]));
    let message = if meant.is_some() { MEANT } else { IGNORED };
    problem(message, &values, fix).at(places(facts, &bad)).fail()
}

fn value_invalid(facts: &Facts<'_>) -> Verdict {
    let html = facts.page()?;
    let mut valued = facts.directives().iter().filter(|d| status(&d.name) == Some(Status::Valued)).peekable();
    if valued.peek().is_none() {
        return Err(NotMeasured::Absent);
    }
    let bad: Vec<&Directive> = valued.filter(|directive| !has_valid_value(directive)).collect();
    let Some(first) = bad.first() else { return PASS };
    const DROPPED: Text =
        text("“{directive}” has a value that nobody takes.", "“{directive}” tem um valor que ninguém aceita.");
    const TAKEN: Text = text("{name} takes {values}.", "{name} aceita {values}.");
    let taken = match first.name.as_str() {
        "max-image-preview" => text("none, standard or large", "none, standard ou large"),
        "unavailable_after" => text("a date such as 2027-06-25", "uma data como 2027-06-25"),
        _ => text(
            "-1 for no limit, 0 for none, or a whole number",
            "-1 para sem limite, 0 para nada, ou um número inteiro",
        ),
    };
    let mut note = TAKEN.phrase(&[("name", first.name.as_str().into())]);
    note.en = note.en.replace("{values}", taken.en);
    note.pt = note.pt.replace("{values}", taken.pt);
    let tag = first.tag().and_then(|node| html.element(node)).and_then(|element| element.attribute("content"));
    let name = first.agent.as_deref().unwrap_or("robots");
    let mut fix = match tag {
        Some(_) => {
            let same_tag = facts.directives().iter().filter(|directive| directive.tag() == first.tag());
            let tokens = same_tag.map(|directive| match has_valid_value(directive) {
                true => attribute(&shown(directive)),
                false => format!("{}:{{{{VALUE}}}}", directive.name),
            });
            let content = tokens.collect::<Vec<_>>().join(", ");
            FixDraft::template(FixTarget::Head, format!("<meta name=\"{}\" content=\"{content}\">", attribute(name)))
        }
        None => FixDraft::instruction(FixTarget::Page, TAKEN, &[]),
    };
    fix.note = Some(note);
    let found = problem(DROPPED, &[("directive", shown(first).into())], fix);
    found.at(places(facts, &bad)).fail()
}

/// Whether Google ignores a directive that it once read.
fn is_obsolete(directive: &Directive) -> bool {
    matches!(status(&directive.name), Some(Status::Bing | Status::Dead))
}

fn obsolete(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let all = facts.directives();
    if all.is_empty() {
        return Err(NotMeasured::Absent);
    }
    let bad: Vec<&Directive> = all.iter().filter(|directive| is_obsolete(directive)).collect();
    if bad.is_empty() {
        return PASS;
    }
    const UNREAD: Text = text("Nobody reads {names} any more.", "Ninguém mais lê {names}.");
    const BING: Text = text(
        "Google does not read {names}; Bing's Copilot still obeys noarchive and nocache.",
        "O Google não lê {names}; o Copilot do Bing ainda obedece a noarchive e nocache.",
    );
    const WITHOUT: Text = text("the robots tag without what nobody reads", "a tag robots sem o que ninguém lê");
    const CHOOSE: Text = text(
        "Remove {names}, unless noarchive or nocache is meant for Bing.",
        "Remova {names}, a não ser que noarchive ou nocache seja para o Bing.",
    );
    let mut names: Vec<&str> = bad.iter().map(|directive| directive.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let for_bing = bad.iter().any(|directive| status(&directive.name) == Some(Status::Bing));
    let values = [("names", names.join(", ").into())];
    let fix = shared_fix(facts, Mender::Obsolete, WITHOUT)
        .unwrap_or_else(|| FixDraft::instruction(FixTarget::Head, CHOOSE, &values));
    let message = if for_bing { BING } else { UNREAD };
    problem(message, &values, fix).at(places(facts, &bad)).fail()
}

/// Robots tags of everyone that say something.
fn filled_tags<'f>(facts: &'f Facts<'_>) -> Vec<Element<'f>> {
    let is_filled = |content: &Option<String>| content.as_deref().is_some_and(|content| !content.is_empty());
    let tags = facts.markup().into_iter().flat_map(|html| html.metas_named("robots").map(move |meta| (html, meta)));
    tags.filter(|(_, meta)| is_filled(&meta.content)).filter_map(|(html, meta)| html.element(meta.node)).collect()
}

fn multiple(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let tags = filled_tags(facts);
    match tags.len() {
        0 => return Err(NotMeasured::Absent),
        1 => return PASS,
        _ => {}
    }
    const SEVERAL: Text = text("The page has {count} robots meta tags.", "A página tem {count} meta tags robots.");
    const UNITED: Text = text("the directives of all of them", "as diretivas de todas elas");
    const UNITE: Text =
        text("Write the directives of all of them into one tag.", "Escreva as diretivas de todas em uma só tag.");
    let fix = shared_fix(facts, Mender::Multiple, UNITED)
        .unwrap_or_else(|| FixDraft::instruction(FixTarget::Head, UNITE, &[]));
    problem(SEVERAL, &[("count", tags.len().into())], fix).on(tags).fail()
}
