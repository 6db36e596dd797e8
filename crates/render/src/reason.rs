//! Why a check was not measured, in words: the words of `coverage`, for a person.

use model::lang::{Phrase, Text, text};

/// The reason of a code in `coverage`, in words; for a suppressed check, with the finding that suppresses it.
pub fn in_words(word: &str) -> Phrase {
    const SILENCED: Text = text("already reported by {code}", "já apontado por {code}");
    if let Some(code) = word.strip_prefix("silenced:") {
        return SILENCED.phrase(&[("code", code.into())]);
    }
    let sentence = match word {
        "fetch" => text("there is no response", "não há resposta"),
        "status" => text("the page did not respond with status 200", "a página não respondeu com status 200"),
        "html" => text("not an HTML document", "não é um documento HTML"),
        "challenge" => text("a firewall answered instead of the page", "um firewall respondeu no lugar da página"),
        "noindex" => text("the page asks not to be indexed", "a página pede para não ser indexada"),
        "trunc" => text("the page was cut off", "a página foi cortada"),
        "shell" => text("a script builds the page", "um script monta a página"),
        "robots" => text("robots.txt could not be read", "o robots.txt não pôde ser lido"),
        "sitemap" => text("not every sitemap was read to its end", "nem todo sitemap foi lido até o fim"),
        "probe" => text("the file could not be requested", "o arquivo não pôde ser requisitado"),
        "lang" => text("the language of the page is not known", "o idioma da página não é conhecido"),
        "crux" => text("there is no field data of real visitors", "não há dados de campo de visitantes reais"),
        "scheme" => text("does not apply to this kind of address", "não se aplica a este tipo de endereço"),
        "jsonld" => text("structured data could not be read", "há dados estruturados que não puderam ser lidos"),
        "misspelt" => text("the tag exists but is misspelled", "a tag existe, mas está incorreta"),
        "absent" => text("not applicable to this page", "não se aplica a esta página"),
        "offline" => text("nothing was fetched", "nada foi requisitado"),
        "defect" => text(
            "the check failed because of a bug in this program",
            "a verificação falhou por um defeito deste programa",
        ),
        _ => text("could not be examined", "não pôde ser examinado"),
    };
    sentence.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_words_of_its_own() {
        let unknown = in_words("unknown");
        let words = [
            "fetch",
            "status",
            "html",
            "challenge",
            "noindex",
            "trunc",
            "shell",
            "robots",
            "sitemap",
            "probe",
            "lang",
            "offline",
            "crux",
            "scheme",
            "jsonld",
            "misspelt",
            "absent",
            "defect",
            "silenced:title_missing",
        ];
        for word in words {
            assert_ne!(in_words(word), unknown, "{word}");
        }
    }

    #[test]
    fn a_silenced_check_names_the_finding_that_silences_it() {
        assert_eq!(in_words("silenced:title_missing").pt, "já apontado por title_missing");
    }
}
