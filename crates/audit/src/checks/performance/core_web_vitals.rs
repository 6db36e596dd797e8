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
        "Reads LCP, INP and CLS of a page from the Chrome UX Report: what real visitors had over the last 28 days.",
        "Lê LCP, INP e CLS de uma página no Chrome UX Report: o que visitantes reais tiveram nos últimos 28 dias.",
    ),
    lead: text(
        "Search counts what visitors have, not what a laboratory measures. These are the three numbers of Google's report, for the page or, where it has too few visitors, for its origin.",
        "A busca considera o que os visitantes têm, não o que um laboratório mede. Estes são os três números do relatório do Google, da página ou, se ela tem poucas visitas, da origem.",
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
    title: text("Main content shows late", "Conteúdo principal demora a aparecer"),
    why: text(
        "A quarter of the visitors wait longer than this for what they came for. Search counts it as part of page experience.",
        "Um quarto dos visitantes espera mais que isto pelo que veio ver. A busca considera isso na experiência da página.",
    ),
    how: text(
        "Find the element that is painted last, mostly the lead image: let its address stand in the HTML, don't load it lazily, and answer faster.",
        "Encontre o elemento pintado por último, em geral a imagem principal: deixe o endereço dela no HTML, não a carregue de forma preguiçosa e responda mais rápido.",
    ),
    reference: "https://web.dev/articles/lcp",
    rule: text(
        "Fails when the 75th percentile of Largest Contentful Paint in the Chrome UX Report is over 2,500 ms; over 4,000 ms the message says poor. The data of the page counts, else that of its origin, which the message says. Not measured without field data.",
        "Falha quando o 75º percentil do Largest Contentful Paint no Chrome UX Report passa de 2.500 ms; acima de 4.000 ms a mensagem diz ruim. Valem os dados da página, senão os da origem, e a mensagem diz qual. Não é medido sem dados de campo.",
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
    title: text("Page answers slowly to input", "Página responde devagar à interação"),
    why: text(
        "After a tap or a key the page stands still for so long that people tap again. Search counts it as part of page experience.",
        "Depois de um toque ou tecla, a página fica parada tanto tempo que as pessoas tocam de novo. A busca considera isso na experiência da página.",
    ),
    how: text(
        "Split long tasks of scripts, do less at each input, and drop third-party scripts that nobody needs.",
        "Divida tarefas longas dos scripts, faça menos a cada interação e remova scripts de terceiros de que ninguém precisa.",
    ),
    reference: "https://web.dev/articles/inp",
    rule: text(
        "Fails when the 75th percentile of Interaction to Next Paint in the Chrome UX Report is over 200 ms; over 500 ms the message says poor. The data of the page counts, else that of its origin. Not measured without field data, or where nobody interacted.",
        "Falha quando o 75º percentil do Interaction to Next Paint no Chrome UX Report passa de 200 ms; acima de 500 ms a mensagem diz ruim. Valem os dados da página, senão os da origem. Não é medido sem dados de campo, ou onde ninguém interagiu.",
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
    title: text("Layout jumps while it loads", "O layout pula enquanto carrega"),
    why: text(
        "Text and buttons move under the reader's finger. Search counts it as part of page experience.",
        "Textos e botões se movem sob o dedo de quem lê. A busca considera isso na experiência da página.",
    ),
    how: text(
        "Give images, ads and frames their room before they load, and insert nothing above what is being read.",
        "Reserve espaço para imagens, anúncios e quadros antes que carreguem, e não insira nada acima do que está sendo lido.",
    ),
    reference: "https://web.dev/articles/cls",
    rule: text(
        "Fails when the 75th percentile of Cumulative Layout Shift in the Chrome UX Report is over 0.1; over 0.25 the message says poor. The data of the page counts, else that of its origin. Not measured without field data.",
        "Falha quando o 75º percentil do Cumulative Layout Shift no Chrome UX Report passa de 0,1; acima de 0,25 a mensagem diz ruim. Valem os dados da página, senão os da origem. Não é medido sem dados de campo.",
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
        "For one visit in four the main content shows after {value} ms or more ({poor|poor|needs improvement}; good is up to 2,500 ms). Chrome UX Report {origin|of the whole origin|of this page}.",
        "Em uma de cada quatro visitas, o conteúdo principal aparece depois de {value} ms ou mais ({poor|ruim|precisa melhorar}; bom é até 2.500 ms). Chrome UX Report {origin|de toda a origem|desta página}.",
    );
    const ADVICE: Text = text(
        "Measure in the laboratory which element it is, and shorten in this order: time to first byte, discovery of the file, its size, its rendering.",
        "Meça em laboratório qual é o elemento e encurte nesta ordem: tempo até o primeiro byte, descoberta do arquivo, tamanho dele, renderização.",
    );
    duration(facts, "largest_contentful_paint", LCP_MS, LATE, ADVICE)
}

/// Fails when a quarter of the visits wait longer than what is good for an answer to their input.
fn inp_poor(facts: &Facts<'_>) -> Verdict {
    const SLOW: Text = text(
        "For one visit in four the page answers input after {value} ms or more ({poor|poor|needs improvement}; good is up to 200 ms). Chrome UX Report {origin|of the whole origin|of this page}.",
        "Em uma de cada quatro visitas, a página responde à interação depois de {value} ms ou mais ({poor|ruim|precisa melhorar}; bom é até 200 ms). Chrome UX Report {origin|de toda a origem|desta página}.",
    );
    const ADVICE: Text = text(
        "Record the slowest interactions with the web-vitals library, and take the longest task of each apart.",
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
        "For one visit in four the layout shifts by {value} or more ({poor|poor|needs improvement}; good is up to 0.1). Chrome UX Report {origin|of the whole origin|of this page}.",
        "Em uma de cada quatro visitas, o layout se desloca {value} ou mais ({poor|ruim|precisa melhorar}; bom é até 0,1). Chrome UX Report {origin|de toda a origem|desta página}.",
    );
    const ADVICE: Text = text(
        "Look at images without dimensions, late banners, and fonts that change the width of the text.",
        "Verifique imagens sem dimensões, faixas que chegam tarde e fontes que mudam a largura do texto.",
    );
    let value = format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000);
    let value = value.trim_end_matches('0').trim_end_matches('.');
    let values = values(value.into(), (thousandths > CLS_THOUSANDTHS.1, of_origin));
    problem(JUMPS, &values, FixDraft::instruction(FixTarget::Page, ADVICE, &[])).fail()
}
