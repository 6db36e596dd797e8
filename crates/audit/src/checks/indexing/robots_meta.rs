//! Robots meta tags as text: contradictions, misspellings, values and repetitions.

pub(super) mod shared_tag;

use crate::check::prelude::*;
use crate::facts::robots_directives::{
    Directive, DirectiveOrigin, Status, for_google, has_valid_value, header_fault, is_known, status, suggestion,
};
use crate::facts::robots_tag::contradiction;
use shared_tag::{Mender, filled_tags, is_obsolete, shared_fix};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "robots-meta",
    category: Category::Indexing,
    landing: Landing {
        title: text("Robots meta tag validator", "Validador da meta tag robots"),
        h1: text("Is my robots meta tag correct?", "Minha meta tag robots está correta?"),
        description: text(
            "Validate robots meta tags: unknown, obsolete and conflicting directives, invalid values, and several tags on one page.",
            "Valide meta tags robots: diretivas desconhecidas, obsoletas ou conflitantes, valores inválidos e várias tags na mesma página.",
        ),
        lead: text(
            "Crawlers silently ignore a misspelled directive, and of two conflicting directives the stricter one wins. This tool reads every robots tag and writes a single correct one.",
            "Os robôs ignoram sem aviso uma diretiva escrita errado, e entre duas conflitantes vale a mais restritiva. Esta ferramenta lê cada tag robots e escreve uma única tag correta.",
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
    title: text("Conflicting robots directives", "Diretivas robots conflitantes"),
    why: text(
        "Google applies the most restrictive directive, which may not be the one you want.",
        "O Google aplica a diretiva mais restritiva, que pode não ser a que você quer.",
    ),
    how: text("Keep one tag with the directives you want.", "Mantenha uma só tag, com as diretivas que você quer."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#robotsmeta",
    rule: text(
        "Fails when the directives for everyone and for Googlebot, from all tags and headers together, conflict. Conflicts are `index` or `all` with `noindex` or `none`; `follow` or `all` with `nofollow` or `none`; `nosnippet` with a `max-snippet` other than 0; and two values for one `max-` rule.",
        "Falha quando as diretivas para todos e para o Googlebot, de todas as tags e cabeçalhos juntos, entram em conflito. São conflitos `index` ou `all` com `noindex` ou `none`; `follow` ou `all` com `nofollow` ou `none`; `nosnippet` com um `max-snippet` diferente de 0; e dois valores para uma mesma regra `max-`.",
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
    title: text("Unknown robots directive", "Diretiva robots desconhecida"),
    why: text(
        "Search engines silently ignore a misspelled directive.",
        "Os buscadores ignoram sem aviso uma diretiva escrita errado.",
    ),
    how: text(
        "Use the directives that Google documents, separated by commas.",
        "Use as diretivas documentadas pelo Google, separadas por vírgulas.",
    ),
    reference: RULES,
    rule: text(
        "Fails when a token is neither a valid directive nor one of the historical or conventional ones in the table. When exactly one valid directive is at most two letters away, the finding suggests it. A header line that can't be split into rules is reported by `x_robots_tag_malformed`.",
        "Falha quando um termo não é uma diretiva válida nem uma das históricas ou convencionais da tabela. Quando há exatamente uma diretiva válida a no máximo duas letras de distância, ela é sugerida. Uma linha de cabeçalho que não pode ser dividida em regras é apontada por `x_robots_tag_malformed`.",
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
    title: text("Robots directive with an invalid value", "Diretiva robots com valor inválido"),
    why: text(
        "Search engines ignore a rule with an invalid value, so your limit or date has no effect.",
        "Os buscadores ignoram uma regra com valor inválido, e seu limite ou sua data não tem efeito.",
    ),
    how: text(
        "Set `max-snippet` and `max-video-preview` to a whole number from -1 on, `max-image-preview` to none, standard or large, and `unavailable_after` to a date such as 2027-06-25.",
        "Defina `max-snippet` e `max-video-preview` com um número inteiro a partir de -1, `max-image-preview` com none, standard ou large, e `unavailable_after` com uma data como 2027-06-25.",
    ),
    reference: RULES,
    rule: text(
        "Fails when the value of `max-snippet` or `max-video-preview` is not a whole number of -1 or more, the value of `max-image-preview` is not `none`, `standard` or `large`, or the value of `unavailable_after` is not a date in the format of ISO 8601, RFC 822 or RFC 850. A missing value fails too.",
        "Falha quando o valor de `max-snippet` ou `max-video-preview` não é um inteiro maior ou igual a -1, o de `max-image-preview` não é `none`, `standard` nem `large`, ou o de `unavailable_after` não é uma data no formato ISO 8601, RFC 822 ou RFC 850. Um valor ausente também falha.",
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
    title: text("Robots directive Google no longer supports", "Diretiva robots que o Google não usa mais"),
    why: text(
        "The directive has no effect in Google. Bing still reads noarchive and nocache, and then doesn't use the page in Copilot answers.",
        "A diretiva não tem efeito no Google. O Bing ainda lê noarchive e nocache, e então não usa a página nas respostas do Copilot.",
    ),
    how: text(
        "Remove noodp, noydir and nositelinkssearchbox. Keep noarchive and nocache only if you want them for Bing.",
        "Remova noodp, noydir e nositelinkssearchbox. Mantenha noarchive e nocache só se você os quer para o Bing.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#directives",
    rule: text(
        "Fails on `noodp`, `noydir` and `nositelinkssearchbox`, which no search engine reads, and on `noarchive` and `nocache`, which Google ignores and Bing reads. A fix never removes noarchive or nocache, because they may be intended.",
        "Falha com `noodp`, `noydir` e `nositelinkssearchbox`, que nenhum buscador lê, e com `noarchive` e `nocache`, que o Google ignora e o Bing lê. Uma correção nunca remove noarchive nem nocache, porque podem ser intencionais.",
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
        "Crawlers combine the tags. Someone who edits one tag can overlook the other, which often comes from a plugin.",
        "Os robôs combinam as tags. Quem edita uma pode não ver a outra, que muitas vezes vem de um plugin.",
    ),
    how: text("Put all directives in one tag.", "Reúna todas as diretivas em uma só tag."),
    reference: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#robotsmeta",
    rule: text(
        "Fails when the page has two or more `meta name=\"robots\"` with content. Tags for single crawlers don't count. When the tags conflict, `robots_directives_conflict` reports them instead.",
        "Falha quando a página tem dois ou mais `meta name=\"robots\"` com conteúdo. Tags para robôs específicos não contam. Quando as tags entram em conflito, `robots_directives_conflict` as aponta em vez desta verificação.",
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

/// Advice on a noindex, for [`decide`].
pub(super) const IF_FOUND: Text = text(
    "If the page should appear in search results, remove “{directive}”. Otherwise, leave it.",
    "Se a página deve aparecer na busca, remova “{directive}”. Caso contrário, deixe como está.",
);

/// A finding about some directives whose removal is the owner's decision, never ours. In the note, `{directive}` is their
/// names.
pub(super) fn decide(
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

/// `name:value`, as declared.
pub(super) fn shown(directive: &Directive) -> String {
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
    const BOTH: Text = text("The page sets both {a} and {b}.", "A página define {a} e também {b}.");
    const MERGED: Text = text(
        "the declared directives, keeping the more restrictive one of each pair",
        "as diretivas declaradas, mantendo a mais restritiva de cada par",
    );
    const DECIDE: Text = text("Set only one of the two: {a} or {b}.", "Defina só uma das duas: {a} ou {b}.");
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
    const IGNORED: Text = text(
        "“{name}” is not a robots directive, so search engines ignore it.",
        "“{name}” não é uma diretiva robots, e os buscadores a ignoram.",
    );
    const MEANT: Text = text(
        "“{name}” is not a robots directive. Did you mean {meant}?",
        "“{name}” não é uma diretiva robots. Você quis dizer {meant}?",
    );
    const SPELLED: Text = text("the declared tag, with correct spelling", "a tag declarada, com a grafia correta");
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
    const DROPPED: Text = text(
        "Search engines ignore “{directive}”, because its value is invalid or missing.",
        "Os buscadores ignoram “{directive}”, porque o valor é inválido ou falta.",
    );
    let note = match first.name.as_str() {
        "max-image-preview" => {
            text("{name} must be none, standard or large.", "{name} deve ser none, standard ou large.")
        }
        "unavailable_after" => {
            text("{name} must be a date, such as 2027-06-25.", "{name} deve ser uma data, como 2027-06-25.")
        }
        _ => text(
            "{name} must be a whole number: -1 for no limit, 0 to show nothing, or the limit.",
            "{name} deve ser um número inteiro: -1 para não ter limite, 0 para não mostrar nada, ou o limite.",
        ),
    };
    let named = [("name", first.name.as_str().into())];
    let tag = first.tag().and_then(|node| html.element(node)).and_then(|element| element.attribute("content"));
    let name = first.agent.as_deref().unwrap_or("robots");
    let fix = match tag {
        Some(_) => {
            let same_tag = facts.directives().iter().filter(|directive| directive.tag() == first.tag());
            let tokens = same_tag.map(|directive| match has_valid_value(directive) {
                true => attribute(&shown(directive)),
                false => format!("{}:{{{{VALUE}}}}", directive.name),
            });
            let content = tokens.collect::<Vec<_>>().join(", ");
            let tag = format!("<meta name=\"{}\" content=\"{content}\">", attribute(name));
            FixDraft::template(FixTarget::Head, tag).note(note, &named)
        }
        None => FixDraft::instruction(FixTarget::Page, note, &named),
    };
    let found = problem(DROPPED, &[("directive", shown(first).into())], fix);
    found.at(places(facts, &bad)).fail()
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
    const UNREAD: Text = text("Search engines no longer read {names}.", "Os buscadores não leem mais {names}.");
    const BING: Text = text(
        "Google ignores {names}. Bing still obeys noarchive and nocache in Copilot answers.",
        "O Google ignora {names}. O Bing ainda obedece a noarchive e nocache nas respostas do Copilot.",
    );
    const WITHOUT: Text = text("the robots tag without obsolete directives", "a tag robots sem as diretivas obsoletas");
    const CHOOSE: Text = text(
        "Remove {names} unless you set noarchive or nocache for Bing on purpose.",
        "Remova {names}, a não ser que tenha definido noarchive ou nocache de propósito para o Bing.",
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

fn multiple(facts: &Facts<'_>) -> Verdict {
    facts.page()?;
    let tags = filled_tags(facts);
    match tags.len() {
        0 => return Err(NotMeasured::Absent),
        1 => return PASS,
        _ => {}
    }
    const SEVERAL: Text = text("The page has {count} robots meta tags.", "A página tem {count} meta tags robots.");
    const UNITED: Text = text("the directives of all robots tags", "as diretivas de todas as tags robots");
    const UNITE: Text =
        text("Put the directives of all these tags in one tag.", "Reúna as diretivas de todas estas tags em uma só.");
    let fix = shared_fix(facts, Mender::Multiple, UNITED)
        .unwrap_or_else(|| FixDraft::instruction(FixTarget::Head, UNITE, &[]));
    problem(SEVERAL, &[("count", tags.len().into())], fix).on(tags).fail()
}
