//! The `X-Robots-Tag` header: directives that no one sees in the source.

use super::robots_meta::{IF_FOUND, decide};
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
            "Read the X-Robots-Tag header as Google does: hidden noindex rules, rules for single crawlers, and malformed lines.",
            "Leia o cabeçalho X-Robots-Tag como o Google: regras noindex escondidas, regras para robôs específicos e linhas malformadas.",
        ),
        lead: text(
            "A header can keep a page out of search while its source code shows no sign of it. This tool fetches the page, splits each header line by crawler and rule, and shows which rules apply.",
            "Um cabeçalho pode deixar a página fora da busca sem nenhum sinal no código-fonte. Esta ferramenta busca a página, separa cada linha do cabeçalho por robô e regra e mostra quais regras valem.",
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
    title: text("noindex in the X-Robots-Tag header", "noindex no cabeçalho X-Robots-Tag"),
    why: text(
        "An X-Robots-Tag header with noindex keeps the page out of search results and isn't visible in its source code.",
        "Um cabeçalho X-Robots-Tag com noindex deixa a página fora dos resultados de busca e não aparece no código-fonte.",
    ),
    how: text(
        "If the page should appear in search results, stop sending noindex. Otherwise, leave it.",
        "Se a página deve aparecer na busca, pare de enviar noindex. Caso contrário, deixe como está.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when a line of `X-Robots-Tag` sets `noindex` or `none` for everyone or, after the prefix `googlebot:`, for Googlebot. A prefix applies to the rest of its line. `unavailable_after:` and the `max-` rules are not prefixes. When a meta tag sets the same, the finding for that tag lists the header.",
        "Falha quando uma linha de `X-Robots-Tag` define `noindex` ou `none` para todos ou, depois do prefixo `googlebot:`, para o Googlebot. Um prefixo vale para o resto da linha. `unavailable_after:` e as regras `max-` não são prefixos. Quando uma meta tag define o mesmo, o achado sobre essa tag cita o cabeçalho.",
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
    title: text("Malformed X-Robots-Tag header", "Cabeçalho X-Robots-Tag malformado"),
    why: text(
        "Crawlers ignore rules that they can't split, or that they take for another crawler's rules.",
        "Os robôs ignoram regras que não conseguem separar ou que entendem como regras de outro robô.",
    ),
    how: text(
        "Write `X-Robots-Tag: rule, rule`, or `X-Robots-Tag: crawler: rule, rule`.",
        "Escreva `X-Robots-Tag: regra, regra` ou `X-Robots-Tag: robô: regra, regra`.",
    ),
    reference: SPEC,
    rule: text(
        "Fails when a header line contains `;`, `=`, `|` or a quotation mark, because none of them separates or encloses rules there. Also fails when the text before a colon is `robots`, `*`, the header's own name or a rule instead of a crawler's name. An empty line passes.",
        "Falha quando uma linha do cabeçalho contém `;`, `=`, `|` ou aspas, porque ali nenhum deles separa ou delimita regras. Falha também quando o texto antes de um dois-pontos é `robots`, `*`, o nome do próprio cabeçalho ou uma regra, e não o nome de um robô. Uma linha vazia passa.",
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
    const ASKS: Text = text(
        "The X-Robots-Tag header contains “{directive}”, which keeps the page out of Google Search.",
        "O cabeçalho X-Robots-Tag contém “{directive}”, o que deixa a página fora da Busca do Google.",
    );
    let name = all.first().map_or("", |directive| directive.name.as_str());
    decide(facts, &all, ASKS, &[("directive", name.into())], IF_FOUND)
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
            text(
                "The X-Robots-Tag header contains “{found}”, which doesn't separate or enclose rules there.",
                "O cabeçalho X-Robots-Tag contém “{found}”, que ali não separa nem delimita regras.",
            ),
            mark.to_string(),
        ),
        HeaderFault::Prefix(name) => (
            text(
                "Crawlers read “{found}:” in the X-Robots-Tag header as the name of a crawler.",
                "Os robôs leem “{found}:” no cabeçalho X-Robots-Tag como o nome de um robô.",
            ),
            name.clone(),
        ),
    };
    const WRITE: Text = text(
        "Separate the rules with commas, for example: X-Robots-Tag: noindex, nofollow",
        "Separe as regras com vírgulas, por exemplo: X-Robots-Tag: noindex, nofollow",
    );
    let places =
        bad.iter().map(|(line, _)| Place { snippet: Some(format!("X-Robots-Tag: {line}")), ..Place::default() });
    let fix = FixDraft::instruction(FixTarget::Page, WRITE, &[]);
    problem(message, &[("found", found.into())], fix).at(places).fail()
}
