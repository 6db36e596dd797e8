//! Pages that describe the organization in different words.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::page_facts::OrganizationFacts;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "organization_conflict",
    severity: Severity::Warn,
    title: text("Organization described differently across pages", "Organização descrita de formas diferentes"),
    why: text(
        "Search engines can't tell which name, logo or telephone number is right, and may show none.",
        "Os buscadores não sabem qual nome, logotipo ou telefone está certo e podem não mostrar nenhum.",
    ),
    how: text(
        "Describe the organization once, on the home page, and refer to it by its @id on the others.",
        "Descreva a organização uma vez, na página inicial, e refira-se a ela pelo @id nas outras.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/organization",
    rule: text(
        "Fails when pages give the site's own organization different names, logos or telephone numbers. A page that leaves one out is not counted.",
        "Falha quando páginas dão à organização do próprio site nomes, logotipos ou telefones diferentes. Uma página que omite algum não conta.",
    ),
    message: text(
        "{pages} {pages|page describes|pages describe} the organization differently from the others.",
        "{pages} {pages|página descreve|páginas descrevem} a organização de forma diferente das outras.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text(
        "{property} is “{other}”; most pages say “{usual}”.",
        "{property} é “{other}”; a maioria das páginas diz “{usual}”.",
    );
    type Property = fn(&OrganizationFacts) -> Option<&String>;
    const PROPERTIES: [(&str, Property); 3] = [
        ("name", |organization| organization.name.as_ref()),
        ("logo", |organization| organization.logo.as_ref()),
        ("telephone", |organization| organization.telephone.as_ref()),
    ];
    if site.organizations.is_empty() {
        return Err(Unmeasured::Absent);
    }
    let mut cases = Vec::new();
    for (property, value_of) in PROPERTIES {
        let mut values: BTreeMap<&str, Vec<PageId>> = BTreeMap::new();
        for (id, _, document) in site.documents() {
            let organization = document.organization.and_then(|at| site.organizations.get(at as usize));
            if let Some(value) = organization.and_then(value_of) {
                values.entry(value).or_default().push(id);
            }
        }
        let usual = values.iter().max_by_key(|(value, pages)| (pages.len(), Reverse(**value)));
        let Some(usual) = usual.map(|(value, _)| (*value).to_owned()) else { continue };
        for (other, pages) in values.into_iter().filter(|(value, _)| *value != usual) {
            let note = [("property", property.into()), ("other", other.into()), ("usual", usual.as_str().into())];
            let subject = pages.first().map(|id| site.url(*id)).unwrap_or_default();
            cases.push(case_of(subject, NOTE, &note, pages));
        }
    }
    Ok(cases)
}
