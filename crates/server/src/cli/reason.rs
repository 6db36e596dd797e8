//! Why a check was not measured, in words.

use model::lang::{Phrase, Text, text};

use crate::pages::reason_text;

/// The words of `coverage`, for a person.
pub(super) fn in_words(reason: &str) -> Phrase {
    const SILENCED: Text = text("`{code}` is found, which says it already", "há `{code}`, que já o diz");
    if let Some(code) = reason.strip_prefix("silenced:") {
        return SILENCED.phrase(&[("code", code.into())]);
    }
    let said = match reason {
        // No page shows these: without a page there is no report.
        "fetch" => text("there is no response", "não há resposta"),
        "challenge" => text("a firewall answers instead of the page", "um firewall responde no lugar da página"),
        "absent" => text("there is nothing of the kind to look at", "não há nada do tipo para examinar"),
        reason => reason_text(reason),
    };
    said.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_words_of_its_own() {
        let unknown = in_words("unknown");
        for reason in
            ["fetch", "status", "html", "challenge", "noindex", "trunc", "shell", "robots", "sitemap", "probe"]
        {
            assert_ne!(in_words(reason), unknown, "{reason}");
        }
        for reason in ["lang", "offline", "scheme", "absent", "defect", "silenced:title_missing"] {
            assert_ne!(in_words(reason), unknown, "{reason}");
        }
    }
}
