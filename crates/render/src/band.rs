//! The three bands of a score, those of Lighthouse, in words and colours.

use model::lang::{Text, text};

/// From this score on a page is good.
pub const GOOD: u32 = 90;
/// From this score on it needs work; below it is bad.
pub const FAIR: u32 = 50;

/// The sentence of a page that has no score.
pub const UNREACHED: Text = text("The page could not be reached.", "Não foi possível acessar a página.");

/// Band of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Band {
    /// 90 to 100.
    Good,
    /// 50 to 89.
    Fair,
    /// 0 to 49.
    Bad,
}

impl Band {
    /// The band of a score of 0 to 100.
    pub fn of(score: u32) -> Self {
        match score {
            GOOD.. => Self::Good,
            FAIR.. => Self::Fair,
            _ => Self::Bad,
        }
    }

    /// Its class in the style sheet.
    pub fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Fair => "warn",
            Self::Bad => "bad",
        }
    }

    /// A word or two.
    pub fn word(self) -> Text {
        match self {
            Self::Good => text("good", "bom"),
            Self::Fair => text("needs improvement", "precisa melhorar"),
            Self::Bad => text("bad", "ruim"),
        }
    }

    /// A sentence.
    pub fn verdict(self) -> Text {
        match self {
            Self::Good => text("No serious issues found.", "Nenhum problema sério encontrado."),
            Self::Fair => text("Some issues found.", "Alguns problemas encontrados."),
            Self::Bad => text("Serious issues found.", "Problemas sérios encontrados."),
        }
    }

    /// The colour of its shapes on white, red, green and blue: 3:1 at least, and 4.5:1 under white text.
    pub fn colour(self) -> [u8; 3] {
        match self {
            Self::Good => [0x1a, 0x7f, 0x37],
            Self::Fair => [0x9a, 0x67, 0x00],
            Self::Bad => [0xcf, 0x22, 0x2e],
        }
    }
}
