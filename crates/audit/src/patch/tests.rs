use super::*;
use crate::checks;
use crate::example::page;
use crate::facts::walk::Page;
use crate::fix::HeadKey;

fn drafted(code: &str, draft: FixDraft) -> Drafted {
    let check = checks::find(code).unwrap();
    Drafted { check, severity: check.severity, draft }
}

fn is_instruction(item: &Drafted) -> bool {
    item.draft.class == FixClass::Instruction
}

#[test]
fn a_fix_has_so_many_places_and_no_more() {
    let draft = |count: usize| {
        let all = FixDraft::edit(FixTarget::Body, "");
        drafted("title_missing", (0..count).fold(all, |draft, at| draft.replace(at..at, "x")))
    };
    let bounded = |count| bounded(draft(count), None, &[], &mut 1000);
    assert!(!is_instruction(&bounded(MOST_CHANGES)));
    let over = bounded(MOST_CHANGES + 1);
    assert!(is_instruction(&over) && over.draft.edits.is_empty());
    assert!(over.draft.note.unwrap().en.starts_with("501 places"));
}

#[test]
fn a_fix_takes_of_the_room_that_is_left() {
    // Three bytes, twice.
    let check = |mut room: usize, wanted: (bool, usize)| {
        let item = bounded(drafted("title_missing", FixDraft::template(FixTarget::Body, "abc")), None, &[], &mut room);
        assert_eq!((is_instruction(&item), room), wanted);
    };
    check(10, (false, 4));
    check(6, (false, 0));
    check(5, (true, 5));
}

#[test]
fn what_took_in_the_rest_is_not_taken_away() {
    let check = |source: &str, name: &str, wanted: bool| {
        let document = Document::parse(source.to_owned());
        let element = document.elements().filter(|element| element.name() == name).last().unwrap();
        let item = drafted("title_missing", FixDraft::edit(FixTarget::Head, "").remove(element));
        assert_eq!(is_instruction(&kept_apart(item, Some(&document))), wanted, "{source}");
    };
    check("<title>a</title><p>b</p>", "title", false);
    check("<title>a<p>b</p>", "title", true);
    check("<p>a", "p", false);
    check("<svg><circle/><p>b</p>", "p", true);
    check("<math><mi>x<p>b</p>", "p", true);
    check("<svg></svg><p>b</p>", "p", false);
    check("<svg/><p>b</p>", "p", false);
    check("<p>b</p><svg><circle/>", "p", false);
    check("<div><i><p>b</p>", "p", false);
    // What goes is the picture itself.
    check("<p>b</p><svg><circle/>", "svg", false);
    // Nothing is taken away.
    let set = Document::parse("<svg><circle/><p>b</p>".to_owned());
    let p = set.elements().find(|element| element.is("p")).unwrap();
    let item = drafted("title_missing", FixDraft::edit(FixTarget::Head, "").set(p, "id", "x"));
    assert!(!is_instruction(&kept_apart(item, Some(&set))));
}

#[test]
fn a_template_without_gap_or_origin_is_its_owners_decision() {
    const HOW: model::lang::Text = text("How.", "Como.");
    let check = |draft: FixDraft, wanted: FixClass, note: &str| {
        let now = decided(draft, HOW);
        assert_eq!((now.class, now.note.map(|note| note.en).unwrap_or_default()), (wanted, note.to_owned()));
        assert_eq!(now.snippet.is_none() && now.file.is_none(), wanted == FixClass::Instruction);
    };
    let template = |snippet: &str| FixDraft::template(FixTarget::Head, snippet);
    check(template("<a>"), FixClass::Instruction, "How.\n\n<a>");
    check(template("{{A}}"), FixClass::Template, "");
    check(template("<a>").note(text("Fill in {{A}}.", "b"), &[]), FixClass::Template, "Fill in {{A}}.");
    check(template("<a>").note(text("Do.", "b"), &[]), FixClass::Instruction, "Do.\n\n<a>");
    check(template("<a>").from(text("title", "b"), &[]), FixClass::Template, "");
    check(FixDraft::file_template("/a.txt", "b"), FixClass::Instruction, "How.\n\n/a.txt\nb");
    check(FixDraft::file_template("/a.txt", "{{B}}"), FixClass::Template, "");
    check(FixDraft::edit(FixTarget::Head, "<a>"), FixClass::Deterministic, "");
}

#[test]
fn each_fix_is_counted_in_the_list_that_has_it() {
    let mut patch = Patch {
        url: None,
        head: String::new(),
        files: Vec::new(),
        edits: Vec::new(),
        templates: Vec::new(),
        instructions: Vec::new(),
        totals: PatchTotals::default(),
        how_to_apply: HOW_TO_APPLY.into(),
    };
    let mut finished = |code: &str, draft: FixDraft| finish(drafted(code, draft), Vec::new(), &mut patch);
    let template = |gap: &str| FixDraft::template(FixTarget::Head, gap);
    let note = text("Decide.", "Decida.");
    let shown = [
        finished("title_missing", FixDraft::head(HeadKey::Title, "<title>a</title>")),
        finished("robots_txt_missing", FixDraft::file("/robots.txt", "User-agent: *")),
        finished("h1_missing", template("{{H1}}")),
        finished("og_title_missing", template("{{OG}}")),
        finished("og_image_missing", template("{{IMAGE}}")),
        finished("security_txt_missing", FixDraft::file_template("/a.txt", "{{A}}")),
        finished("csp_missing", FixDraft::server_rule(text("{{B}}", "{{B}}"), &[])),
        finished("noindex_meta", FixDraft::instruction(FixTarget::Head, note, &[])),
        finished(
            "hsts_missing",
            FixDraft { snippet: Some("<a>".to_owned()), ..FixDraft::instruction(FixTarget::Page, note, &[]) },
        ),
    ];
    let PatchTotals { deterministic, templates, instructions, total } = patch.totals;
    assert_eq!((deterministic, templates, instructions, total), (2, 3, 4, 9));
    let snippets = shown.each_ref().map(|fix| fix.snippet.as_deref());
    let gaps = [Some("{{H1}}"), Some("{{OG}}"), Some("{{IMAGE}}")];
    assert_eq!(snippets[..5], [&[Some("<title>a</title>"), None][..], &gaps[..]].concat());
    assert_eq!(snippets[5..], [None; 4]);
    let told: Vec<(&str, &str)> =
        patch.instructions.iter().map(|one| (one.code.as_str(), one.note.en.as_str())).collect();
    let how = checks::find("security_txt_missing").unwrap().how.en;
    let file = format!("{how}\n\n/a.txt\n{{{{A}}}}");
    let wanted = [
        ("security_txt_missing", file.as_str()),
        ("csp_missing", "{{B}}"),
        ("noindex_meta", "Decide."),
        ("hsts_missing", "Decide."),
    ];
    assert_eq!(told, wanted);
}

#[test]
fn a_declaration_of_the_encoding_stays_within_the_first_bytes() {
    const META: &str = "<meta charset=utf-8>";
    /// A page whose declaration ends at this byte.
    fn source(end: usize) -> String {
        let (before, after) = ("<!doctype html><html><head><!--", "-->");
        let filler = end - before.len() - after.len() - META.len();
        format!("{before}{}{after}{META}</head><body><p>a</p></body></html>", "x".repeat(filler))
    }
    let moves = |end: usize, tag_length: usize, value: Option<&str>| {
        let capture = page("https://example.com/page", source(end));
        let html = Page::read(&capture).html.unwrap();
        let tag = format!("<title>{}</title>", "t".repeat(tag_length - 15));
        let mut draft = FixDraft::head(HeadKey::Title, tag);
        if let Some(value) = value {
            let p = html.document.elements().find(|element| element.is("p")).unwrap();
            draft = draft.set(p, "id", value);
        }
        let item = drafted("title_missing", draft);
        let bytes = source(end).into_bytes();
        let ready = Ready::of(Some(PageSource { html: &html, bytes: &bytes }), &[], &[&item]);
        ready.head().contains(META)
    };
    // A tag and its line break: 24 bytes.
    assert!(!moves(1000, 23, None));
    assert!(moves(1001, 23, None));
    assert!(moves(1024, 23, None));
    // It was too late before.
    assert!(!moves(1025, 23, None));
    assert!(!moves(500, 23, None));
    // An attribute: name, value, a space, an equals sign and two quotes.
    assert!(!moves(992, 23, Some("ab")));
    assert!(moves(993, 23, Some("ab")));
}

#[test]
fn a_patch_fits_only_the_page_it_was_made_for() {
    let edit = |offset: usize, original: &str| Edit {
        code: "a".to_owned(),
        also: Vec::new(),
        target: FixTarget::Body,
        line: 1,
        offset,
        byte_offset: None,
        byte_length: None,
        original: original.to_owned(),
        snippet: "X".to_owned(),
    };
    assert_eq!(apply_edits("abcdef", &[edit(1, "b"), edit(3, "de")]).as_deref(), Some("aXcXf"));
    assert_eq!(apply_edits("abcdef", &[edit(1, "c")]), None);
    assert_eq!(apply_edits("abcdef", &[edit(3, "de"), edit(1, "b")]), None);
    let change = |span: Range<usize>| (span, b"X".to_vec());
    assert_eq!(spliced(b"abcdef", &[change(1..2), change(3..5)]).as_deref(), Some(&b"aXcXf"[..]));
    assert_eq!(spliced(b"abcdef", &[change(3..5), change(1..2)]), None);
}

#[test]
fn a_tag_that_a_head_has_is_not_added_again() {
    let check = |head: &str, tag: &str, is_missing: bool| {
        let document = Document::parse(format!("<!doctype html><html><head>{head}</head><body><p>a"));
        let wanted: Vec<&str> = if is_missing { vec![tag] } else { Vec::new() };
        assert_eq!(present::missing(&document, tag), wanted, "{head}\n{tag}");
    };
    check("", "<title>a</title>", true);
    check("<title>b</title>", "<title>a</title>", false);
    check("<meta charset=utf-8>", "<meta charset=\"utf-8\">", false);
    check("<meta name=Description content=own>", "<meta name=\"description\" content=\"a\">", false);
    check("<meta name=description content=own data-rh=true>", "<meta name=\"description\" content=\"a\">", false);
    check("<meta name=author content=own>", "<meta name=\"description\" content=\"a\">", true);
    check("<meta name=og:title content=own>", "<meta property=\"og:title\" content=\"a\">", false);
    check("<meta property=og:title content=own>", "<meta property=\"og:image\" content=\"a\">", true);
    check("<meta name=robots content=index>", "<meta name=\"robots\" content=\"max-snippet:-1\">", true);
    check("<meta name=robots content=max-snippet:-1>", "<meta name=\"robots\" content=\"max-snippet:-1\">", false);
    check("<link rel=canonical href=/a>", "<link rel=\"canonical\" href=\"https://example.com/\">", false);
    check("<link rel=alternate hreflang=en href=/a>", "<link rel=\"alternate\" hreflang=\"pt\" href=\"/a\">", true);
    check("<link rel=alternate hreflang=en href=/a>", "<link rel=\"alternate\" hreflang=\"en\" href=\"/a\">", false);
    check("<meta content=a>", "<meta charset=\"utf-8\">", true);
    check("<script>a()</script>", "<script>b()</script>", true);
    check("<script> a() </script>", "<script>a()</script>", false);
    // What stands below the head is not in it: a page without scripts shows it alone.
    check("<noscript><meta name=author content=a></noscript>", "<meta name=\"author\" content=\"a\">", true);
}
