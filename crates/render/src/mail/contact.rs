//! Mail to the team: a message of the contact form, as plain text. What its writer typed is in the body only.

use model::lang::{Lang, Text, text};

use super::{Mail, Sender};

/// A message of the contact form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactMessage {
    /// The writer's name.
    pub name: String,
    /// The writer's address, where the answer goes.
    pub email: String,
    /// What was written, lines ending in LF.
    pub message: String,
    /// What is proposed; `None` for a message without a proposal.
    pub kind: Option<Text>,
    /// Details of the proposal: label and value.
    pub details: Vec<(Text, String)>,
}

impl ContactMessage {
    /// The mail to the team, labels in the writer's language, as the answer will be.
    pub fn mail(&self, sender: &Sender<'_>, to: &str, lang: Lang) -> Mail {
        const PLAIN: Text = text("{product}: contact message", "{product}: mensagem de contato");
        const PROPOSAL: Text = text("{product}: proposal ({kind})", "{product}: proposta ({kind})");
        const NAME: Text = text("Name", "Nome");
        const EMAIL: Text = text("Email", "E-mail");
        const SENT: Text = text(
            "Sent with the contact form of {url}. Your answer goes to {email}.",
            "Enviada pelo formulário de contato de {url}. Sua resposta vai para {email}.",
        );
        let product = ("product", sender.product.into());
        let subject = match self.kind {
            None => PLAIN.phrase(&[product]),
            Some(kind) => PROPOSAL.phrase(&[product, ("kind", kind.in_lang(lang).into())]),
        };
        let mut body = format!("{}\n\n", self.message.trim_end());
        let of_writer = [(NAME, &self.name), (EMAIL, &self.email)];
        let details = self.details.iter().map(|(label, value)| (*label, value));
        for (label, value) in of_writer.into_iter().chain(details) {
            body.push_str(&format!("{}: {value}\n", label.in_lang(lang)));
        }
        let sent = SENT.phrase(&[("url", sender.base_url.into()), ("email", self.email.as_str().into())]);
        body.push_str(&format!("\n{}\n", sent.in_lang(lang)));
        Mail {
            to: to.to_owned(),
            subject: subject.in_lang(lang).to_owned(),
            text: body,
            html: None,
            unsubscribe: None,
            reply_to: Some(self.email.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_plain_text_that_is_answered_to_its_writer() {
        let message = ContactMessage {
            name: "Ana\u{a0}Lima".to_owned(),
            email: "ana@example.com".to_owned(),
            message: "Olá,\n\numa pergunta.\n\n".to_owned(),
            kind: Some(text("sponsorship", "patrocínio")),
            details: vec![(text("Company", "Empresa"), "Acme".to_owned())],
        };
        let sender = Sender { product: "Site Audit", base_url: "https://audit.example.com" };
        let mail = message.mail(&sender, "team@example.com", Lang::PtBr);
        assert_eq!((mail.subject.as_str(), mail.html), ("Site Audit: proposta (patrocínio)", None));
        assert_eq!(mail.reply_to.as_deref(), Some("ana@example.com"));
        let wanted = "Olá,\n\numa pergunta.\n\nNome: Ana\u{a0}Lima\nE-mail: ana@example.com\nEmpresa: Acme\n\n\
            Enviada pelo formulário de contato de https://audit.example.com. Sua resposta vai para ana@example.com.\n";
        assert_eq!(mail.text, wanted);
        let plain = ContactMessage { kind: None, details: Vec::new(), ..message };
        assert_eq!(plain.mail(&sender, "team@example.com", Lang::En).subject, "Site Audit: contact message");
    }
}
