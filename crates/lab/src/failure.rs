//! Why a lab test has no result, and the sentence for people.

use std::time::Duration;

use model::lang::{Phrase, Text, text};

/// The pause before a second try after trouble.
const TROUBLE_WAIT: Duration = Duration::from_secs(5);
/// The pause before a second try after a quota was used up, where the provider names none.
const QUOTA_WAIT: Duration = Duration::from_secs(30);
/// The longest pause that a provider may ask for; longer ones end the test.
const MOST_QUOTA_WAIT: Duration = Duration::from_secs(120);

/// Why a provider gave no result. None of them holds a key, a URL or a text of the provider's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The page could not be measured; another try of the same page ends the same way.
    #[error("the page could not be measured: {0}")]
    Page(PageFailure),
    /// The provider can't be used as it is set up. A stable word for the operator: `bad_key`, `forbidden`, `no_program`…
    #[error("the provider is not usable: {0}")]
    Unavailable(&'static str),
    /// The provider's quota is used up.
    #[error("the provider's quota is used up")]
    Quota {
        /// Seconds that the provider asks to wait.
        retry_after: Option<u32>,
    },
    /// The provider gave no usable answer. A stable word: `time`, `status_5xx`, `not_json`, `no_scores`, `ended`…
    #[error("the provider gave no usable answer: {0}")]
    Trouble(&'static str),
}

/// Why a page could not be measured: the code of Lighthouse, or [`PageFailure::UNKNOWN`] for what is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFailure(String);

/// Longest code that is kept, in bytes. The longest of Lighthouse has 30.
const CODE_BYTES: usize = 64;

impl PageFailure {
    /// The code where there is none that can be read.
    pub const UNKNOWN: &'static str = "UNKNOWN";

    /// A code of upper-case letters, digits and `_`; anything else is unknown.
    pub fn new(code: &str) -> Self {
        let is_code = !code.is_empty()
            && code.len() <= CODE_BYTES
            && code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        Self(if is_code { code } else { Self::UNKNOWN }.to_owned())
    }

    /// The code.
    pub fn code(&self) -> &str {
        &self.0
    }

    /// What happened and what to do.
    pub fn sentence(&self) -> Text {
        match self.0.as_str() {
            "ERRORED_DOCUMENT_REQUEST" => text(
                "The page answered the lab browser with an HTTP error. Check that it loads without a sign-in, then run the test again.",
                "A página respondeu ao navegador de laboratório com um erro HTTP. Verifique se ela abre sem login e rode o teste de novo.",
            ),
            "FAILED_DOCUMENT_REQUEST" | "CHROME_INTERSTITIAL_ERROR" => text(
                "The lab browser could not open the page: no connection, or a certificate that it does not trust. Check that the page is reachable, then run the test again.",
                "O navegador de laboratório não conseguiu abrir a página: sem conexão ou com um certificado em que ele não confia. Verifique se a página está acessível e rode o teste de novo.",
            ),
            "INSECURE_DOCUMENT_REQUEST" => text(
                "The lab browser does not trust the certificate of the page. Fix the certificate, then run the test again.",
                "O navegador de laboratório não confia no certificado da página. Corrija o certificado e rode o teste de novo.",
            ),
            "DNS_FAILURE" => text(
                "The lab browser could not resolve the host name of the page. Check its DNS records, then run the test again.",
                "O navegador de laboratório não conseguiu resolver o nome do host da página. Verifique os registros DNS e rode o teste de novo.",
            ),
            "NO_FCP" | "NO_LCP" => text(
                "The page showed no content in the lab browser. Check that it renders without interaction, then run the test again.",
                "A página não exibiu conteúdo no navegador de laboratório. Verifique se ela renderiza sem interação e rode o teste de novo.",
            ),
            "PAGE_HUNG" | "PROTOCOL_TIMEOUT" => text(
                "The page did not finish loading in the lab browser in time. Look for scripts that never end, then run the test again.",
                "A página não terminou de carregar no navegador de laboratório a tempo. Procure scripts que nunca terminam e rode o teste de novo.",
            ),
            "TARGET_CRASHED" => text(
                "The lab browser's tab crashed on this page, which may need too much memory. Run the test again.",
                "A aba do navegador de laboratório falhou nesta página, que talvez precise de memória demais. Rode o teste de novo.",
            ),
            "NOT_HTML" => text(
                "The address is not an HTML page, so there is nothing to measure.",
                "O endereço não é uma página HTML, portanto não há o que medir.",
            ),
            "INVALID_URL" => text(
                "The page-speed service does not accept the address of this page.",
                "O serviço de desempenho não aceita o endereço desta página.",
            ),
            _ => text(
                "Lighthouse could not measure the page. Run the test again; if it fails again, try the page in a browser's own Lighthouse panel.",
                "O Lighthouse não conseguiu medir a página. Rode o teste de novo; se falhar outra vez, use o painel Lighthouse de um navegador.",
            ),
        }
    }
}

impl std::fmt::Display for PageFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Failure {
    /// The pause before the one more try that trouble and a used-up quota have; `None` where it would end the same way.
    pub fn second_try(&self) -> Option<Duration> {
        match self {
            Self::Trouble(_) => Some(TROUBLE_WAIT),
            Self::Quota { retry_after } => {
                let wait = retry_after.map_or(QUOTA_WAIT, |seconds| Duration::from_secs(seconds.into()));
                (wait <= MOST_QUOTA_WAIT).then_some(wait)
            }
            Self::Page(_) | Self::Unavailable(_) => None,
        }
    }

    /// What happened and what to do, for people.
    pub fn message(&self) -> Phrase {
        const UNAVAILABLE: Text = text(
            "Lab tests are not set up correctly on this server. Contact its operator.",
            "Os testes de laboratório não estão configurados corretamente neste servidor. Fale com o operador.",
        );
        const QUOTA: Text = text(
            "The quota of the page-speed service is used up. Run the test again later.",
            "A cota do serviço de desempenho acabou. Rode o teste de novo mais tarde.",
        );
        const TROUBLE: Text = text(
            "The page-speed service gave no usable answer. Run the test again in a few minutes.",
            "O serviço de desempenho não deu uma resposta utilizável. Rode o teste de novo em alguns minutos.",
        );
        match self {
            Self::Page(page) => page.sentence().into(),
            Self::Unavailable(_) => UNAVAILABLE.into(),
            Self::Quota { .. } => QUOTA.into(),
            Self::Trouble(_) => TROUBLE.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_kept_and_what_is_none_is_unknown() {
        assert_eq!(PageFailure::new("NO_FCP").code(), "NO_FCP");
        for none in ["", "no_fcp", "NO FCP", "<b>", &"A".repeat(65)] {
            assert_eq!(PageFailure::new(none).code(), PageFailure::UNKNOWN, "{none}");
        }
    }

    #[test]
    fn trouble_and_a_used_up_quota_have_one_more_try() {
        let quota = |retry_after| Failure::Quota { retry_after }.second_try().map(|wait| wait.as_secs());
        assert_eq!(
            (quota(None), quota(Some(7)), quota(Some(120)), quota(Some(121))),
            (Some(30), Some(7), Some(120), None)
        );
        assert_eq!(Failure::Trouble("time").second_try(), Some(TROUBLE_WAIT));
        assert_eq!(Failure::Page(PageFailure::new("NO_FCP")).second_try(), None);
        assert_eq!(Failure::Unavailable("bad_key").second_try(), None);
    }

    #[test]
    fn every_known_code_has_its_own_sentence() {
        let unknown = PageFailure::new("X").sentence();
        for code in [
            "ERRORED_DOCUMENT_REQUEST",
            "CHROME_INTERSTITIAL_ERROR",
            "FAILED_DOCUMENT_REQUEST",
            "DNS_FAILURE",
            "NO_FCP",
            "NO_LCP",
            "PAGE_HUNG",
            "NOT_HTML",
            "INSECURE_DOCUMENT_REQUEST",
            "PROTOCOL_TIMEOUT",
            "TARGET_CRASHED",
            "INVALID_URL",
        ] {
            assert_ne!(PageFailure::new(code).sentence(), unknown, "{code}");
        }
    }
}
