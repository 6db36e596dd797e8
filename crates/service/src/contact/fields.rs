//! Fields of the contact form: their lengths, and what those with a choice take.

use model::lang::{Text, text};
use schemars::{Schema, json_schema};

/// Characters of a name at most.
pub const NAME_CHARS: usize = 120;
/// Characters of an address at most (RFC 5321 section 4.5.3.1.3).
pub const EMAIL_CHARS: usize = 254;
/// Characters of a message at most.
pub const MESSAGE_CHARS: usize = 8_000;
/// Characters of a company's name or of the address of a site at most. Chosen: longer than any that is meant.
pub const TEXT_CHARS: usize = 200;

/// One value of a field with a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// On the wire.
    pub word: &'static str,
    /// For people.
    pub label: Text,
}

const fn choice(word: &'static str, en: &'static str, pt: &'static str) -> Choice {
    Choice { word, label: text(en, pt) }
}

/// What is proposed (`tipo`).
pub const KINDS: [Choice; 3] = [
    choice("patrocinio", "sponsorship", "patrocínio"),
    choice("parceria", "partnership", "parceria"),
    choice("anuncio", "advertising", "anúncio"),
];

/// What it may cost (`orcamento`).
pub const BUDGETS: [Choice; 5] = [
    choice("ate_100", "up to 100 USD", "até US$ 100"),
    choice("100_500", "100 to 500 USD", "de US$ 100 a US$ 500"),
    choice("500_2000", "500 to 2,000 USD", "de US$ 500 a US$ 2.000"),
    choice("2000_mais", "more than 2,000 USD", "mais de US$ 2.000"),
    choice("a_combinar", "to be agreed", "a combinar"),
];

/// How long it lasts (`duracao`), in days.
pub const DURATIONS: [Choice; 3] =
    [choice("30", "30 days", "30 dias"), choice("90", "90 days", "90 dias"), choice("365", "365 days", "365 dias")];

/// How it is paid (`pagamento`).
pub const MEANS: [Choice; 3] = [
    choice("usdc", "USDC", "USDC"),
    choice("deposito", "bank transfer", "depósito"),
    choice("a_combinar", "to be agreed", "a combinar"),
];

/// The choice with this word.
pub(super) fn of_word(choices: &'static [Choice], word: &str) -> Option<&'static Choice> {
    choices.iter().find(|choice| choice.word == word)
}

/// The schema of a field with a choice.
fn schema_of(choices: &[Choice]) -> Schema {
    let words: Vec<&str> = choices.iter().map(|choice| choice.word).collect();
    json_schema!({"type": "string", "enum": words})
}

/// The schema of `tipo`.
pub(super) fn kinds(_: &mut schemars::SchemaGenerator) -> Schema {
    schema_of(&KINDS)
}

/// The schema of `orcamento`.
pub(super) fn budgets(_: &mut schemars::SchemaGenerator) -> Schema {
    schema_of(&BUDGETS)
}

/// The schema of `duracao`, which is taken as a number too.
pub(super) fn durations(_: &mut schemars::SchemaGenerator) -> Schema {
    let words: Vec<&str> = DURATIONS.iter().map(|choice| choice.word).collect();
    let numbers: Vec<u32> = words.iter().filter_map(|word| word.parse().ok()).collect();
    json_schema!({"anyOf": [{"type": "integer", "enum": numbers}, {"type": "string", "enum": words}]})
}

/// The schema of `pagamento`.
pub(super) fn means(_: &mut schemars::SchemaGenerator) -> Schema {
    schema_of(&MEANS)
}
