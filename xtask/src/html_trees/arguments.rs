//! Options of a command: `--name value`, each at most once.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};

/// The options that were given.
#[derive(Debug)]
pub(super) struct HuntOptions {
    given: BTreeMap<String, String>,
}

impl HuntOptions {
    /// Reads options of these names.
    pub(super) fn read(mut arguments: impl Iterator<Item = String>, known: &[&str]) -> Result<Self> {
        let mut given = BTreeMap::new();
        while let Some(name) = arguments.next() {
            if !known.contains(&name.as_str()) {
                bail!("there is no option {name}; there are {}", known.join(", "));
            }
            let value = arguments.next().with_context(|| format!("{name} takes a value"))?;
            if let Some(before) = given.insert(name.clone(), value) {
                bail!("{name} is given twice, first with {before}");
            }
        }
        Ok(Self { given })
    }

    /// Refuses options that were given and not asked for.
    pub(super) fn end(&self) -> Result<()> {
        match self.given.keys().next() {
            Some(name) => bail!("{name} does not go with the other options"),
            None => Ok(()),
        }
    }

    /// The value of an option.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.given.remove(name)
    }

    /// The value of an option that is a whole number.
    pub(super) fn number(&mut self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.text(name) else { return Ok(None) };
        value.parse().map(Some).with_context(|| format!("{name} takes a whole number, not {value}"))
    }
}
