//! Mail to the owners of accounts, in both languages, as plain text and HTML.

use askama::Template;
use model::lang::{Lang, Phrase, Text, text};

use super::{Mail, Sender};

/// A message, before its language is known.
#[derive(Debug)]
pub struct Letter {
    subject: Text,
    paragraphs: Vec<Phrase>,
    /// Where to go, and what that does.
    links: Vec<(Text, String)>,
}

#[derive(Template)]
#[template(path = "mail_account.html")]
struct LetterPage<'a> {
    lang: &'static str,
    subject: &'a str,
    paragraphs: Vec<&'a str>,
    links: Vec<(&'a str, String)>,
}

impl Letter {
    fn new(subject: Text, paragraphs: Vec<Phrase>) -> Self {
        Self { subject, paragraphs, links: Vec::new() }
    }

    fn link(mut self, does: Text, address: String) -> Self {
        self.links.push((does, address));
        self
    }

    /// The message to an address.
    pub fn to(&self, address: &str, lang: Lang) -> Mail {
        let paragraphs: Vec<&str> = self.paragraphs.iter().map(|phrase| phrase.in_lang(lang)).collect();
        let spoken = |to: &str| match to.split_once('?') {
            Some((path, query)) => format!("{path}?lang={}&{query}", lang.tag()),
            None => format!("{to}?lang={}", lang.tag()),
        };
        let links: Vec<(&str, String)> = self.links.iter().map(|(does, to)| (does.in_lang(lang), spoken(to))).collect();
        let subject = self.subject.in_lang(lang).to_owned();
        let mut text = paragraphs.join("\n\n");
        for (does, to) in &links {
            text.push_str(&format!("\n\n{does}:\n{to}"));
        }
        text.push('\n');
        let page = LetterPage { lang: lang.tag(), subject: &subject, paragraphs, links };
        // A template without logic can only fail to write into memory.
        let html = page.render().unwrap_or_else(|_| text.clone());
        Mail { to: address.to_owned(), subject, text, html: Some(html), unsubscribe: None, reply_to: None }
    }
}

const NOT_YOU: Text = text(
    "If this was not you, there is nothing to do: without the link nothing happens.",
    "Se não foi você, não há nada a fazer: sem o link nada acontece.",
);
const NOT_YOU_DONE: Text = text(
    "If this was not you, set a new password now: that ends all sessions and all API keys.",
    "Se não foi você, defina uma nova senha agora: isso encerra todas as sessões e todas as chaves de API.",
);
const SIGN_IN: Text = text("Sign in", "Entrar");
const RESET: Text = text("Set a new password", "Definir uma nova senha");

/// An invitation to an organization by `inviter`.
pub fn invitation(sender: &Sender<'_>, organization: &str, inviter: &str, token: &str) -> Letter {
    let about = text(
        "{inviter} invites you to the organization {organization}. The link is good for 7 days, once, for an account with this address.",
        "{inviter} convida você para a organização {organization}. O link vale por 7 dias, uma vez, para uma conta com este endereço.",
    );
    let about = about.phrase(&[("inviter", inviter.into()), ("organization", organization.into())]);
    let looks = text("See the invitation", "Ver o convite");
    Letter::new(
        text("You are invited to an organization", "Você foi convidado para uma organização"),
        vec![about, NOT_YOU.into()],
    )
    .link(looks, sender.url(&format!("/conta/invitation?token={token}")))
}

/// An API key was made or revoked.
pub fn key_changed(sender: &Sender<'_>, what: Text, name: &str) -> Letter {
    let named = text("The name of the key: {name}", "O nome da chave: {name}").phrase(&[("name", name.into())]);
    Letter::new(what, vec![what.into(), named, NOT_YOU_DONE.into()]).link(RESET, sender.url("/conta/global/reset"))
}

/// The link that confirms a registration.
pub fn register(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "Somebody, most likely you, wants an account with this address. The link is good for a day, once.",
        "Alguém, provavelmente você, quer uma conta com este endereço. O link vale por um dia, uma vez.",
    );
    let makes = text("Make the account", "Criar a conta");
    Letter::new(text("Make your account", "Crie a sua conta"), vec![about.into(), NOT_YOU.into()])
        .link(makes, sender.url(&format!("/conta/global/complete?token={token}")))
}

/// The reply to a registration with an address that has an account.
pub fn has_account(sender: &Sender<'_>) -> Letter {
    let about = text(
        "Somebody, most likely you, asked for an account with this address. You have one already.",
        "Alguém, provavelmente você, pediu uma conta com este endereço. Você já tem uma.",
    );
    Letter::new(text("You have an account already", "Você já tem uma conta"), vec![about.into()])
        .link(SIGN_IN, sender.url("/conta/global"))
        .link(RESET, sender.url("/conta/global/reset"))
}

/// The link that resets a password.
pub fn reset(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "With this link you set a new password. It is good for 30 minutes, once, and ends all sessions and all API keys of the account.",
        "Com este link você define uma nova senha. Ele vale por 30 minutos, uma vez, e encerra todas as sessões e todas as chaves de API da conta.",
    );
    Letter::new(text("Set a new password", "Defina uma nova senha"), vec![about.into(), NOT_YOU.into()])
        .link(RESET, sender.url(&format!("/conta/global/password?token={token}")))
}

/// The reply to a password reset for an address without an account.
pub fn no_account(sender: &Sender<'_>) -> Letter {
    let about = text(
        "Somebody, most likely you, asked for a new password. There is no account with this address.",
        "Alguém, provavelmente você, pediu uma nova senha. Não há conta com este endereço.",
    );
    Letter::new(text("There is no account with this address", "Não há conta com este endereço"), vec![about.into()])
        .link(text("Make an account", "Criar uma conta"), sender.url("/conta/global"))
}

/// To the new address of an account.
pub fn change_email(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "With this link the address becomes that of your account. It is good for a day, once.",
        "Com este link o endereço passa a ser o da sua conta. Ele vale por um dia, uma vez.",
    );
    Letter::new(text("Confirm your new address", "Confirme o seu novo endereço"), vec![about.into(), NOT_YOU.into()])
        .link(
            text("Confirm the address", "Confirmar o endereço"),
            sender.url(&format!("/conta/global/email?token={token}")),
        )
}

/// To an address that is another account's already.
pub fn address_taken(sender: &Sender<'_>) -> Letter {
    let about = text(
        "Somebody, most likely you, wants to use this address for another account. It has an account of its own.",
        "Alguém, provavelmente você, quer usar este endereço em outra conta. Ele já tem a sua própria conta.",
    );
    Letter::new(text("This address has an account", "Este endereço já tem uma conta"), vec![about.into()])
        .link(SIGN_IN, sender.url("/conta/global"))
}

/// To the address before, which can be taken back.
pub fn email_changed(sender: &Sender<'_>, token: &str) -> Letter {
    let about = text(
        "The address of your account is another one now. For 7 days this link takes the change back; it ends all sessions too.",
        "O endereço da sua conta agora é outro. Por 7 dias este link desfaz a mudança; ele também encerra todas as sessões.",
    );
    Letter::new(
        text("The address of your account was changed", "O endereço da sua conta foi mudado"),
        vec![about.into()],
    )
    .link(text("Take it back", "Desfazer"), sender.url(&format!("/conta/global/undo?token={token}")))
}

/// To the owner of an account to which something happened.
pub fn notice(sender: &Sender<'_>, what: Text) -> Letter {
    Letter::new(what, vec![what.into(), NOT_YOU_DONE.into()]).link(RESET, sender.url("/conta/global/reset"))
}

/// The password was changed; `keys` of the account died with it.
pub fn password_changed(sender: &Sender<'_>, keys: &[String]) -> Letter {
    let subject = text("Your password was changed", "A sua senha foi mudada");
    let ended = text(
        "The other sessions of your account have ended, and its API keys are revoked: {keys}.",
        "As outras sessões da sua conta terminaram e as suas chaves de API foram revogadas: {keys}.",
    );
    let ended = if keys.is_empty() {
        let ended = text(
            "The other sessions of your account have ended. It had no API keys.",
            "As outras sessões da sua conta terminaram. Ela não tinha chaves de API.",
        );
        ended.into()
    } else {
        ended.phrase(&[("keys", keys.join(", ").into())])
    };
    Letter::new(subject, vec![ended, NOT_YOU_DONE.into()]).link(RESET, sender.url("/conta/global/reset"))
}

/// Something that happens to an account in 72 hours, at an operator's word.
pub fn operator_will(sender: &Sender<'_>, what: Text) -> Letter {
    let answer = text(
        "It happens in 72 hours. If you did not ask for it, sign in and answer the operator of this server.",
        "Isso acontece em 72 horas. Se você não pediu, entre na conta e responda a quem opera este servidor.",
    );
    Letter::new(what, vec![what.into(), answer.into()]).link(SIGN_IN, sender.url("/conta/global"))
}
