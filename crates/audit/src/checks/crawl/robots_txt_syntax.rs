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
            "Validate robots.txt line by line: syntax errors, misspelled keys, rules that Google ignores, and files too large to be read whole.",
            "Valide o robots.txt linha por linha: erros de sintaxe, chaves erradas, regras que o Google ignora e arquivos grandes demais.",
        ),
        lead: text(
            "Crawlers skip what they can't read and tell nobody. This tool reads robots.txt as Google's parser does, names every line that goes wrong and corrects those with only one reading.",
            "Os robôs pulam o que não conseguem ler e não avisam ninguém. Esta ferramenta lê o robots.txt como o leitor do Google, aponta cada linha errada e corrige as que só têm uma leitura possível.",
        ),
        example: include_str!("robots_txt_syntax/bad_syntax.http"),
    },
    checks: &[SYNTAX_ERROR, UNSUPPORTED, TOO_LARGE],
};

const SYNTAX_ERROR: Check = Check {
    code: "robots_txt_syntax_error",
    severity: Severity::Warn,
    impact: Impact::Indexing,
    title: text("Lines of robots.txt that can't be read", "Linhas do robots.txt que não podem ser lidas"),
    why: text(
        "Crawlers skip lines they can't read, without a word; a rule you rely on may not be there.",
        "Os robôs pulam linhas que não conseguem ler, sem aviso; uma regra em que você confia pode não existir.",
    ),
    how: text("Write `Key: value`, and begin paths with `/`.", "Escreva `Chave: valor`, e comece os caminhos com `/`."),
    reference: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2",
    rule: text(
        "Fails on a line without a colon, an empty `User-agent`, a rule before any `User-agent`, a path that is not empty and begins neither with `/` nor with `*`, a `$` inside a path, and a key that nobody knows or that Google reads only out of kindness (`disalow`, `useragent`, `site-map`). Comments, empty lines and known keys that Google ignores pass.",
        "Falha com uma linha sem dois-pontos, um `User-agent` vazio, uma regra antes de qualquer `User-agent`, um caminho não vazio que não começa com `/` nem com `*`, um `$` no meio do caminho e uma chave desconhecida ou que o Google só lê por gentileza (`disalow`, `useragent`, `site-map`). Comentários, linhas vazias e chaves conhecidas que o Google ignora passam.",
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
    title: text("Rules of robots.txt that Google ignores", "Regras do robots.txt que o Google ignora"),
    why: text(
        "A noindex in robots.txt hides nothing since 2019, and a crawl-delay does not slow Google down.",
        "Um noindex no robots.txt não esconde nada desde 2019, e um crawl-delay não torna o Google mais lento.",
    ),
    how: text(
        "Say noindex in a meta tag or an `X-Robots-Tag` header; keep the rest only for crawlers that read it.",
        "Diga noindex em uma meta tag ou no cabeçalho `X-Robots-Tag`; mantenha o resto só para robôs que o leem.",
    ),
    reference: "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec#syntax",
    rule: text(
        "Fails on lines with a key that no crawler reads any more (`noindex`, `nofollow`, `noarchive`, `revisit-after`, `cache-delay`) or that only other crawlers read (`crawl-delay`, `host`, `clean-param`, `request-rate`, `visit-time`). Statements for other readers (`content-signal`, `content-usage`, `license`) pass.",
        "Falha com linhas cuja chave nenhum robô lê mais (`noindex`, `nofollow`, `noarchive`, `revisit-after`, `cache-delay`) ou que só outros robôs leem (`crawl-delay`, `host`, `clean-param`, `request-rate`, `visit-time`). Declarações para outros leitores (`content-signal`, `content-usage`, `license`) passam.",
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
    title: text("robots.txt larger than crawlers read", "O robots.txt é maior do que os robôs leem"),
    why: text(
        "Google reads the first 500 KiB: rules behind them do not exist for it.",
        "O Google lê os primeiros 500 KiB: as regras depois deles não existem para ele.",
    ),
    how: text(
        "Join rules with `*` and forbid folders instead of single pages.",
        "Junte regras com `*` e proíba pastas em vez de páginas isoladas.",
    ),
    reference: "https://developers.google.com/crawling/docs/robots-txt/robots-txt-spec",
    rule: text(
        "Fails when robots.txt, decoded, is longer than 500 KiB. What checks say of its rules then concerns the whole lines within that limit, as for Google.",
        "Falha quando o robots.txt, decodificado, passa de 500 KiB. O que as verificações dizem das regras vale então para as linhas inteiras dentro do limite, como para o Google.",
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
        ProblemKind::NoColon => text("there is no colon", "falta o dois-pontos"),
        ProblemKind::EmptyAgent => text("User-agent has no value", "User-agent não tem valor"),
        ProblemKind::RuleBeforeAgent => {
            text("the rule stands before any User-agent", "a regra vem antes de qualquer User-agent")
        }
        ProblemKind::PathStart => text("the path does not begin with /", "o caminho não começa com /"),
        ProblemKind::DollarInside => text("$ stands inside the path", "há um $ no meio do caminho"),
        ProblemKind::Misspelled => text("the key is misspelled", "a chave está escrita errado"),
        ProblemKind::UnknownKey => text("the key is not known", "a chave não é conhecida"),
    };
    let values =
        [("count", file.problems.len().into()), ("line", first.line.into()), ("text", first.text.as_str().into())];
    let message = Text {
        en: "{count} {count|line|lines} of robots.txt can't be read as meant; on line {line}, {what}: {text}",
        pt: "{count} {count|linha|linhas} do robots.txt não {count|pode|podem} ser {count|lida|lidas} como se quis; na linha {line}, {what}: {text}",
    };
    let changes: Option<Vec<FileChange>> =
        file.problems.iter().map(|problem| Some(FileChange::Line(problem.line, corrected(facts, problem)?))).collect();
    let fix = match changes {
        Some(changes) => {
            const CORRECTED: Text = text("the site's own file, corrected", "o arquivo do próprio site, corrigido");
            FixDraft::file_changes(PATH, &file.text, changes).from(CORRECTED, &[])
        }
        None => {
            const LINES: Text = text("Correct these lines: {lines}.", "Corrija estas linhas: {lines}.");
            let lines: Vec<String> = file.problems.iter().take(20).map(|problem| problem.line.to_string()).collect();
            FixDraft::instruction(FixTarget::File, LINES, &[("lines", lines.join(", ").into())])
        }
    };
    let mut found = problem(message, &values, fix);
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
        "Google ignores {count} {count|line|lines} of robots.txt; no crawler reads line {line}: {text}",
        "O Google ignora {count} {count|linha|linhas} do robots.txt; nenhum robô lê a linha {line}: {text}",
    );
    const OTHERS: Text = text(
        "Google ignores {count} {count|line|lines} of robots.txt that other crawlers may read; line {line}: {text}",
        "O Google ignora {count} {count|linha|linhas} do robots.txt que outros robôs podem ler; linha {line}: {text}",
    );
    const MOVE: Text = text(
        "Drop the lines that nobody reads, and say noindex, nofollow or noarchive in a robots meta tag or X-Robots-Tag header of the pages meant.",
        "Tire as linhas que ninguém lê e diga noindex, nofollow ou noarchive em uma meta tag robots ou cabeçalho X-Robots-Tag das páginas em questão.",
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
        "robots.txt is longer than 500 KiB; line {line} and all after it are ignored.",
        "O robots.txt passa de 500 KiB; a linha {line} e todas depois dela são ignoradas.",
    );
    const JOIN: Text = text(
        "Bring robots.txt below 500 KiB: forbid folders instead of pages, and join rules with *.",
        "Reduza o robots.txt a menos de 500 KiB: proíba pastas em vez de páginas e junte regras com *.",
    );
    let line = file.text.lines().count() + 1;
    let place = place(facts, u32::try_from(line).ok(), None);
    let fix = FixDraft::instruction(FixTarget::File, JOIN, &[]);
    problem(REST, &[("line", line.into())], fix).at([place]).fail()
}
