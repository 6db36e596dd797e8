//! The lines of robots.txt: those that can't be read, and those that Google does not read. (RFC 9309)

use super::robots_txt::{PATH, found, place};
use super::robots_txt_sitemap::whole_line;
use crate::check::prelude::*;
use crate::facts::robots_txt::{LineProblem, ProblemKind, Readers, readers};
use crate::fix::FileChange;
use model::capture::ROBOTS_BYTES;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "robots-txt-syntax",
    category: Category::Crawl,
    landing: Landing {
        title: text("robots.txt validator", "Validador de robots.txt"),
        h1: text("Are there errors in my robots.txt?", "Há erros no meu robots.txt?"),
        description: text(
            "Validate robots.txt line by line: syntax errors, misspelled keys, rules that Google ignores, and files that are too large.",
            "Valide o robots.txt linha por linha: erros de sintaxe, chaves erradas, regras que o Google ignora e arquivos grandes demais.",
        ),
        lead: text(
            "Crawlers silently skip lines that they can't parse. This tool reads robots.txt like Google's parser, lists every faulty line, and corrects those with only one possible meaning.",
            "Os robôs pulam em silêncio as linhas que não conseguem interpretar. Esta ferramenta lê o robots.txt como o parser do Google, lista cada linha com erro e corrige as que só têm um sentido possível.",
        ),
        example: include_str!("robots_txt_syntax/bad_syntax.http"),
    },
    checks: &[SYNTAX_ERROR, UNSUPPORTED, TOO_LARGE],
};

const SYNTAX_ERROR: Check = Check {
    code: "robots_txt_syntax_error",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Syntax errors in robots.txt", "Erros de sintaxe no robots.txt"),
    why: text(
        "Crawlers silently skip lines that they can't parse, so a rule that you rely on may have no effect.",
        "Os robôs pulam em silêncio as linhas que não conseguem interpretar; uma regra em que você confia pode não ter efeito.",
    ),
    how: text("Write `Key: value`, and begin paths with `/`.", "Escreva `Chave: valor` e comece os caminhos com `/`."),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2",
    rule: text(
        "Fails on a line without a colon, an empty `User-agent`, a rule before any `User-agent`, a path that begins neither with `/` nor with `*`, a `$` inside a path, an unknown key, and a misspelled key that only Google accepts (`disalow`, `useragent`, `site-map`). Comments, empty lines, empty paths and known keys that Google ignores pass.",
        "Falha com uma linha sem dois-pontos, um `User-agent` vazio, uma regra antes de qualquer `User-agent`, um caminho que não começa com `/` nem com `*`, um `$` no meio do caminho, uma chave desconhecida e uma chave com erro de escrita que só o Google aceita (`disalow`, `useragent`, `site-map`). Comentários, linhas vazias, caminhos vazios e chaves conhecidas que o Google ignora passam.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Deterministic, FixTarget::File),
    since: FIRST,
    run: syntax_error,
};

const UNSUPPORTED: Check = Check {
    code: "robots_txt_unsupported_rule",
    severity: Severity::Info,
    impact: Impact::Hygiene,
    title: text("robots.txt rules that Google ignores", "Regras do robots.txt que o Google ignora"),
    why: text(
        "Google has ignored noindex in robots.txt since 2019, and a crawl-delay does not slow it down.",
        "O Google ignora noindex no robots.txt desde 2019, e um crawl-delay não reduz o ritmo dele.",
    ),
    how: text(
        "Use noindex in a meta tag or an `X-Robots-Tag` header. Keep the other lines only for crawlers that read them.",
        "Use noindex em uma meta tag ou no cabeçalho `X-Robots-Tag`. Mantenha as outras linhas só para robôs que as leem.",
    ),
    reference: "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec#syntax",
    rule: text(
        "Fails on lines with a key that no crawler reads any more (`noindex`, `nofollow`, `noarchive`, `revisit-after`, `cache-delay`) or that only other crawlers read (`crawl-delay`, `host`, `clean-param`, `request-rate`, `visit-time`). Lines for other programs (`content-signal`, `content-usage`, `license`) pass.",
        "Falha com linhas cuja chave nenhum robô lê mais (`noindex`, `nofollow`, `noarchive`, `revisit-after`, `cache-delay`) ou que só outros robôs leem (`crawl-delay`, `host`, `clean-param`, `request-rate`, `visit-time`). Linhas para outros programas (`content-signal`, `content-usage`, `license`) passam.",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: unsupported,
};

const TOO_LARGE: Check = Check {
    code: "robots_txt_too_large",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("robots.txt larger than 500 KB", "robots.txt com mais de 500 KB"),
    why: text(
        "Google reads only the first 500 KB of robots.txt and ignores the rules after that.",
        "O Google lê só os primeiros 500 KB do robots.txt e ignora as regras depois disso.",
    ),
    how: text(
        "Combine rules with `*`, and block folders instead of single pages.",
        "Combine regras com `*` e bloqueie pastas em vez de páginas isoladas.",
    ),
    reference: "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec",
    rule: text(
        "Fails when robots.txt, decoded, is longer than 500 KB (512,000 bytes). Other checks judge only the complete lines within that limit, as Google does.",
        "Falha quando o robots.txt, decodificado, passa de 500 KB (512.000 bytes). As outras verificações avaliam só as linhas completas dentro desse limite, como o Google.",
    ),
    thresholds: &[threshold("most_bytes", ROBOTS_BYTES as u64, "bytes")],
    remedy: remedy(FixClass::Instruction, FixTarget::File),
    since: WHOLE,
    run: too_large,
};

/// A line as it should be. A sitemap's address is written out whole with it: else one correction would undo the other.
fn corrected(facts: &Facts<'_>, problem: &LineProblem) -> Option<String> {
    let line = problem.corrected.clone()?;
    let value = line.strip_prefix("Sitemap: ").map(str::to_owned);
    Some(value.and_then(|value| whole_line(facts, &value)).unwrap_or(line))
}

fn syntax_error(facts: &Facts<'_>) -> Verdict {
    let file = found(facts)?;
    let Some(first) = file.problems.first() else { return PASS };
    let what = match first.kind {
        ProblemKind::NoColon => text("it has no colon", "falta o sinal de dois-pontos"),
        ProblemKind::EmptyAgent => text("its User-agent has no value", "o User-agent não tem valor"),
        ProblemKind::RuleBeforeAgent => {
            text("its rule comes before any User-agent", "a regra vem antes de qualquer User-agent")
        }
        ProblemKind::PathStart => text("its path does not begin with /", "o caminho não começa com /"),
        ProblemKind::DollarInside => text("its path has a $ before the end", "o caminho tem um $ antes do fim"),
        ProblemKind::Misspelled => text("its key is misspelled", "a chave está incorreta"),
        ProblemKind::UnknownKey => text("its key is unknown", "a chave é desconhecida"),
    };
    let values =
        [("count", file.problems.len().into()), ("line", first.line.into()), ("text", first.text.as_str().into())];
    const ERRORS: Text = text(
        "robots.txt has {count} {count|line|lines} with errors. Line {line} is wrong because {what}: {text}",
        "O robots.txt tem {count} {count|linha|linhas} com erro. A linha {line} está errada porque {what}: {text}",
    );
    let changes: Option<Vec<FileChange>> =
        file.problems.iter().map(|problem| Some(FileChange::Line(problem.line, corrected(facts, problem)?))).collect();
    let fix = match changes {
        Some(changes) => {
            const CORRECTED: Text = text("the site's own file, corrected", "o arquivo do próprio site, corrigido");
            FixDraft::file_changes(PATH, &file.text, changes).from(CORRECTED, &[])
        }
        None => {
            const LINES: Text =
                text("Correct these lines of robots.txt: {lines}.", "Corrija estas linhas do robots.txt: {lines}.");
            let lines: Vec<String> = file.problems.iter().take(20).map(|problem| problem.line.to_string()).collect();
            FixDraft::instruction(FixTarget::File, LINES, &[("lines", lines.join(", ").into())])
        }
    };
    let mut found = problem(ERRORS, &values, fix);
    // The kind differs by language, so it is filled in after the values.
    found.message.en = found.message.en.replace("{what}", what.en);
    found.message.pt = found.message.pt.replace("{what}", what.pt);
    found.at(file.problems.iter().map(|line| place(facts, Some(line.line), Some(line.text.clone())))).fail()
}

fn unsupported(facts: &Facts<'_>) -> Verdict {
    let file = found(facts)?;
    let mut ignored: Vec<(Readers, u32, &str)> = file
        .unsupported
        .iter()
        .filter_map(|(line, text)| Some((readers(text)?, *line, text.as_str())))
        .filter(|(readers, _, _)| *readers != Readers::Policy)
        .collect();
    // What nobody reads is what somebody relies on in vain.
    ignored.sort_by_key(|(readers, line, _)| (*readers == Readers::Others, *line));
    let Some((first, line, shown)) = ignored.first() else { return PASS };
    const NOBODY: Text = text(
        "{count|Google and all other crawlers ignore line {line} of robots.txt|Google ignores {count} lines of robots.txt; no crawler reads line {line}}: {text}",
        "{count|O Google e todos os outros robôs ignoram a linha {line} do robots.txt|O Google ignora {count} linhas do robots.txt; nenhum robô lê a linha {line}}: {text}",
    );
    const OTHERS: Text = text(
        "Google ignores {count|line {line} of robots.txt, which other crawlers may read|{count} lines of robots.txt that other crawlers may read; the first is line {line}}: {text}",
        "O Google ignora {count|a linha {line} do robots.txt, que outros robôs podem ler|{count} linhas do robots.txt que outros robôs podem ler; a primeira é a linha {line}}: {text}",
    );
    const MOVE: Text = text(
        "Remove the lines that no crawler reads. Use a robots meta tag or an X-Robots-Tag header for noindex, nofollow or noarchive instead.",
        "Remova as linhas que nenhum robô lê. Para noindex, nofollow ou noarchive, use uma meta tag robots ou o cabeçalho X-Robots-Tag.",
    );
    const KEEP: Text = text(
        "Keep these lines only if the crawlers that read them matter to you.",
        "Mantenha essas linhas só se os robôs que as leem importam para você.",
    );
    let (message, note) = if *first == Readers::Nobody { (NOBODY, MOVE) } else { (OTHERS, KEEP) };
    let values = [("count", ignored.len().into()), ("line", (*line).into()), ("text", (*shown).into())];
    let places = ignored.iter().map(|(_, line, text)| place(facts, Some(*line), Some((*text).to_owned())));
    problem(message, &values, FixDraft::instruction(FixTarget::File, note, &[])).at(places).fail()
}

fn too_large(facts: &Facts<'_>) -> Verdict {
    let file = found(facts)?;
    if !file.truncated {
        return PASS;
    }
    const REST: Text = text(
        "robots.txt is longer than 500 KB; Google ignores line {line} and everything after it.",
        "O robots.txt passa de 500 KB; o Google ignora a linha {line} e tudo o que vem depois.",
    );
    const JOIN: Text = text(
        "Reduce robots.txt to less than 500 KB: block folders instead of pages, and combine rules with *.",
        "Reduza o robots.txt a menos de 500 KB: bloqueie pastas em vez de páginas e combine regras com *.",
    );
    let line = file.text.lines().count() + 1;
    let place = place(facts, u32::try_from(line).ok(), None);
    let fix = FixDraft::instruction(FixTarget::File, JOIN, &[]);
    problem(REST, &[("line", line.into())], fix).at([place]).fail()
}
