//! What a reader's next audits take of the free audits of the day: the same words on every page.

use http::request::Parts;
use model::lang::{Lang, Text, text};
use service::Services;
use service::caller::Cx;
use service::config::Sku;
use service::error::ServiceError;
use service::gate;

/// What the next audit takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextAudit {
    /// Nothing: the account is in its trial.
    OnTrial,
    /// Nothing: audits are free for everybody.
    Free,
    /// One of those that are left.
    OneOf {
        /// Left today.
        left: u32,
        /// Of a day.
        all: u32,
    },
    /// More than is left.
    UsedUp,
}

impl NextAudit {
    /// Of the caller.
    pub(crate) async fn of(cx: &Cx) -> Result<Self, ServiceError> {
        if gate::is_on_trial(&cx.services, &cx.caller) {
            return Ok(Self::OnTrial);
        }
        let allowance = gate::allowance(cx).await?;
        Ok(match allowance.free_remaining {
            _ if gate::is_free_for_now(&cx.services, Sku::Audit) => Self::Free,
            0 if allowance.needs_payment => Self::UsedUp,
            0 => Self::Free,
            left => Self::OneOf { left, all: allowance.free_allowance },
        })
    }

    /// Whether the reader of a page without a call of its own has an account in its trial.
    pub(crate) async fn is_on_trial(services: &Services, parts: &Parts) -> bool {
        let caller = api::caller::of_page(services, parts).await;
        caller.is_ok_and(|caller| gate::is_on_trial(services, &caller))
    }

    /// What a number of audits takes, as a sentence.
    pub(crate) fn for_audits(self, audits: usize, lang: Lang) -> String {
        const FREE: Text = text("Does not use free audits.", "Não usa auditorias grátis.");
        const USES: Text = text(
            "Uses {count|one free audit|{count} free audits}: {left} left today.",
            "Usa {count|uma auditoria grátis|{count} auditorias grátis}: {left|resta|restam} {left} hoje.",
        );
        const USED_UP: Text = text(
            "Today's free audits are used up. Come back tomorrow (UTC).",
            "As auditorias grátis de hoje acabaram. Volte amanhã (UTC).",
        );
        let (sentence, left) = match self {
            Self::OnTrial => (TRIAL, 0),
            Self::Free => (FREE, 0),
            Self::OneOf { left, .. } => (USES, left),
            Self::UsedUp => (USED_UP, 0),
        };
        sentence.phrase(&[("count", audits.into()), ("left", left.into())]).in_lang(lang).to_owned()
    }

    /// What is left today, as a sentence.
    pub(crate) fn left(self, lang: Lang) -> String {
        const FREE: Text = text("Audits are free.", "As auditorias são grátis.");
        const LEFT: Text = text(
            "{left} of {all} free audits left today.",
            "{left|Resta|Restam} {left} de {all} auditorias grátis hoje.",
        );
        const USED_UP: Text = text("Today's free audits are used up.", "As auditorias grátis de hoje acabaram.");
        let (sentence, left, all) = match self {
            Self::OnTrial => (TRIAL, 0, 0),
            Self::Free => (FREE, 0, 0),
            Self::OneOf { left, all } => (LEFT, left, all),
            Self::UsedUp => (USED_UP, 0, 0),
        };
        sentence.phrase(&[("left", left.into()), ("all", all.into())]).in_lang(lang).to_owned()
    }
}

/// What is said of every audit of an account in its trial.
pub(crate) const TRIAL: Text = text("Free in your trial.", "Grátis no seu período de teste.");

/// What a person is told who follows as many pages as are free: a page can't be paid for here.
pub(crate) fn all_free_followed(services: &Services, lang: Lang) -> String {
    const IN_USE: Text = text(
        "You already follow {free|one page|{free} pages}, the maximum that is free. Stop following one, or pay {price} USD for each further page through the API.",
        "Você já segue {free|uma página|{free} páginas}, o máximo que é grátis. Deixe de seguir uma, ou pague US$ {preco} por página a mais pela API.",
    );
    let config = services.config();
    let mut values = config.prices.extra_tab_usd.values().to_vec();
    values.push(("free", config.limits.free_tabs.into()));
    IN_USE.phrase(&values).in_lang(lang).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audit_says_what_it_takes() {
        let left = NextAudit::OneOf { left: 9, all: 10 };
        assert_eq!(left.for_audits(1, Lang::En), "Uses one free audit: 9 left today.");
        assert_eq!(left.for_audits(2, Lang::PtBr), "Usa 2 auditorias grátis: restam 9 hoje.");
        assert_eq!(left.left(Lang::En), "9 of 10 free audits left today.");
        assert_eq!(NextAudit::OnTrial.for_audits(2, Lang::En), "Free in your trial.");
        assert_eq!(NextAudit::OnTrial.left(Lang::PtBr), "Grátis no seu período de teste.");
        assert_eq!(NextAudit::UsedUp.left(Lang::En), "Today's free audits are used up.");
    }
}
