//! The `X-Robots-Tag` header: directives that no one sees in the source.

use super::robots_meta::decide;
use crate::check::prelude::*;
use crate::facts::robots_directives::{Directive, HeaderFault, for_google, header_fault};

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "x-robots-tag",
    category: Category::Indexing,
    landing: Landing {
        title: text("X-Robots-Tag checker", "Verificador de X-Robots-Tag"),
        h1: text("What does my X-Robots-Tag header forbid?", "O que o cabeçalho X-Robots-Tag proíbe?"),
        description: text(
            "Read the X-Robots-Tag header as Google does: hidden noindex rules, rules for single crawlers, and lines that can't be read.",
            "Leia o cabeçalho X-Robots-Tag como o Google: noindex escondido, regras para robôs específicos e linhas que não podem ser lidas.",
        ),
        lead: text(
            "A header can keep a page out of search while its source looks innocent. This tool fetches the page, splits each line of the header by crawler and rule, and shows what takes effect.",
            "Um cabeçalho pode manter a página fora da busca enquanto o código parece inocente. Esta ferramenta busca a página, separa cada linha do cabeçalho por robô e regra e mostra o que vale.",
        ),
        example: include_str!("x_robots_tag/bad_noindex_header.http"),
    },
    checks: &[NOINDEX, MALFORMED],
};

const SPEC: &str = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag#xrobotstag";

const NOINDEX: Check = Check {
    code: "noindex_header",
    severity: Severity::Error,
    impact: Impact::Indexing,
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
    rule: text(
        "Fails when a line of `X-Robots-Tag` says `noindex` or `none` to everyone or, behind the prefix `googlebot:`, to Googlebot. A prefix holds for the rest of its line; `unavailable_after:` and the `max-` rules are no prefixes. Where a meta tag says so too, the finding on that tag lists the header.",
        "Falha quando uma linha de `X-Robots-Tag` diz `noindex` ou `none` a todos ou, depois do prefixo `googlebot:`, ao Googlebot. Um prefixo vale para o resto da linha; `unavailable_after:` e as regras `max-` não são prefixos. Onde uma meta tag diz o mesmo, o achado sobre ela cita o cabeçalho.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: noindex,
};

const MALFORMED: Check = Check {
    code: "x_robots_tag_malformed",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("X-Robots-Tag that can't be read as meant", "X-Robots-Tag que não é lido como se quis"),
    why: text(
        "Rules that a crawler can't tell apart, or takes for another crawler's, have no effect.",
        "Regras que um robô não consegue separar, ou entende como sendo de outro robô, não têm efeito.",
    ),
    how: text(
        "Write `X-Robots-Tag: rule, rule`, or `X-Robots-Tag: crawler: rule, rule`.",
        "Escreva `X-Robots-Tag: regra, regra`, ou `X-Robots-Tag: robô: regra, regra`.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when a line of the header holds one of `;`, `=`, `|` or a quotation mark, none of which separates or encloses anything there, or when what stands before a colon is `robots`, `*`, the header's own name or a rule instead of a crawler's name. An empty line passes.",
        "Falha quando uma linha do cabeçalho contém `;`, `=`, `|` ou aspas, que ali não separam nem delimitam nada, ou quando o que vem antes de um dois-pontos é `robots`, `*`, o nome do próprio cabeçalho ou uma regra no lugar do nome de um robô. Uma linha vazia passa.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: malformed,
};

fn noindex(facts: &Facts<'_>) -> Verdict {
    facts.measured_response()?;
    let says = |d: &Directive| for_google(d) && matches!(d.name.as_str(), "noindex" | "none") && !d.is_in_page();
    let all: Vec<&Directive> = facts.directives().iter().filter(|directive| says(directive)).collect();
    const ASKS: Text = text("The X-Robots-Tag header says noindex.", "O cabeçalho X-Robots-Tag diz noindex.");
    decide(facts, &all, ASKS, &[])
}

fn malformed(facts: &Facts<'_>) -> Verdict {
    let exchange = facts.measured_response()?;
    if exchange.header("x-robots-tag").is_none() {
        return Err(NotMeasured::Absent);
    }
    let bad: Vec<(&str, HeaderFault)> =
        exchange.headers_named("x-robots-tag").filter_map(|line| Some((line, header_fault(line)?))).collect();
    let Some((_, fault)) = bad.first() else { return PASS };
    let (message, found) = match fault {
        HeaderFault::Mark(mark) => (
            text("{found} has no meaning in X-Robots-Tag.", "{found} não tem sentido no X-Robots-Tag."),
            mark.to_string(),
        ),
        HeaderFault::Prefix(name) => (
            text(
                "“{found}:” in X-Robots-Tag is taken for the name of a crawler.",
                "“{found}:” no X-Robots-Tag é entendido como o nome de um robô.",
            ),
            name.clone(),
        ),
    };
    const WRITE: Text = text(
        "Send one line of rules with commas between them, as in: X-Robots-Tag: noindex, nofollow",
        "Envie uma linha de regras separadas por vírgulas, como em: X-Robots-Tag: noindex, nofollow",
    );
    let places =
        bad.iter().map(|(line, _)| Place { snippet: Some(format!("X-Robots-Tag: {line}")), ..Place::default() });
    let fix = FixDraft::instruction(FixTarget::Page, WRITE, &[]);
    problem(message, &[("found", found.into())], fix).at(places).fail()
}
