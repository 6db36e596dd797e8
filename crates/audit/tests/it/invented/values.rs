//! What a fix says, piece by piece.

use html::{Kind, NodeId, Options, Tree};

/// One value, and the attribute, element or member it is of.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Value {
    fn new(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned() }
    }

    /// Whether it is a list by its definition; of such its items count, whatever their case.
    pub(crate) fn is_list(&self) -> bool {
        ["rel", "viewport", "robots", "googlebot", "Content-Signal"].contains(&self.name.as_str())
    }

    /// Whether it is the tag of a language.
    pub(crate) fn is_language(&self) -> bool {
        ["lang", "hreflang"].contains(&self.name.as_str())
    }

    /// Whether it says which item of a list this is, which a list of its own steps says.
    pub(crate) fn is_place_in_list(&self) -> bool {
        self.name == "position" && self.text.parse().is_ok_and(|place: u32| (1..=50).contains(&place))
    }

    /// Whether it is a title, which may be of two parts.
    pub(crate) fn is_title(&self) -> bool {
        ["title", "og:title"].contains(&self.name.as_str())
    }

    /// Whether it is a description, which may be shortened.
    pub(crate) fn is_description(&self) -> bool {
        ["description", "og:description"].contains(&self.name.as_str())
    }

    /// Whether it says how wide or high an image is.
    pub(crate) fn is_size(&self) -> bool {
        ["width", "height", "og:image:width", "og:image:height"].contains(&self.name.as_str())
    }
}

/// The items of a list.
pub(crate) fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ' ', '=', ':']).filter(|item| !item.is_empty())
}

/// Values of HTML, of members of JSON, or of a plain text.
pub(crate) fn of_markup(source: &str) -> Vec<Value> {
    if source.trim_start().starts_with(['"', '{', '[']) {
        return of_json(source).unwrap_or_else(|| of_members(source));
    }
    let tree = html::parse(source.to_owned(), &Options::default());
    let mut values = Vec::new();
    below(&tree, NodeId::DOCUMENT, &mut values);
    values
}

fn below(tree: &Tree, root: NodeId, values: &mut Vec<Value>) {
    for id in tree.descendants(root) {
        match tree.kind(id) {
            Kind::Text => {
                let text: String = tree.texts(id).collect();
                let parent = tree.parent(id).map(|parent| tree.name(parent).to_owned()).unwrap_or_default();
                let is_raw = ["script", "iframe", "noscript", "noframes"].contains(&parent.as_str());
                match of_json(&text).filter(|_| parent == "script") {
                    Some(members) => values.extend(members),
                    // A start tag alone takes what follows it for its text.
                    None if is_raw && text.contains('<') => values.extend(of_markup(&text)),
                    None => values.push(Value::new(&parent, &text)),
                }
            }
            Kind::Element => {
                // What a meta element says is named by another of its attributes.
                let keys = ["name", "property"]
                    .iter()
                    .filter_map(|key| tree.attribute(id, key))
                    .filter(|_| tree.is(id, "meta"));
                let key = keys.map(|key| key.value().to_ascii_lowercase()).next();
                for attribute in tree.attributes(id) {
                    let name = key.as_deref().filter(|_| attribute.lower_name() == "content");
                    values.push(Value::new(name.unwrap_or(attribute.lower_name()), attribute.value()));
                }
                tree.contents(id).into_iter().for_each(|contents| below(tree, contents, values));
            }
            _ => {}
        }
    }
}

/// Names and values of JSON.
fn of_json(text: &str) -> Option<Vec<Value>> {
    fn walk(name: &str, json: &serde_json::Value, out: &mut Vec<Value>) {
        match json {
            serde_json::Value::Object(members) => members.iter().for_each(|(name, json)| {
                out.push(Value::new("a name", name));
                walk(name, json, out);
            }),
            serde_json::Value::Array(items) => items.iter().for_each(|item| walk(name, item, out)),
            serde_json::Value::String(text) => out.push(Value::new(name, text)),
            other => out.push(Value::new(name, &other.to_string())),
        }
    }
    let mut out = Vec::new();
    walk("", &serde_json::from_str(text).ok()?, &mut out);
    Some(out)
}

/// Values of lines such as `"price": "1"`.
fn of_members(text: &str) -> Vec<Value> {
    let of_line = |line: &str| {
        // Markup stands beside data where a page states values in both.
        if line.starts_with('<') {
            return of_markup(line);
        }
        let line = line.trim_end_matches(',');
        of_json(line).or_else(|| of_json(&format!("{{{line}}}"))).unwrap_or_else(|| vec![Value::new("", line)])
    };
    text.lines().flat_map(of_line).collect()
}

/// Values of a file at the root of a host.
pub(crate) fn of_file(path: &str, content: &str) -> Vec<Value> {
    if content.trim_start().starts_with('<') {
        return of_markup(content);
    }
    let of_line = |line: &str| match line.trim_start_matches('#').split_once(':') {
        Some((field, value)) => vec![Value::new("a field", field.trim()), Value::new(field.trim(), value.trim())],
        None => vec![Value::new("", line)],
    };
    content.lines().flat_map(if path == "/llms.txt" { of_markdown } else { of_line }).collect()
}

/// Values of a line of a list of links, or of another line.
fn of_markdown(line: &str) -> Vec<Value> {
    // A backslash stands before what Markdown would read as its own.
    let plain = |text: &str| text.replace('\\', "");
    let mut links =
        line.match_indices("](").filter(|(at, _)| !line.get(..*at).is_some_and(|label| label.ends_with('\\')));
    let parts = links.next().and_then(|(at, _)| Some((line.get(..at)?, line.get(at + 2..)?)));
    let Some((label, rest)) = parts else {
        return vec![Value::new("", &plain(line.trim_start_matches(['#', '>', '-', ' '])))];
    };
    let (url, rest) = rest.split_once(')').unwrap_or((rest, ""));
    let label = label.trim_start_matches(['-', ' ']);
    vec![
        Value::new("label", &plain(label.strip_prefix('[').unwrap_or(label))),
        Value::new("link", url),
        Value::new("", &plain(rest.trim_start_matches(':'))),
    ]
}

/// What a sentence quotes, and the addresses that it names.
pub(crate) fn of_sentence(text: &str) -> Vec<Value> {
    let quoted = text.split('“').skip(1).filter_map(|rest| Some(rest.split_once('”')?.0));
    let addresses = text
        .split([' ', '"', '`', '<', '>'])
        .filter(|word| word.starts_with("http://") || word.starts_with("https://"));
    quoted
        .chain(addresses)
        .map(|value| Value::new("a sentence", value.trim_end_matches(['.', ',', ';', ':', ')'])))
        .collect()
}
