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
    text("the address ends in .gz, but the file is not gzip", "o endereço termina em .gz, mas o arquivo não é gzip");
pub(super) const NOT_UTF8: Text = text("the bytes are not UTF-8", "os bytes não são UTF-8");
pub(super) const HTML: Text = text("a web page came instead of a sitemap", "veio uma página web em vez de um sitemap");
pub(super) const DOCTYPE: Text = text(
    "the file declares a document type; a sitemap has none",
    "o arquivo declara um tipo de documento; um sitemap não tem nenhum",
);
pub(super) const ROOT: Text = text(
    "the first element is <{found}>; a sitemap begins with <urlset> or <sitemapindex>",
    "o primeiro elemento é <{found}>; um sitemap começa com <urlset> ou <sitemapindex>",
);
pub(super) const NAMESPACE: Text = text(
    "the namespace is {found}; it must be http://www.sitemaps.org/schemas/sitemap/0.9",
    "o namespace é {found}; deve ser http://www.sitemaps.org/schemas/sitemap/0.9",
);
pub(super) const NO_NAMESPACE: Text = text(
    "the first element lacks the namespace http://www.sitemaps.org/schemas/sitemap/0.9",
    "falta ao primeiro elemento o namespace http://www.sitemaps.org/schemas/sitemap/0.9",
);
pub(super) const TOO_DEEP: Text = text(
    "elements are nested or have attributes far beyond what a sitemap needs",
    "há elementos aninhados ou com atributos muito além do que um sitemap precisa",
);
pub(super) const CHARACTER: Text =
    text("there is a control character that XML does not allow", "há um caractere de controle que o XML não permite");
pub(super) const NAME: Text = text("{found} is not a valid name in XML", "{found} não é um nome válido em XML");
pub(super) const ATTRIBUTE: Text =
    text("the attributes of this tag can't be read", "os atributos desta tag não podem ser lidos");
pub(super) const ENTITY: Text = text(
    "&{found}; is not defined; XML knows &amp;, &lt;, &gt;, &quot;, &apos; and character numbers",
    "&{found}; não está definida; o XML conhece &amp;, &lt;, &gt;, &quot;, &apos; e números de caracteres",
);
pub(super) const AMPERSAND: Text =
    text("a bare & stands in the text; write &amp;", "há um & solto no texto; escreva &amp;");
pub(super) const COMMENT: Text = text(
    "there is -- inside a comment, which XML does not allow",
    "há -- dentro de um comentário, o que o XML não permite",
);
pub(super) const DECLARATION: Text = text(
    "the XML declaration is not whole, or not at the very start",
    "a declaração XML não está completa, ou não está bem no início",
);
pub(super) const END_TAG: Text =
    text("the end tag </{found}> has no start tag", "a tag de fim </{found}> não tem tag de início");
pub(super) const UNCLOSED: Text =
    text("the file ends before <{found}> is closed", "o arquivo termina antes de <{found}> ser fechado");
pub(super) const MARKUP: Text =
    text("the markup that begins here never ends", "a marcação que começa aqui nunca termina");
pub(super) const OUTSIDE: Text =
    text("there is content outside the first element", "há conteúdo fora do primeiro elemento");
pub(super) const SECTION_END: Text = text("]]> stands in the text; write ]]&gt;", "há ]]> no texto; escreva ]]&gt;");
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
