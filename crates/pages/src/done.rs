//! Confirmations: what a form has done, as the page that it leads to says in its status line. The address has a word for it,
//! `?done=key_revoked`, so it needs neither a cookie nor a script.

use model::lang::{Text, text};

/// Name of the parameter.
pub(crate) const PARAMETER: &str = "done";

/// Words in addresses, and their confirmations.
const DONE: [(&str, Text); 28] = [
    ("saved", text("Saved.", "Salvo.")),
    ("imported", text("Imported to your account.", "Importado para a sua conta.")),
    ("key_revoked", text("The key is revoked.", "A chave foi revogada.")),
    ("passkey_added", text("The passkey is added.", "A chave de acesso foi adicionada.")),
    ("passkey_removed", text("The passkey is removed.", "A chave de acesso foi removida.")),
    ("session_ended", text("The session is ended.", "A sessão foi encerrada.")),
    ("sessions_ended", text("All sessions are ended.", "Todas as sessões foram encerradas.")),
    ("signed_out", text("You are signed out.", "Você saiu da sua conta.")),
    ("password_changed", text("The password is changed.", "A senha foi alterada.")),
    ("factor_removed", text("Two-factor authentication is off.", "A autenticação em dois fatores está desativada.")),
    ("account_closed", text("The account is closed.", "A conta foi encerrada.")),
    ("invited", text("The invitation was sent.", "O convite foi enviado.")),
    ("invitation_ended", text("The invitation was cancelled.", "O convite foi cancelado.")),
    ("role_changed", text("The role is changed.", "O papel foi alterado.")),
    ("member_removed", text("The member is removed.", "O membro foi removido.")),
    ("renamed", text("The name is changed.", "O nome foi alterado.")),
    ("setting_changed", text("The setting is changed.", "A configuração foi alterada.")),
    ("organization_created", text("The organization is created.", "A organização foi criada.")),
    (
        "organization_closed",
        text("The organization will be deleted in 7 days.", "A organização será excluída em 7 dias."),
    ),
    ("organization_restored", text("The organization was restored.", "A organização foi restaurada.")),
    ("left", text("You have left the organization.", "Você saiu da organização.")),
    ("joined", text("You have joined the organization.", "Você entrou na organização.")),
    ("watch_saved", text("The daily watch is saved.", "O monitoramento diário foi salvo.")),
    (
        "alerts_on",
        text(
            "Alerts are on. You will get an email when the page gets worse.",
            "Alertas ativados. Você receberá um e-mail quando a página piorar.",
        ),
    ),
    (
        "alerts_sent",
        text(
            "Check your inbox and your spam folder, and open the link, in any browser: it turns on the alerts.",
            "Confira a caixa de entrada e a pasta de spam e abra o link, em qualquer navegador: ele ativa os alertas.",
        ),
    ),
    ("page_closed", text("The page is no longer followed.", "A página não é mais seguida.")),
    ("share", text("The report is shared.", "O relatório foi compartilhado.")),
    ("unshare", text("The report is no longer shared.", "O relatório não é mais compartilhado.")),
];

/// The confirmation that a query asks for; `None` for none, and for a word that we don't know.
pub(crate) fn of_query(query: Option<&str>) -> Option<Text> {
    let mut pairs = url::form_urlencoded::parse(query?.as_bytes());
    let (_, word) = pairs.find(|(name, _)| name == PARAMETER)?;
    DONE.iter().find(|(known, _)| *known == word).map(|(_, said)| *said)
}

/// A path with the word of a confirmation.
pub(crate) fn with_done(path: &str, word: &str) -> String {
    let mark = if path.contains('?') { '&' } else { '?' };
    format!("{path}{mark}{PARAMETER}={word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_words_are_confirmed() {
        let said = |query| of_query(query).map(|text| text.en);
        assert_eq!(said(Some("lang=en&done=key_revoked")), Some("The key is revoked."));
        assert_eq!([said(Some("done=%3Cb%3E")), said(Some("done=")), said(None)], [None; 3]);
        assert_eq!(with_done("/conta", "saved"), "/conta?done=saved");
        assert_eq!(with_done("/conta?a=b", "saved"), "/conta?a=b&done=saved");
    }
}
