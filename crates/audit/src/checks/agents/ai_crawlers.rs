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
        "Reads robots.txt and shows which AI search, assistant and training crawlers may fetch a page, and which rule decides.",
        "Lê o robots.txt e mostra quais robôs de busca de IA, de assistentes e de treinamento podem ler a página, e por qual regra.",
    ),
    lead: text(
        "AI products send crawlers for three purposes: to answer with your page, to open it for a user, and to train models. One line of robots.txt often blocks more of them than intended.",
        "Produtos de IA enviam robôs com três fins: responder com a sua página, abri-la para um usuário e treinar modelos. Uma linha do robots.txt muitas vezes bloqueia mais robôs do que se queria.",
    ),
    example: include_str!("ai_crawlers/bad_search.http"),
};

const REFERENCE: &str = "https://developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers";

const SEARCH_BLOCKED: Check = Check {
    code: "ai_search_bot_blocked",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("AI search crawlers blocked", "Robôs de busca de IA bloqueados"),
    why: text(
        "AI assistants answer from the pages that their search crawlers have read. They don't cite a page that they may not fetch.",
        "Assistentes de IA respondem com base nas páginas que seus robôs de busca leram. Eles não citam uma página que não podem acessar.",
    ),
    how: text(
        "Allow the search crawlers if assistants should cite the page. Training crawlers can stay blocked.",
        "Libere os robôs de busca se quiser que assistentes citem a página. Os robôs de treinamento podem continuar bloqueados.",
    ),
    reference: "https://developers.openai.com/api/docs/bots",
    rule: text(
        "Fails when the robots.txt rule that applies to this URL blocks a crawler that builds the search index of an AI assistant: OAI-SearchBot, Claude-SearchBot, PerplexityBot, DuckAssistBot, YouBot, Amazonbot, Amzn-SearchBot, Meta-WebIndexer or MistralAI-Index. A crawler's own group takes precedence over `*`. Without a robots.txt everything is allowed. Not measured when robots.txt can't be read.",
        "Falha quando a regra do robots.txt que vale para esta URL bloqueia um robô que monta o índice de busca de um assistente de IA: OAI-SearchBot, Claude-SearchBot, PerplexityBot, DuckAssistBot, YouBot, Amazonbot, Amzn-SearchBot, Meta-WebIndexer ou MistralAI-Index. O grupo próprio do robô tem precedência sobre `*`. Sem robots.txt, tudo é permitido. Não é medido quando o robots.txt não pode ser lido.",
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
    title: text("AI assistants can't open the page for users", "Assistentes de IA não podem abrir a página"),
    why: text(
        "A user asks an assistant to read this page, and the assistant has to refuse.",
        "Um usuário pede a um assistente que leia esta página, e o assistente precisa recusar.",
    ),
    how: text(
        "Allow the fetchers that act for a user. Training crawlers have names of their own and can stay blocked.",
        "Libere os agentes que atuam a pedido de um usuário. Os robôs de treinamento têm nomes próprios e podem continuar bloqueados.",
    ),
    reference: "https://developers.openai.com/api/docs/bots",
    rule: text(
        "Fails when the robots.txt rule that applies to this URL blocks a fetcher that requests pages for a user: ChatGPT-User, Claude-User, Perplexity-User, MistralAI-User or Meta-ExternalFetcher. Not measured when robots.txt can't be read.",
        "Falha quando a regra do robots.txt que vale para esta URL bloqueia um agente que pede páginas para um usuário: ChatGPT-User, Claude-User, Perplexity-User, MistralAI-User ou Meta-ExternalFetcher. Não é medido quando o robots.txt não pode ser lido.",
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
    title: text("AI training crawlers blocked", "Robôs de treinamento de IA bloqueados"),
    why: text(
        "Whether models may train on the page is the owner's choice. Search is not affected: Google Search does not use Google-Extended.",
        "Permitir ou não o treinamento de modelos com a página é escolha do dono. A busca não é afetada: a Busca do Google não usa o Google-Extended.",
    ),
    how: text("Nothing to do if this is what you want.", "Não há nada a fazer, se é isso que você quer."),
    reference: REFERENCE,
    rule: text(
        "Reports, without judging, that robots.txt blocks this URL for a crawler or control token of model training or web archives, such as GPTBot, ClaudeBot, Google-Extended, Applebot-Extended, meta-externalagent, Bytespider and CCBot. Not measured when robots.txt can't be read.",
        "Relata, sem julgar, que o robots.txt bloqueia esta URL para um robô ou token de controle de treinamento de modelos ou de arquivos da web, como GPTBot, ClaudeBot, Google-Extended, Applebot-Extended, meta-externalagent, Bytespider e CCBot. Não é medido quando o robots.txt não pode ser lido.",
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
        "robots.txt blocks {count} AI search {count|crawler|crawlers} from this page: {names}.",
        "O robots.txt bloqueia {count} {count|robô|robôs} de busca de IA nesta página: {names}.",
    );
    const POLICY: Text = text(
        "If you want assistants to cite this page, add this group to robots.txt. Replace `{{SCOPE}}` with `$` to allow only this page, or remove it to allow every URL that begins this way.",
        "Se você quer que assistentes citem esta página, adicione este grupo ao robots.txt. Troque `{{SCOPE}}` por `$` para liberar só esta página, ou apague-o para liberar todas as URLs que começam assim.",
    );
    kept_out(facts, Purpose::Answers, OUT, POLICY)
}

fn user_fetch_blocked(facts: &Facts<'_>) -> Verdict {
    const OUT: Text = text(
        "robots.txt blocks {count} {count|fetcher that acts|fetchers that act} for users from this page: {names}.",
        "O robots.txt bloqueia nesta página {count} {count|agente que atua|agentes que atuam} a pedido de usuários: {names}.",
    );
    const POLICY: Text = text(
        "If you want people to read this page through an assistant, add this group to robots.txt. Replace `{{SCOPE}}` with `$` to allow only this page, or remove it to allow every URL that begins this way.",
        "Se você quer que as pessoas leiam esta página por um assistente, adicione este grupo ao robots.txt. Troque `{{SCOPE}}` por `$` para liberar só esta página, ou apague-o para liberar todas as URLs que começam assim.",
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
        "robots.txt blocks {count} AI training {count|crawler or token|crawlers or tokens} from this page: {names}.",
        "O robots.txt bloqueia {count} {count|robô ou token|robôs ou tokens} de treinamento de IA nesta página: {names}.",
    );
    const CHOICE: Text = text(
        "Keep the rule if it is your policy. It does not affect search.",
        "Mantenha a regra se ela for sua política. Ela não afeta a busca.",
    );
    let values = [("count", found.len().into()), ("names", names(&found).into())];
    let fix = FixDraft::instruction(FixTarget::File, CHOICE, &[]);
    problem(OUT, &values, fix).at(places(facts, &found)).fail()
}
