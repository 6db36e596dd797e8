//! The robots tag with every correction at once, which several checks share as their fix.

use crate::check::prelude::*;
use crate::facts::robots_directives::{Directive, Status, for_google, is_known, status, suggestion};
use crate::facts::robots_tag::{adds_only, contradiction, mended, wants_large_preview};

/// Whether Google ignores a directive that it once read.
pub(super) fn is_obsolete(directive: &Directive) -> bool {
    matches!(status(&directive.name), Some(Status::Bing | Status::Dead))
}

/// Robots tags of everyone that say something.
pub(super) fn filled_tags<'f>(facts: &'f Facts<'_>) -> Vec<Element<'f>> {
    let is_filled = |content: &Option<String>| content.as_deref().is_some_and(|content| !content.is_empty());
    let tags = facts.markup().into_iter().flat_map(|html| html.metas_named("robots").map(move |meta| (html, meta)));
    tags.filter(|(_, meta)| is_filled(&meta.content)).filter_map(|(html, meta)| html.element(meta.node)).collect()
}

/// Checks whose fix rewrites the robots tag. Of those that fire one gets the tag, with every correction at once:
/// several rewritings of one tag would undo each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mender {
    Conflict,
    Unknown,
    Obsolete,
    Multiple,
    Preview,
}

impl Mender {
    /// In the order in which they are asked.
    const ALL: [Self; 5] = [Self::Conflict, Self::Unknown, Self::Obsolete, Self::Multiple, Self::Preview];

    /// Whether the check fires, and the rewritten tag fixes it.
    fn is_due(self, facts: &Facts<'_>) -> bool {
        let all = facts.directives();
        let is_plain_tag = |directive: &Directive| directive.is_in_page() && directive.agent.is_none();
        match self {
            Self::Conflict => {
                let google: Vec<&Directive> = all.iter().filter(|directive| for_google(directive)).collect();
                contradiction(&google).is_some() && google.iter().all(|directive| is_plain_tag(directive))
            }
            Self::Unknown => {
                let bad = || all.iter().filter(|directive| !is_known(&directive.name));
                let is_corrected = |directive: &Directive| {
                    suggestion(&directive.name).is_some_and(|meant| adds_only(directive, meant, all))
                };
                bad().next().is_some() && bad().all(|bad| is_plain_tag(bad) && is_corrected(bad))
            }
            Self::Obsolete => {
                let bad = || all.iter().filter(|directive| is_obsolete(directive));
                let is_dead = |directive: &Directive| status(&directive.name) == Some(Status::Dead);
                bad().next().is_some() && bad().all(|bad| is_plain_tag(bad) && is_dead(bad))
            }
            Self::Multiple => filled_tags(facts).len() > 1,
            Self::Preview => wants_large_preview(facts),
        }
    }
}

/// The fix of a check that the rewritten tag satisfies; `None` where the tag can't be rewritten or would not help.
pub(crate) fn shared_fix(facts: &Facts<'_>, of: Mender, origin: Text) -> Option<FixDraft> {
    let corrected_tag = mended(facts).filter(|_| of.is_due(facts))?;
    let (first, rest) = corrected_tag.tags.split_first()?;
    let tag = match corrected_tag.content.as_str() {
        "" => String::new(),
        content => format!("<meta name=\"robots\" content=\"{}\">", attribute(content)),
    };
    if Mender::ALL.into_iter().find(|mender| mender.is_due(facts)) != Some(of) {
        const SAME: Text = text(
            "Fixed by the change for another finding about robots directives, which sets this tag: {tag}",
            "Corrigido pela mudança de outro achado sobre diretivas robots, que define esta tag: {tag}",
        );
        return Some(FixDraft::instruction(FixTarget::Head, SAME, &[("tag", tag.into())]));
    }
    let fix = match tag.is_empty() {
        true => FixDraft::edit(FixTarget::Head, tag).remove(*first),
        false => FixDraft::edit(FixTarget::Head, tag).set(*first, "content", &corrected_tag.content),
    };
    Some(rest.iter().fold(fix, |fix, tag| fix.remove(*tag)).from(origin, &[]))
}
