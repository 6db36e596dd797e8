//! Mail to the owners of accounts, in both languages, as plain text and HTML.

use askama::Template;
use model::lang::{Lang, Phrase, Text, text};

use super::{Mail, MailFrame, Sender};

/// A message, before its language is known.
#[derive(Debug)]
pub struct Letter {
    product: String,
    base_url: String,
    subject: Text,
    /// What happened.
    paragraphs: Vec<Phrase>,
    /// Label and address of each link.
    links: Vec<(Text, String)>,
    /// What comes after the links.
    notes: Vec<Text>,
}

#[derive(Template)]
#[template(path = "mail_account.html")]
struct LetterPage<'a> {
    frame: MailFrame<'a>,
    paragraphs: Vec<&'a str>,
    links: Vec<(&'a str, String)>,
    notes: Vec<&'a str>,
}

impl Letter {
    pub(super) fn new(sender: &Sender<'_>, subject: Text, paragraphs: Vec<Phrase>) -> Self {
        let (product, base_url) = (sender.product.to_owned(), sender.base_url.to_owned());
        Self { product, base_url, subject, paragraphs, links: Vec::new(), notes: Vec::new() }
    }

    pub(super) fn link(mut self, label: Text, address: String) -> Self {
        self.links.push((label, address));
        self
    }

    pub(super) fn note(mut self, note: Text) -> Self {
        self.notes.push(note);
        self
    }

    /// The message to an address. Links lead to pages in `lang`.
    pub fn to(&self, address: &str, lang: Lang) -> Mail {
        let paragraphs: Vec<&str> = self.paragraphs.iter().map(|phrase| phrase.in_lang(lang)).collect();
        let in_language = |to: &str| match to.split_once('?') {
            Some((path, query)) => format!("{path}?lang={}&{query}", lang.tag()),
            None => format!("{to}?lang={}", lang.tag()),
        };
        let links: Vec<(&str, String)> =
            self.links.iter().map(|(label, to)| (label.in_lang(lang), in_language(to))).collect();
        let notes: Vec<&str> = self.notes.iter().map(|note| note.in_lang(lang)).collect();
        let subject = self.subject.in_lang(lang);
        let mut text = subject.to_owned();
        for paragraph in &paragraphs {
            text.push_str(&format!("\n\n{paragraph}"));
        }
        for (label, to) in &links {
            text.push_str(&format!("\n\n{label}:\n{to}"));
        }
        for note in &notes {
            text.push_str(&format!("\n\n{note}"));
        }
        text.push_str(&format!("\n\n{}\n{}\n", self.product, self.base_url));
        let frame = MailFrame { lang: lang.tag(), subject, product: &self.product, home: &self.base_url };
        let page = LetterPage { frame, paragraphs, links, notes };
        // A template without logic can only fail to write into memory; the plain text then goes alone.
        let html = page.render().ok();
        Mail { to: address.to_owned(), subject: subject.to_owned(), text, html, unsubscribe: None, reply_to: None }
    }
}

const NOT_REQUESTED: Text = text(
    "If you did not request this, ignore this email: nothing changes unless the link is used.",
    "Se você não pediu isto, ignore este e-mail: nada muda enquanto o link não for usado.",
);
const NOT_KNOWN: Text = text(
    "If you do not know the person who invited you, ignore this email: you join only if you accept.",
    "Se você não conhece quem fez o convite, ignore este e-mail: você só entra se aceitar.",
);
const NOT_YOU: Text = text(
    "If this was not you, set a new password now. That ends all sessions and revokes all API keys.",
    "Se não foi você, defina uma nova senha agora. Isso encerra todas as sessões e revoga todas as chaves de API.",
);
const SIGN_IN: Text = text("Sign in", "Entrar");
const RESET: Text = text("Set a new password", "Definir uma nova senha");
const CREATE: Text = text("Create account", "Criar conta");
const CONFIRM: Text = text("Confirm your email address", "Confirme o seu endereço de e-mail");
/// Path of the page of a registration's link.
const COMPLETE: &str = "/conta/global/complete?token=";

/// An invitation to an organization by `inviter`.
pub fn invitation(sender: &Sender<'_>, organization: &str, inviter: &str, token: &str) -> Letter {
    let about = text(
        "{inviter} invited you to the organization {organization}. The invitation works once, expires in 7 days, and is only for an account with this email address.",
        "{inviter} convidou você para a organização {organization}. O convite pode ser usado uma vez, expira em 7 dias e só serve para uma conta com este endereço de e-mail.",
    );
    let about = about.phrase(&[("inviter", inviter.into()), ("organization", organization.into())]);
    let subject = text("You are invited to an organization", "Convite para uma organização");
    let view = text("View invitation", "Ver convite");
    Letter::new(sender, subject, vec![about])
        .link(view, sender.url(&format!("/conta/invitation?token={token}")))
        .note(NOT_KNOWN)
}

/// An API key was created or revoked.
pub fn key_changed(sender: &Sender<'_>, what: Text, name: &str) -> Letter {
    let named = text("Key name: {name}", "Nome da chave: {name}").phrase(&[("name", name.into())]);
    Letter::new(sender, what, vec![named, NOT_YOU.into()]).link(RESET, sender.url("/conta/global/reset"))
}

/// The link that confirms a registration.
pub fn register(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "Confirm your email address to create your account. The link works once and expires in 24 hours.",
        "Confirme o seu endereço de e-mail para criar a sua conta. O link pode ser usado uma vez e expira em 24 horas.",
    );
    Letter::new(sender, CONFIRM, vec![about.into()])
        .link(CREATE, sender.url(&format!("{COMPLETE}{token}")))
        .note(NOT_REQUESTED)
}

/// The same where alerts about a page were asked for. The page is told where the link leads, not here: nobody has a mail name an
/// address of their choice to somebody else.
pub fn register_for_alerts(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "Confirm your email address to create your account and turn on the alerts you asked for. The link works once and expires in 24 hours.",
        "Confirme o seu endereço de e-mail para criar a sua conta e ativar os alertas que você pediu. O link pode ser usado uma vez e expira em 24 horas.",
    );
    let create = text("Create account and turn on alerts", "Criar conta e ativar os alertas");
    Letter::new(sender, CONFIRM, vec![about.into()])
        .link(create, sender.url(&format!("{COMPLETE}{token}")))
        .note(NOT_REQUESTED)
}

/// The reply to a request for alerts with an address that has an account.
pub fn alerts(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "Someone asked for alerts about a page with this email address, which already has an account. Sign in to turn them on. The link works once and expires in 24 hours.",
        "Alguém pediu alertas sobre uma página com este endereço de e-mail, que já tem uma conta. Entre para ativá-los. O link pode ser usado uma vez e expira em 24 horas.",
    );
    let subject = text("Turn on the alerts you asked for", "Ative os alertas que você pediu");
    Letter::new(sender, subject, vec![about.into()])
        .link(text("Turn on alerts", "Ativar os alertas"), sender.url(&format!("{COMPLETE}{token}")))
        .note(NOT_REQUESTED)
}

/// The reply to a registration with an address that has an account.
pub fn has_account(sender: &Sender<'_>) -> Letter {
    let about = text(
        "Someone tried to create an account with this email address, which already has one. Sign in, or set a new password if you forgot yours.",
        "Alguém tentou criar uma conta com este endereço de e-mail, que já tem uma. Entre, ou defina uma nova senha se esqueceu a sua.",
    );
    Letter::new(sender, text("You already have an account", "Você já tem uma conta"), vec![about.into()])
        .link(SIGN_IN, sender.url("/conta/global"))
        .link(RESET, sender.url("/conta/global/reset"))
}

/// The link that resets a password.
pub fn reset(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "Use this link to set a new password. It works once and expires in 30 minutes. The new password ends all sessions of the account and revokes its API keys.",
        "Use este link para definir uma nova senha. Ele pode ser usado uma vez e expira em 30 minutos. A nova senha encerra todas as sessões da conta e revoga as chaves de API dela.",
    );
    Letter::new(sender, text("Reset your password", "Redefina a sua senha"), vec![about.into()])
        .link(RESET, sender.url(&format!("/conta/global/password?token={token}")))
        .note(NOT_REQUESTED)
}

/// The reply to a password reset for an address without an account.
pub fn no_account(sender: &Sender<'_>) -> Letter {
    let about = text(
        "Someone requested a password reset for this email address, which has no account. If you signed up with another address, request the reset for that one.",
        "Alguém pediu a redefinição da senha deste endereço de e-mail, que não tem conta. Se você se cadastrou com outro endereço, peça a redefinição para ele.",
    );
    let subject = text("No account with this email address", "Não há conta com este endereço de e-mail");
    Letter::new(sender, subject, vec![about.into()]).link(CREATE, sender.url("/conta/global"))
}

/// To the new address of an account.
pub fn change_email(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "Confirm this address as the new email address of your account. The link works once and expires in 24 hours.",
        "Confirme este endereço como o novo e-mail da sua conta. O link pode ser usado uma vez e expira em 24 horas.",
    );
    let subject = text("Confirm your new email address", "Confirme o seu novo endereço de e-mail");
    Letter::new(sender, subject, vec![about.into()])
        .link(text("Confirm address", "Confirmar endereço"), sender.url(&format!("/conta/global/email?token={token}")))
        .note(NOT_REQUESTED)
}

/// To an address that is another account's already.
pub fn address_taken(sender: &Sender<'_>) -> Letter {
    let about = text(
        "Someone tried to change the email address of another account to this one, which already has an account. Nothing was changed.",
        "Alguém tentou trocar o e-mail de outra conta por este endereço, que já tem uma conta. Nada foi alterado.",
    );
    let subject = text("This email address already has an account", "Este endereço de e-mail já tem uma conta");
    Letter::new(sender, subject, vec![about.into()]).link(SIGN_IN, sender.url("/conta/global"))
}

/// To the previous address, where the change can be undone.
pub fn email_changed(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "Your account has a new email address. If this was not you, undo the change within 7 days. That also ends all sessions and revokes all API keys.",
        "A sua conta tem um novo endereço de e-mail. Se não foi você, desfaça a mudança em até 7 dias. Isso também encerra todas as sessões e revoga todas as chaves de API.",
    );
    let subject = text("The email address of your account was changed", "O e-mail da sua conta foi alterado");
    Letter::new(sender, subject, vec![about.into()]).link(
        text("Undo the email change", "Desfazer a mudança de e-mail"),
        sender.url(&format!("/conta/global/undo?token={token}")),
    )
}

/// To the owner of an account to which something happened; `what` is the subject.
pub fn notice(sender: &Sender<'_>, what: Text) -> Letter {
    Letter::new(sender, what, vec![NOT_YOU.into()]).link(RESET, sender.url("/conta/global/reset"))
}

/// The password was changed, which revoked the API keys named in `keys`.
pub fn password_changed(sender: &Sender<'_>, keys: &[String]) -> Letter {
    let ended = text(
        "All other sessions have ended, and these API keys were revoked: {keys}.",
        "Todas as outras sessões foram encerradas e estas chaves de API foram revogadas: {keys}.",
    );
    let ended = if keys.is_empty() {
        let ended = text(
            "All other sessions have ended. The account had no API keys.",
            "Todas as outras sessões foram encerradas. A conta não tinha chaves de API.",
        );
        ended.into()
    } else {
        ended.phrase(&[("keys", keys.join(", ").into())])
    };
    Letter::new(sender, text("Your password was changed", "A sua senha foi alterada"), vec![ended, NOT_YOU.into()])
        .link(RESET, sender.url("/conta/global/reset"))
}

/// A change by an operator that takes effect in 72 hours; `what` is the subject.
pub fn operator_will(sender: &Sender<'_>, what: Text) -> Letter {
    let answer = text(
        "The change takes effect in 72 hours. If you did not request it, sign in and contact the operator of this server.",
        "A mudança passa a valer em 72 horas. Se você não a pediu, entre na conta e fale com o operador deste servidor.",
    );
    Letter::new(sender, what, vec![answer.into()]).link(SIGN_IN, sender.url("/conta/global"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_html_of_a_letter_have_the_same_words() {
        let sender = Sender { product: "Site Audit", base_url: "https://audit.example.com" };
        let letters = [
            invitation(&sender, "Acme", "ana@example.com", "t"),
            key_changed(&sender, text("An API key was created", "Uma chave de API foi criada"), "build"),
            register(&sender, "t"),
            register_for_alerts(&sender, "t"),
            alerts(&sender, "t"),
            has_account(&sender),
            reset(&sender, "t"),
            no_account(&sender),
            change_email(&sender, "t"),
            address_taken(&sender),
            email_changed(&sender, "t"),
            notice(&sender, text("A passkey was added", "Uma chave de acesso foi adicionada")),
            password_changed(&sender, &["build".to_owned()]),
            password_changed(&sender, &[]),
            operator_will(&sender, text("A reset was started", "Uma redefinição foi iniciada")),
        ];
        for (letter, lang) in letters.iter().flat_map(|letter| [(letter, Lang::En), (letter, Lang::PtBr)]) {
            let mail = letter.to("ana@example.com", lang);
            let html = mail.html.as_deref().unwrap();
            for line in mail.text.lines().filter(|line| !line.is_empty()) {
                let escaped = line.trim_end_matches(':').replace('&', "&#38;");
                assert!(html.contains(&escaped), "{line}: {html}");
            }
            assert!(html.contains(&format!("<html lang=\"{}\">", lang.tag())), "{html}");
            assert!(mail.text.starts_with(&mail.subject), "{}", mail.text);
        }
    }
}
