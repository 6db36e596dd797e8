//! What makes a file no sitemap: where it shows, and a sentence for a person.

use model::lang::{Phrase, Text, Value, text};

/// Characters kept of a name or address that a sentence quotes.
const QUOTED_CHARACTERS: usize = 120;

/// The first thing in a file that a reader of sitemaps stops at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapFault {
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// What is wrong there: a clause without a full stop.
    pub what: Phrase,
}

impl SitemapFault {
    /// A fault at a byte of the decoded text; past its end counts as its end.
    pub(super) fn at(source: &str, offset: usize, what: Phrase) -> Self {
        let mut end = offset.min(source.len());
        while !source.is_char_boundary(end) {
            end -= 1;
        }
        let before = source.get(..end).unwrap_or_default();
        // CR, LF and CRLF each end one line (XML 1.0 §2.11).
        let ends = before.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count() - before.matches("\r\n").count();
        let last = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let column = before.get(last..).unwrap_or_default().chars().count() + 1;
        Self { line: number(ends + 1), column: number(column), what }
    }

    /// A fault of the file as a whole.
    pub(super) fn of_file(what: Text) -> Self {
        Self { line: 1, column: 1, what: what.into() }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A clause that quotes something of the file, shortened.
pub(super) fn quoting(what: Text, found: &str) -> Phrase {
    let found: String = found.chars().take(QUOTED_CHARACTERS).collect();
    what.phrase(&[("found", Value::Text(found))])
}

pub(super) const EMPTY: Text = text("the file is empty", "o arquivo está vazio");
pub(super) const BAD_GZIP: Text = text("the file is not valid gzip", "o arquivo não é um gzip válido");
pub(super) const NOT_GZIP: Text =
    text("the URL ends in .gz, but the file is not gzip", "a URL termina em .gz, mas o arquivo não é gzip");
pub(super) const NOT_UTF8: Text = text("the file is not valid UTF-8", "o arquivo não é UTF-8 válido");
pub(super) const HTML: Text =
    text("the server sent an HTML page instead of a sitemap", "o servidor enviou uma página HTML em vez de um sitemap");
pub(super) const DOCTYPE: Text = text(
    "the file declares a DOCTYPE, which a sitemap must not have",
    "o arquivo declara um DOCTYPE, que um sitemap não deve ter",
);
pub(super) const ROOT: Text = text(
    "the root element is <{found}>; it must be <urlset> or <sitemapindex>",
    "o elemento raiz é <{found}>; deve ser <urlset> ou <sitemapindex>",
);
pub(super) const NAMESPACE: Text = text(
    "the namespace is {found}; it must be http://www.sitemaps.org/schemas/sitemap/0.9",
    "o namespace é {found}; deve ser http://www.sitemaps.org/schemas/sitemap/0.9",
);
pub(super) const NO_NAMESPACE: Text = text(
    "the root element lacks the namespace http://www.sitemaps.org/schemas/sitemap/0.9",
    "falta ao elemento raiz o namespace http://www.sitemaps.org/schemas/sitemap/0.9",
);
pub(super) const TOO_DEEP: Text = text(
    "elements are nested too deeply or have too many attributes for a sitemap",
    "há elementos aninhados demais ou com atributos demais para um sitemap",
);
pub(super) const CHARACTER: Text =
    text("there is a control character that XML does not allow", "há um caractere de controle que o XML não permite");
pub(super) const NAME: Text = text("{found} is not a valid XML name", "{found} não é um nome XML válido");
pub(super) const ATTRIBUTE: Text =
    text("the attributes of this tag are malformed", "os atributos desta tag estão malformados");
pub(super) const ENTITY: Text = text(
    "&{found}; is not defined; XML defines &amp;, &lt;, &gt;, &quot;, &apos; and numeric references",
    "&{found}; não está definida; o XML define &amp;, &lt;, &gt;, &quot;, &apos; e referências numéricas",
);
pub(super) const AMPERSAND: Text =
    text("the text has an unescaped &; write &amp;", "o texto tem um & sem escape; escreva &amp;");
pub(super) const COMMENT: Text =
    text("a comment contains --, which XML does not allow", "um comentário contém --, o que o XML não permite");
pub(super) const DECLARATION: Text = text(
    "the XML declaration is incomplete, or not at the very start",
    "a declaração XML está incompleta, ou não está bem no início",
);
pub(super) const END_TAG: Text =
    text("the end tag </{found}> has no start tag", "a tag de fechamento </{found}> não tem tag de abertura");
pub(super) const UNCLOSED: Text =
    text("the file ends before <{found}> is closed", "o arquivo termina antes de <{found}> ser fechado");
pub(super) const MARKUP: Text =
    text("the markup that begins here is never closed", "a marcação que começa aqui nunca é fechada");
pub(super) const OUTSIDE: Text = text("there is content outside the root element", "há conteúdo fora do elemento raiz");
pub(super) const SECTION_END: Text = text("the text contains ]]>; write ]]&gt;", "o texto contém ]]>; escreva ]]&gt;");
pub(super) const NOT_URL: Text =
    text("this line is not an absolute URL: {found}", "esta linha não é uma URL absoluta: {found}");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let place = |source: &str, offset| {
            let fault = SitemapFault::at(source, offset, EMPTY.into());
            (fault.line, fault.column)
        };
        assert_eq!(place("", 0), (1, 1));
        assert_eq!(place("a\r\nb\rc\nde", 8), (4, 2));
        assert_eq!(place("éé<", 4), (1, 3));
        assert_eq!(place("éé<", 3), (1, 2));
        assert_eq!(place("a\n", 99), (2, 1));
    }
}
