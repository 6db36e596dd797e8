//! AI crawlers that robots.txt keeps out, by what they fetch for.

use crate::check::prelude::*;
use crate::facts::crawlers::{Purpose, tokens};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "ai-crawlers",
    category: Category::Agents,
    landing: Landing::TO_WRITE,
    checks: &[SEARCH_BLOCKED, TRAINING_BLOCKED],
};

const REFERENCE: &str = "https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers";

const SEARCH_BLOCKED: Check = Check {
    code: "ai_search_bot_blocked",
    severity: Severity::Warn,
    title: text("AI search engines kept out", "Buscadores de IA barrados"),
    why: text(
        "Assistants answer from the pages their search crawlers have read. A page they may not fetch is not cited.",
        "Os assistentes respondem com base nas páginas que seus robôs de busca leram. Uma página que eles não podem buscar não é citada.",
    ),
    how: text(
        "If assistants should cite the page, allow their search crawlers; training crawlers can stay out.",
        "Se os assistentes devem citar a página, permita seus robôs de busca; os de treinamento podem ficar de fora.",
    ),
    reference: "https://developers.openai.com/api/docs/bots",
    rule: text("", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: FIRST,
    run: search_blocked,
};

const TRAINING_BLOCKED: Check = Check {
    code: "ai_training_bot_blocked",
    severity: Severity::Info,
    title: text("AI training kept out", "Treinamento de IA barrado"),
    why: text(
        "Whether models may learn from the page is the owner's choice. It has no effect on search: Google-Extended is no part of it.",
        "Se modelos podem aprender com a página é escolha do dono. Não afeta a busca: Google-Extended não faz parte dela.",
    ),
    how: text("Nothing to do, if this is what you want.", "Nada a fazer, se é isso que você quer."),
    reference: REFERENCE,
    rule: text("", ""),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: FIRST,
    run: training_blocked,
};

/// Crawlers of a purpose that may not fetch the page, with the deciding rule and line.
fn blocked(facts: &Facts<'_>, purpose: Purpose) -> Result<Vec<(&'static str, String, u32)>, NotMeasured> {
    let mut blocked = Vec::new();
    for token in tokens(purpose) {
        let verdict = facts.robots_verdict(token)?;
        blocked.extend(verdict.rule.filter(|_| !verdict.allowed).map(|(rule, line)| (token, rule, line)));
    }
    Ok(blocked)
}

fn places(facts: &Facts<'_>, blocked: &[(&str, String, u32)]) -> Vec<Place> {
    blocked
        .iter()
        .map(|(token, rule, line)| Place {
            url: facts.robots_url(),
            line: Some(*line),
            snippet: Some(format!("{token}: {rule}")),
            ..Place::default()
        })
        .collect()
}

fn names(blocked: &[(&str, String, u32)]) -> String {
    blocked.iter().map(|(token, _, _)| *token).collect::<Vec<_>>().join(", ")
}

fn search_blocked(facts: &Facts<'_>) -> Verdict {
    let found = blocked(facts, Purpose::Answers)?;
    if found.is_empty() {
        return PASS;
    }
    const OUT: Text = text(
        "robots.txt keeps {count} AI search {count|crawler|crawlers} from this page: {names}.",
        "O robots.txt barra {count} {count|robô|robôs} de busca de IA nesta página: {names}.",
    );
    const POLICY: Text = text(
        "Do you want assistants to cite this page? Then add a group that allows it.",
        "Você quer que assistentes citem esta página? Então adicione um grupo que permita.",
    );
    let mut group: String = found.iter().map(|(token, _, _)| format!("User-agent: {token}\n")).collect();
    group.push_str(&format!("Allow: {}{{{{SCOPE}}}}\n", facts.robots_path()?));
    let fix = FixDraft::file_template("/robots.txt", group).note(POLICY, &[]);
    let values = [("count", found.len().into()), ("names", names(&found).into())];
    Ok(Some(problem(OUT, &values, fix).at(places(facts, &found))))
}

fn training_blocked(facts: &Facts<'_>) -> Verdict {
    let mut found = blocked(facts, Purpose::Training)?;
    found.extend(blocked(facts, Purpose::Archive)?);
    if found.is_empty() {
        return PASS;
    }
    const OUT: Text = text(
        "robots.txt keeps {count} training {count|crawler|crawlers} from this page: {names}.",
        "O robots.txt barra {count} {count|robô|robôs} de treinamento nesta página: {names}.",
    );
    const CHOICE: Text = text(
        "Keep it if it is your policy; search is not affected.",
        "Mantenha se for sua política; a busca não é afetada.",
    );
    let values = [("count", found.len().into()), ("names", names(&found).into())];
    let fix = FixDraft::instruction(FixTarget::File, CHOICE, &[]);
    Ok(Some(problem(OUT, &values, fix).at(places(facts, &found))))
}
