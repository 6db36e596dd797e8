//! Core Web Vitals as real visitors measured them.

use model::field_data::{FieldMetric, FieldScope};

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family = Family {
    slug: "core-web-vitals",
    category: Category::Performance,
    landing: LANDING,
    checks: &[LCP_POOR, INP_POOR, CLS_POOR],
};

const LANDING: Landing = Landing {
    title: text("Core Web Vitals checker (field data)", "Verificador de Core Web Vitals (dados de campo)"),
    h1: text("How fast is your page for real visitors?", "Sua página é rápida para visitantes reais?"),
    description: text(
        "Get LCP, INP and CLS of a page from the Chrome UX Report: what real visitors experienced over the last 28 days.",
        "Veja LCP, INP e CLS de uma página no Chrome UX Report: a experiência de visitantes reais nos últimos 28 dias.",
    ),
    lead: text(
        "Google Search uses what real visitors experience, not lab measurements. This tool shows the three numbers of the Chrome UX Report: for the page or, if it has too few visitors, for its origin.",
        "A Busca do Google usa a experiência de visitantes reais, não medições de laboratório. Esta ferramenta mostra os três números do Chrome UX Report: da página ou, se ela tem poucas visitas, da origem.",
    ),
    example: include_str!("core_web_vitals/bad_poor.http"),
};

/// Milliseconds to the largest paint that are good, and from which on it is poor (web.dev, Core Web Vitals).
const LCP_MS: (u64, u64) = (2_500, 4_000);
/// Milliseconds from an input to the next paint.
const INP_MS: (u64, u64) = (200, 500);
/// Thousandths of layout shift.
const CLS_THOUSANDTHS: (u64, u64) = (100, 250);

const LCP_POOR: Check = Check {
    code: "cwv_lcp_poor",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Slow Largest Contentful Paint (LCP)", "Largest Contentful Paint (LCP) lento"),
    why: text(
        "A quarter of visits wait at least this long for the main content. Google Search counts it as part of page experience.",
        "Um quarto das visitas espera pelo menos isso pelo conteúdo principal. A Busca do Google considera isso na experiência da página.",
    ),
    how: text(
        "Find the LCP element, usually the lead image. Put its URL in the HTML, don't load it lazily, and make the server respond faster.",
        "Encontre o elemento do LCP, em geral a imagem principal. Coloque a URL dela no HTML, não use lazy loading nela e faça o servidor responder mais rápido.",
    ),
    reference: "https://web.dev/articles/lcp",
    rule: text(
        "Fails when the 75th percentile of Largest Contentful Paint in the Chrome UX Report is over 2,500 ms. Over 4,000 ms the message calls it poor. The check uses the page's own data or, if there is none, the data of its origin; the message says which. Not measured without field data.",
        "Falha quando o percentil 75 do Largest Contentful Paint no Chrome UX Report passa de 2.500 ms. Acima de 4.000 ms, a mensagem o chama de ruim. A verificação usa os dados da própria página ou, se não houver, os da origem; a mensagem diz quais. Não é medido sem dados de campo.",
    ),
    thresholds: &[threshold("good", LCP_MS.0, "ms"), threshold("poor", LCP_MS.1, "ms")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: lcp_poor,
};

const INP_POOR: Check = Check {
    code: "cwv_inp_poor",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("Slow Interaction to Next Paint (INP)", "Interaction to Next Paint (INP) lento"),
    why: text(
        "After a tap or a key press, the page doesn't respond for so long that people tap again. Google Search counts it as part of page experience.",
        "Depois de um toque ou tecla, a página demora tanto a responder que as pessoas tocam de novo. A Busca do Google considera isso na experiência da página.",
    ),
    how: text(
        "Split long script tasks, do less work on each input, and remove third-party scripts that you don't need.",
        "Divida tarefas longas dos scripts, faça menos trabalho a cada interação e remova scripts de terceiros desnecessários.",
    ),
    reference: "https://web.dev/articles/inp",
    rule: text(
        "Fails when the 75th percentile of Interaction to Next Paint in the Chrome UX Report is over 200 ms. Over 500 ms the message calls it poor. The check uses the page's own data or, if there is none, the data of its origin. Not measured without field data or without interactions.",
        "Falha quando o percentil 75 do Interaction to Next Paint no Chrome UX Report passa de 200 ms. Acima de 500 ms, a mensagem o chama de ruim. A verificação usa os dados da própria página ou, se não houver, os da origem. Não é medido sem dados de campo ou sem interações.",
    ),
    thresholds: &[threshold("good", INP_MS.0, "ms"), threshold("poor", INP_MS.1, "ms")],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: inp_poor,
};

const CLS_POOR: Check = Check {
    code: "cwv_cls_poor",
    severity: Severity::Warn,
    impact: Impact::Use,
    title: text("High Cumulative Layout Shift (CLS)", "Cumulative Layout Shift (CLS) alto"),
    why: text(
        "Text and buttons move while people read or tap. Google Search counts it as part of page experience.",
        "Textos e botões se movem enquanto as pessoas leem ou tocam. A Busca do Google considera isso na experiência da página.",
    ),
    how: text(
        "Reserve space for images, ads and iframes before they load, and don't insert anything above content that is already visible.",
        "Reserve espaço para imagens, anúncios e iframes antes que carreguem e não insira nada acima do conteúdo já visível.",
    ),
    reference: "https://web.dev/articles/cls",
    rule: text(
        "Fails when the 75th percentile of Cumulative Layout Shift in the Chrome UX Report is over 0.1. Over 0.25 the message calls it poor. The check uses the page's own data or, if there is none, the data of its origin. Not measured without field data.",
        "Falha quando o percentil 75 do Cumulative Layout Shift no Chrome UX Report passa de 0,1. Acima de 0,25, a mensagem o chama de ruim. A verificação usa os dados da própria página ou, se não houver, os da origem. Não é medido sem dados de campo.",
    ),
    thresholds: &[
        threshold("good", CLS_THOUSANDTHS.0, "thousandths"),
        threshold("poor", CLS_THOUSANDTHS.1, "thousandths"),
    ],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: WHOLE,
    run: cls_poor,
};

/// A metric of the field data, and whether it is of the whole origin.
fn metric(facts: &Facts<'_>, name: &str) -> Result<(FieldMetric, bool), NotMeasured> {
    let data = facts.capture.field_data.as_ref().ok_or(NotMeasured::Crux)?;
    let metric = data.metrics.get(name).ok_or(NotMeasured::Crux)?;
    Ok((*metric, data.scope == FieldScope::Origin))
}

/// A finding on a duration.
fn duration(facts: &Facts<'_>, name: &str, limits: (u64, u64), message: Text, advice: Text) -> Verdict {
    let (metric, of_origin) = metric(facts, name)?;
    // Durations are whole milliseconds; a fraction makes no difference to the limits.
    let ms = metric.p75.round() as u64;
    if ms <= limits.0 {
        return PASS;
    }
    problem(
        message,
        &values(ms.into(), (ms > limits.1, of_origin)),
        FixDraft::instruction(FixTarget::Page, advice, &[]),
    )
    .fail()
}

fn values(measured: Value, (is_poor, of_origin): (bool, bool)) -> [(&'static str, Value); 3] {
    [("value", measured), ("poor", u32::from(is_poor).into()), ("origin", u32::from(of_origin).into())]
}

/// Fails when a quarter of the visits wait longer than what is good for the largest paint.
fn lcp_poor(facts: &Facts<'_>) -> Verdict {
    const LATE: Text = text(
        "In one of four visits, the main content takes {value} ms or more to appear (LCP: {poor|poor|needs improvement}; good is up to 2,500 ms). Source: Chrome UX Report for {origin|the whole origin|this page}.",
        "Em uma de cada quatro visitas, o conteúdo principal leva {value} ms ou mais para aparecer (LCP: {poor|ruim|precisa melhorar}; bom é até 2.500 ms). Fonte: Chrome UX Report {origin|da origem inteira|desta página}.",
    );
    const ADVICE: Text = text(
        "Find the LCP element in a lab tool. Then shorten, in this order: time to first byte, discovery of the file, its download, its rendering.",
        "Encontre o elemento do LCP em uma ferramenta de laboratório. Depois encurte, nesta ordem: tempo até o primeiro byte, descoberta do arquivo, download, renderização.",
    );
    duration(facts, "largest_contentful_paint", LCP_MS, LATE, ADVICE)
}

/// Fails when a quarter of the visits wait longer than what is good for an answer to their input.
fn inp_poor(facts: &Facts<'_>) -> Verdict {
    const SLOW: Text = text(
        "In one of four visits, the page takes {value} ms or more to respond to input (INP: {poor|poor|needs improvement}; good is up to 200 ms). Source: Chrome UX Report for {origin|the whole origin|this page}.",
        "Em uma de cada quatro visitas, a página leva {value} ms ou mais para responder à interação (INP: {poor|ruim|precisa melhorar}; bom é até 200 ms). Fonte: Chrome UX Report {origin|da origem inteira|desta página}.",
    );
    const ADVICE: Text = text(
        "Record the slowest interactions with the web-vitals library, and split the longest task of each.",
        "Registre as interações mais lentas com a biblioteca web-vitals e divida a tarefa mais longa de cada uma.",
    );
    duration(facts, "interaction_to_next_paint", INP_MS, SLOW, ADVICE)
}

/// Fails when the layout shifts more than what is good in a quarter of the visits.
fn cls_poor(facts: &Facts<'_>) -> Verdict {
    let (metric, of_origin) = metric(facts, "cumulative_layout_shift")?;
    let thousandths = (metric.p75 * 1_000.0).round() as u64;
    if thousandths <= CLS_THOUSANDTHS.0 {
        return PASS;
    }
    const JUMPS: Text = text(
        "In one of four visits, the layout shifts by {value} or more (CLS: {poor|poor|needs improvement}; good is up to 0.1). Source: Chrome UX Report for {origin|the whole origin|this page}.",
        "Em uma de cada quatro visitas, o layout se desloca {value} ou mais (CLS: {poor|ruim|precisa melhorar}; bom é até 0,1). Fonte: Chrome UX Report {origin|da origem inteira|desta página}.",
    );
    const ADVICE: Text = text(
        "Check images without dimensions, banners that appear late, and web fonts that change the text width.",
        "Verifique imagens sem dimensões, banners que aparecem tarde e fontes web que mudam a largura do texto.",
    );
    let value = format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000);
    let value = value.trim_end_matches('0').trim_end_matches('.');
    let measured = |value: &str| values(value.into(), (thousandths > CLS_THOUSANDTHS.1, of_origin));
    let mut found = problem(JUMPS, &measured(value), FixDraft::instruction(FixTarget::Page, ADVICE, &[]));
    // Portuguese writes decimals with a comma.
    found.message.pt = JUMPS.phrase(&measured(&value.replace('.', ","))).pt;
    found.fail()
}
