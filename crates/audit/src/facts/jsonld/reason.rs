//! What a JSON parser says of a block, in both languages.

use model::lang::{Phrase, Text, text};

/// The messages of `serde_json` that reading a `Value` can bring, and what they say to a person.
const KNOWN: [(&str, Text); 17] = [
    ("EOF while parsing a list", text("an array is not closed", "uma lista não é fechada")),
    ("EOF while parsing an object", text("an object is not closed", "um objeto não é fechado")),
    ("EOF while parsing a string", text("a text is not closed", "um texto não é fechado")),
    ("EOF while parsing a value", text("a value is missing at the end", "falta um valor no fim")),
    ("expected `:`", text("a colon is missing", "faltam dois-pontos")),
    ("expected `,` or `]`", text("a comma or ] is missing", "falta uma vírgula ou ]")),
    ("expected `,` or `}`", text("a comma or } is missing", "falta uma vírgula ou }")),
    ("expected ident", text("this is not a JSON value", "isto não é um valor JSON")),
    ("expected value", text("this is not a JSON value", "isto não é um valor JSON")),
    ("invalid escape", text("this escape sequence doesn't exist", "esta sequência de escape não existe")),
    ("invalid number", text("the number has an invalid format", "o número tem formato inválido")),
    ("number out of range", text("the number is too large", "o número é grande demais")),
    ("invalid unicode code point", text("this character doesn't exist", "este caractere não existe")),
    ("key must be a string", text("a name is not in quotation marks", "um nome não está entre aspas")),
    ("trailing comma", text("there is an extra comma", "há uma vírgula a mais")),
    (
        "trailing characters",
        text("there is extra text after the end of the block", "há texto a mais depois do fim do bloco"),
    ),
    ("recursion limit exceeded", text("it has too many nesting levels", "há níveis demais de aninhamento")),
];

/// A text with a raw line end or tab: the parser's own words name code points.
const CONTROL: Text = text(
    "a text contains a raw line break or control character",
    "um texto contém quebra de linha ou caractere de controle",
);
/// Escapes of half a character.
const SURROGATE: Text =
    text("an escape sequence is only half a character", "uma sequência de escape é só metade de um caractere");
/// What a newer parser may say.
const OTHER: Text = text("this is not JSON", "isto não é JSON");

/// The sentence for what the parser says, without its line and column.
pub(super) fn of_parser(message: &str) -> Phrase {
    let known = KNOWN.iter().find(|(english, _)| *english == message).map(|(_, text)| *text);
    let text = known.unwrap_or(match message {
        message if message.starts_with("control character") => CONTROL,
        message if message.contains("hex escape") => SURROGATE,
        _ => OTHER,
    });
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_defect_has_a_sentence_of_its_own() {
        for (block, pt) in [
            ("[", "uma lista não é fechada"),
            ("{", "um objeto não é fechado"),
            ("\"a", "um texto não é fechado"),
            ("", "falta um valor no fim"),
            ("{\"a\" 1}", "faltam dois-pontos"),
            ("[1 2]", "falta uma vírgula ou ]"),
            ("{\"a\": 1 \"b\"}", "falta uma vírgula ou }"),
            ("[tru]", "isto não é um valor JSON"),
            ("[x]", "isto não é um valor JSON"),
            ("\"\\q\"", "esta sequência de escape não existe"),
            ("[01]", "o número tem formato inválido"),
            ("{a: 1}", "um nome não está entre aspas"),
            ("[1,]", "há uma vírgula a mais"),
            ("{} {}", "há texto a mais depois do fim do bloco"),
            ("\"a\nb\"", "um texto contém quebra de linha ou caractere de controle"),
            ("\"\\ud800\"", "uma sequência de escape é só metade de um caractere"),
            (&"[".repeat(200), "há níveis demais de aninhamento"),
        ] {
            let message = serde_json::from_str::<serde_json::Value>(block).unwrap_err().to_string();
            let message = message.split(" at line ").next().unwrap();
            assert_eq!(of_parser(message).pt, pt, "{message}");
        }
    }
}
