//! AI crawlers that robots.txt keeps out, by what they fetch for.

use crate::check::prelude::*;
use crate::facts::crawlers::{Purpose, tokens};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "ai-crawlers",
    category: Category::Agents,
    landing: LANDING,
    checks: &[SEARCH_BLOCKED, USER_FETCH_BLOCKED, TRAINING_BLOCKED],
};

const LANDING: Landing = Landing {
    title: text("AI crawler access checker", "Verificador de acesso de robôs de IA"),
    h1: text("Which AI crawlers may read your page?", "Que robôs de IA podem ler sua página?"),
    description: text(
        "Tells by robots.txt which crawlers of AI search, of assistants' users and of training may fetch a page, and why.",
        "Diz pelo robots.txt que robôs de busca de IA, de usuários de assistentes e de treinamento podem ler uma página, e por quê.",
    ),
    lead: text(
        "AI products send crawlers for three different ends: to answer with your page, to open it for a person, and to train on it. One line of robots.txt often blocks more of them than was meant.",
        "Produtos de IA enviam robôs com três fins diferentes: responder com a sua página, abri-la para uma pessoa e treinar com ela. Uma linha do robots.txt muitas vezes barra mais do que se queria.",
    ),
    example: include_str!("ai_crawlers/bad_search.http"),
};

const REFERENCE: &str = "https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers";

const SEARCH_BLOCKED: Check = Check {
    code: "ai_search_bot_blocked",
    severity: Severity::Warn,
    impact: Impact::Indexing,
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
    rule: text(
        "Fails when the rule of robots.txt that decides for this address forbids it to a crawler that builds the index of an AI assistant's search (a table with OAI-SearchBot, Claude-SearchBot, PerplexityBot, DuckAssistBot, YouBot, Amazonbot). A group of the crawler's own counts before `*`. Where there is no robots.txt everything is allowed; one that can't be read is not measured.",
        "Falha quando a regra do robots.txt que decide sobre este endereço o proíbe a um robô que monta o índice da busca de um assistente de IA (uma tabela com OAI-SearchBot, Claude-SearchBot, PerplexityBot, DuckAssistBot, YouBot, Amazonbot). Um grupo próprio do robô vale antes de `*`. Sem robots.txt tudo é permitido; um ilegível não é medido.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: FIRST,
    run: search_blocked,
};

const USER_FETCH_BLOCKED: Check = Check {
    code: "ai_user_fetch_blocked",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text(
        "Assistants may not open the page for a person",
        "Assistentes não podem abrir a página para uma pessoa",
    ),
    why: text(
        "Somebody asks an assistant to read this very page, and is told that it can't.",
        "Alguém pede a um assistente que leia justamente esta página e recebe a resposta de que não é possível.",
    ),
    how: text(
        "Allow the fetchers that act for a person; crawlers of training have names of their own and can stay out.",
        "Permita os agentes que buscam para uma pessoa; os robôs de treinamento têm nomes próprios e podem ficar de fora.",
    ),
    reference: "https://developers.openai.com/api/docs/bots",
    rule: text(
        "Fails when the rule of robots.txt that decides for this address forbids it to a fetcher that asks for a page because a person wants it (a table with ChatGPT-User, Claude-User, Perplexity-User, MistralAI-User, Meta-ExternalFetcher). Not measured where robots.txt can't be read.",
        "Falha quando a regra do robots.txt que decide sobre este endereço o proíbe a um agente que pede a página porque uma pessoa a quer (uma tabela com ChatGPT-User, Claude-User, Perplexity-User, MistralAI-User, Meta-ExternalFetcher). Não é medido quando o robots.txt não pode ser lido.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Template, FixTarget::File),
    since: WHOLE,
    run: user_fetch_blocked,
};

const TRAINING_BLOCKED: Check = Check {
    code: "ai_training_bot_blocked",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("AI training kept out", "Treinamento de IA barrado"),
    why: text(
        "Whether models may learn from the page is the owner's choice. It has no effect on search: Google-Extended is no part of it.",
        "Se modelos podem aprender com a página é escolha do dono. Não afeta a busca: Google-Extended não faz parte dela.",
    ),
    how: text("Nothing to do, if this is what you want.", "Nada a fazer, se é isso que você quer."),
    reference: REFERENCE,
    rule: text(
        "Reports, and never judges: fails when robots.txt forbids this address to a crawler or control token of training or of archives (a table with GPTBot, ClaudeBot, Google-Extended, Applebot-Extended, meta-externalagent, Bytespider, CCBot and others). Not measured where robots.txt can't be read.",
        "Relata, sem julgar: falha quando o robots.txt proíbe este endereço a um robô ou token de controle de treinamento ou de arquivos (uma tabela com GPTBot, ClaudeBot, Google-Extended, Applebot-Extended, meta-externalagent, Bytespider, CCBot e outros). Não é medido quando o robots.txt não pode ser lido.",
    ),
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
    const OUT: Text = text(
        "robots.txt keeps {count} AI search {count|crawler|crawlers} from this page: {names}.",
        "O robots.txt barra {count} {count|robô|robôs} de busca de IA nesta página: {names}.",
    );
    const POLICY: Text = text(
        "Do you want assistants to cite this page? Then add a group that allows it.",
        "Você quer que assistentes citem esta página? Então adicione um grupo que permita.",
    );
    kept_out(facts, Purpose::Answers, OUT, POLICY)
}

fn user_fetch_blocked(facts: &Facts<'_>) -> Verdict {
    const OUT: Text = text(
        "robots.txt keeps {count} {count|fetcher|fetchers} that {count|acts|act} for a person from this page: {names}.",
        "O robots.txt barra nesta página {count} {count|agente que busca|agentes que buscam} para uma pessoa: {names}.",
    );
    const POLICY: Text = text(
        "Do you want people to read this page through their assistant? Then add a group that allows it.",
        "Você quer que as pessoas leiam esta página pelo assistente? Então adicione um grupo que permita.",
    );
    kept_out(facts, Purpose::Person, OUT, POLICY)
}

/// Fails when crawlers of a purpose may not fetch the page; the fix asks the owner.
fn kept_out(facts: &Facts<'_>, purpose: Purpose, message: Text, policy: Text) -> Verdict {
    let found = blocked(facts, purpose)?;
    if found.is_empty() {
        return PASS;
    }
    let mut group: String = found.iter().map(|(token, _, _)| format!("User-agent: {token}\n")).collect();
    group.push_str(&format!("Allow: {}{{{{SCOPE}}}}\n", facts.robots_path()?));
    let fix = FixDraft::file_template("/robots.txt", group).note(policy, &[]);
    let values = [("count", found.len().into()), ("names", names(&found).into())];
    problem(message, &values, fix).at(places(facts, &found)).fail()
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
    problem(OUT, &values, fix).at(places(facts, &found)).fail()
}
