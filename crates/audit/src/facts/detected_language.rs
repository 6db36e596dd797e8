//! The language that a text is written in, by its letters and its smallest words; told only where it is clear.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::word_set::WordSet;
use super::writing_system::{LetterCounts, WritingSystem};

/// Small words by language; the file says what its columns mean.
const FUNCTION_WORDS: &str = include_str!("../data/function_words.tsv");

/// Words of a text from which on its language is told; of a shorter one only whether it fits a declared one.
pub(crate) const LEAST_WORDS: usize = 200;
/// Words of a text below which nothing is said of its language.
pub(crate) const SHORT_WORDS: usize = 60;
/// Words that are looked at.
const SAMPLED_WORDS: usize = 800;
/// Characters that are looked at.
const SAMPLED_CHARACTERS: usize = 12_000;
/// Characters of a text without spaces that stand for [`LEAST_WORDS`].
const LEAST_CHARACTERS: usize = 400;
/// Characters of a text without spaces that stand for [`SHORT_WORDS`].
const SHORT_CHARACTERS: usize = 150;
/// Of 100 letters, those that one script has at least.
const SCRIPT_SHARE: usize = 85;
/// Of 100 words, those of a language's list that a text in it has at least: running text has 25 to 45.
const WORD_SHARE: usize = 16;
/// The same of a short text, of which a heading and a menu may be a third.
pub(crate) const SHORT_WORD_SHARE: usize = 24;
/// Of 100 words, those of the declared language's list from which on nothing else is asked.
const FITTING_SHARE: usize = 28;
/// Of 100 points of the best language, those that any other may have. A word gives the fewer points, the more languages
/// have it: related languages share many words.
const MOST_OF_ANOTHER: usize = 45;
/// The same in a short text.
const MOST_OF_ANOTHER_IN_SHORT: usize = 30;
/// Points of a word that one language alone has.
const POINTS: usize = 60;

/// One language, or several that can't be told apart.
#[derive(Debug)]
struct Language {
    codes: &'static str,
    script: WritingSystem,
}

impl Language {
    fn is(&self, code: &str) -> bool {
        self.codes.split(' ').any(|known| known == code)
    }
}

/// Function words by language, read once.
#[derive(Debug, Default)]
struct WordTable {
    languages: Vec<Language>,
    /// Places in `languages`.
    of_word: HashMap<&'static str, Vec<usize>>,
    /// The words, by which most others are told to be none of them before they are looked up.
    words: WordSet,
}

static TABLE: LazyLock<WordTable> = LazyLock::new(|| {
    let mut table = WordTable::default();
    let lines = FUNCTION_WORDS.lines().filter(|line| !line.starts_with('#'));
    for (codes, words) in lines.filter_map(|line| line.split_once('\t')) {
        let script = match codes {
            // Japanese has letters of both kinds, and is known by its own.
            "ja" => WritingSystem::Kana,
            _ => words.chars().find(|c| c.is_alphabetic()).map_or(WritingSystem::Other, WritingSystem::of),
        };
        for word in words.split(' ') {
            table.of_word.entry(word).or_default().push(table.languages.len());
        }
        table.languages.push(Language { codes, script });
    }
    table.words = WordSet::of(table.of_word.keys().copied());
    table
});

/// Whether a word, in lower case, is one of the small words of a language, which say nothing of a subject.
pub(crate) fn is_function_word(word: &str) -> bool {
    TABLE.words.may_contain(word) && TABLE.of_word.contains_key(word)
}

/// What a text says of its language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LanguageFit {
    /// It is written in the language that was asked about, or may be.
    Fits,
    /// It is plainly written in another one.
    Other(&'static str),
    /// Too short, mixed, or in a language that is not known here.
    Unclear,
}

/// The language of a text, where it is clear.
pub(crate) fn detect(sample: Option<&Sample>) -> Option<&'static str> {
    let best = sample.filter(|sample| !sample.is_short)?.best()?;
    (!best.codes.contains(' ')).then_some(best.codes)
}

/// Whether a text is plainly written in another language than a tag says.
pub(crate) fn contradicts(sample: Option<&Sample>, language: &str) -> bool {
    matches!(compare(sample, language), LanguageFit::Other(_))
}

/// Whether a text is written in a language.
pub(crate) fn compare(sample: Option<&Sample>, language: &str) -> LanguageFit {
    let code = same_code(language);
    let declared = TABLE.languages.iter().position(|language| language.is(code));
    let (Some(declared), Some(sample)) = (declared, sample) else { return LanguageFit::Unclear };
    // A text has a good share of its own language's words: then nothing else is asked.
    let is_of_script = TABLE.languages.get(declared).is_some_and(|language| language.script == sample.script);
    if is_of_script && sample.hits(declared) * 100 >= FITTING_SHARE * sample.size {
        return LanguageFit::Fits;
    }
    match sample.best() {
        Some(best) if best.is(code) => LanguageFit::Fits,
        Some(best) if !best.codes.contains(' ') => LanguageFit::Other(best.codes),
        _ => LanguageFit::Unclear,
    }
}

/// A code in the form of the table: some languages have had two.
fn same_code(language: &str) -> &str {
    match language {
        "iw" => "he",
        "in" => "id",
        other => other,
    }
}

/// What the part of a text that is looked at speaks for.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    script: WritingSystem,
    /// Too short for more than a comparison with what is declared.
    pub(crate) is_short: bool,
    /// Words, or letters where words have no spaces between.
    size: usize,
    /// For each language of the table: its words, and its points.
    found: Vec<(usize, usize)>,
}

impl Sample {
    pub(super) fn of(text: &str, words: usize) -> Option<Self> {
        // The head of a page is its menu: the middle says more of its language.
        let characters = text.len();
        let start = if characters > 3 * SAMPLED_CHARACTERS { characters / 3 } else { 0 };
        let start = (start..characters).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let mut behind = text.get(start..)?.chars();
        behind.nth(SAMPLED_CHARACTERS - 1);
        let part = text.get(start..characters - behind.as_str().len())?;
        let counts = LetterCounts::of(part);
        let letters = counts.all;
        let is_most = |count: usize| letters > 0 && count * 100 >= SCRIPT_SHARE * letters;
        let japanese = counts.of_script(WritingSystem::Kana) + counts.of_script(WritingSystem::Han);
        let script = match WritingSystem::ALL.into_iter().find(|script| is_most(counts.of_script(*script))) {
            Some(script) => script,
            None if is_most(japanese) => WritingSystem::Kana,
            None => return None,
        };
        let is_spaced = !matches!(script, WritingSystem::Kana | WritingSystem::Han | WritingSystem::Thai);
        let (length, least, short) =
            if is_spaced { (words, LEAST_WORDS, SHORT_WORDS) } else { (letters, LEAST_CHARACTERS, SHORT_CHARACTERS) };
        if length < short || script == WritingSystem::Other {
            return None;
        }
        let is_short = length < least;
        let split = part.split(|c: char| !c.is_alphabetic() && !is_mark(c)).filter(|word| !word.is_empty());
        let mut found = vec![(0, 0); TABLE.languages.len()];
        let mut size = 0;
        for word in split.take(if is_spaced { SAMPLED_WORDS } else { 0 }) {
            size += 1;
            let is_lower = word.bytes().all(|byte| byte.is_ascii_lowercase());
            let lower = if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) };
            if !TABLE.words.may_contain(&lower) {
                continue;
            }
            let Some(all) = TABLE.of_word.get(&*lower) else { continue };
            let is_of_script = |place: &&usize| TABLE.languages.get(**place).is_some_and(|one| one.script == script);
            let sharing = all.iter().filter(is_of_script).count();
            for place in all.iter().filter(is_of_script) {
                if let Some((hits, points)) = found.get_mut(*place) {
                    *hits += 1;
                    *points += POINTS / sharing;
                }
            }
        }
        Some(Self { script, is_short, size: if size == 0 { letters } else { size }, found })
    }

    /// How much of the sample speaks for a language of its script.
    fn hits(&self, language: usize) -> usize {
        // A script of one language says it all.
        let is_alone = matches!(
            self.script,
            WritingSystem::Greek
                | WritingSystem::Hebrew
                | WritingSystem::Thai
                | WritingSystem::Kana
                | WritingSystem::Hangul
                | WritingSystem::Han
        );
        if is_alone { self.size } else { self.found.get(language).map_or(0, |(hits, _)| *hits) }
    }

    /// The language that is clearly ahead of all others.
    fn best(&self) -> Option<&'static Language> {
        let all = TABLE.languages.iter().zip(&self.found).enumerate();
        let mut ranked: Vec<(usize, usize, &'static Language)> = all
            .filter(|(_, (language, _))| language.script == self.script)
            .map(|(place, (language, (_, points)))| (*points, place, language))
            .collect();
        ranked.sort_by_key(|(points, _, _)| std::cmp::Reverse(*points));
        let (first, place, best) = *ranked.first()?;
        let second = ranked.get(1).map_or(0, |(points, _, _)| *points);
        let (least, most) =
            if self.is_short { (SHORT_WORD_SHARE, MOST_OF_ANOTHER_IN_SHORT) } else { (WORD_SHARE, MOST_OF_ANOTHER) };
        let is_clear = self.hits(place) * 100 >= least * self.size && second * 100 <= most * first;
        is_clear.then_some(best)
    }
}

/// Vowel signs are no letters, but parts of words.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{900}'..='\u{97F}' | '\u{64B}'..='\u{65F}' | '\u{5B0}'..='\u{5C7}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const EN: &str = "The bread that we bake is made from rye and wheat, and it is left to rise for a whole day. You can \
        buy it in our shop or order it by phone, and we will bring it to your house with the morning mail. ";
    const PT: &str = "O pão que fazemos é de centeio e trigo, e descansa por um dia inteiro antes de ir ao forno. Você pode \
        comprar na nossa loja ou pedir por telefone, e nós levamos até a sua casa com o correio da manhã. ";
    const ES: &str = "El pan que hacemos es de centeno y trigo, y descansa durante un día entero antes de ir al horno. Usted \
        lo puede comprar en la tienda o pedir por teléfono, y lo llevamos hasta su casa con el correo de la mañana. ";
    const DE: &str = "Das Brot, das wir backen, ist aus Roggen und Weizen, und der Teig ruht einen ganzen Tag, bevor er in den \
        Ofen kommt. Sie können es im Laden kaufen oder am Telefon bestellen, und wir bringen es mit der Post zu Ihnen. ";
    const FR: &str = "Le pain que nous faisons est de seigle et de blé, et la pâte repose pendant un jour avant d'aller au \
        four. Vous pouvez acheter le pain dans la boutique ou par téléphone, et nous le portons chez vous avec le courrier. ";
    const IT: &str = "Il pane che facciamo è di segale e di grano, e la pasta riposa per un giorno intero prima di andare nel \
        forno. Lo può comprare in negozio o ordinare per telefono, e lo portiamo a casa con la posta della mattina. ";
    const NL: &str = "Het brood dat we bakken is van rogge en tarwe, en het deeg rust een hele dag voor het in de oven gaat. Je \
        kunt het in de winkel kopen of per telefoon bestellen, en we brengen het met de post naar je huis. ";
    const RU: &str = "Хлеб, который мы печём, из ржи и пшеницы, и тесто отдыхает целый день, прежде чем идти в печь. Вы можете \
        купить его в магазине или заказать по телефону, и мы привезём его к вам домой с утренней почтой. ";

    fn detect(text: &str, words: usize) -> Option<&'static str> {
        super::detect(Sample::of(text, words).as_ref())
    }

    fn compare(text: &str, words: usize, language: &str) -> LanguageFit {
        super::compare(Sample::of(text, words).as_ref(), language)
    }

    fn read(text: &str) -> Option<&'static str> {
        let long = text.repeat(8);
        detect(&long, long.split(' ').count())
    }

    #[test]
    fn languages_with_words_of_their_own_are_told_apart() {
        for (text, language) in
            [(EN, "en"), (PT, "pt"), (ES, "es"), (DE, "de"), (FR, "fr"), (IT, "it"), (NL, "nl"), (RU, "ru")]
        {
            assert_eq!(read(text), Some(language), "{text}");
            let long = text.repeat(8);
            let words = long.split(' ').count();
            assert_eq!(compare(&long, words, language), LanguageFit::Fits);
            let other = if language == "en" { "pt" } else { "en" };
            assert_eq!(compare(&long, words, other), LanguageFit::Other(language));
        }
        assert_eq!(read("これはパンです。私たちはライ麦と小麦からパンを作ります。"), None);
        assert_eq!(detect(&"これはパンです。私たちはライ麦と小麦でパンを作ります。".repeat(20), 0), Some("ja"));
        assert_eq!(detect(&"我们用黑麦和小麦做面包，面团要休息一整天。".repeat(30), 0), Some("zh"));
    }

    #[test]
    fn what_is_short_mixed_or_unknown_is_unclear() {
        assert_eq!(detect(EN, 40), None);
        let mixed = format!("{}{}", EN.repeat(4), PT.repeat(4));
        assert_eq!(detect(&mixed, 300), None);
        assert_eq!(detect(&"Lorem ipsum dolor sit amet consectetur ".repeat(60), 360), None);
        let names = "Rye Wheat Spelt Oat Barley Corn Rice Millet ".repeat(60);
        assert_eq!(compare(&names, 480, "pt"), LanguageFit::Unclear);
        assert_eq!(compare(&EN.repeat(8), 320, "gl"), LanguageFit::Unclear);
        assert_eq!(compare("", 0, "en"), LanguageFit::Unclear);
    }

    #[test]
    fn plain_prose_of_few_articles_is_told_too() {
        const WALLS: [(&str, &str); 3] = [
            (
                "fr",
                "Les anciens murs du port ont été reconstruits trois fois après le tremblement de terre, et chaque fois les \
                 maçons ont pris des pierres sur les rives du fleuve, que l’on peut encore voir aujourd’hui. ",
            ),
            (
                "sv",
                "Hamnens gamla murar byggdes om tre gånger efter jordbävningen, och varje gång tog man stenar från flodens \
                 stränder som man fortfarande kan se i dag när man går längs kajen. ",
            ),
            (
                "ru",
                "Старые стены порта были перестроены три раза после землетрясения, и каждый раз мастера брали камни с \
                 берегов реки, которые можно увидеть и сегодня, если идти вдоль набережной. ",
            ),
        ];
        for (language, text) in WALLS {
            assert_eq!(read(text), Some(language), "{text}");
        }
    }

    #[test]
    fn a_short_text_is_compared_but_proposes_nothing() {
        for (text, language) in [(EN, "en"), (PT, "pt"), (ES, "es"), (DE, "de"), (FR, "fr")] {
            let short = text.repeat(2);
            let words = short.split(' ').count();
            assert!((SHORT_WORDS..LEAST_WORDS).contains(&words));
            assert_eq!(detect(&short, words), None);
            assert_eq!(compare(&short, words, language), LanguageFit::Fits);
            let other = if language == "en" { "pt" } else { "en" };
            assert_eq!(compare(&short, words, other), LanguageFit::Other(language), "{text}");
        }
        // Dutch shares more small words with English than a short text may.
        assert_eq!(compare(&NL.repeat(2), NL.repeat(2).split(' ').count(), "en"), LanguageFit::Unclear);
        let names = "Rye Wheat Spelt Oat Barley Corn Rice Millet ".repeat(10);
        assert_eq!(compare(&names, 80, "pt"), LanguageFit::Unclear);
        assert_eq!(compare(EN, 40, "pt"), LanguageFit::Unclear);
    }

    #[test]
    fn every_language_of_the_table_has_a_script_and_words() {
        for (place, language) in TABLE.languages.iter().enumerate() {
            let words = TABLE.of_word.values().filter(|all| all.contains(&place)).count();
            assert!(language.script != WritingSystem::Other && words >= 8, "{}", language.codes);
        }
        assert!(TABLE.languages.len() >= 12);
    }
}
