//! html5ever as a referee.

use anyhow::Result;

use super::Parser;
use super::html5ever_tree::tree;

/// The parser.
#[derive(Debug)]
pub(super) struct Html5ever {
    pub(super) scripting: bool,
}

impl Parser for Html5ever {
    fn name(&self) -> &'static str {
        "html5ever"
    }

    fn scripting(&self) -> bool {
        self.scripting
    }

    fn trees(&mut self, sources: &[String]) -> Result<Vec<String>> {
        Ok(sources.iter().map(|source| tree(source, self.scripting)).collect())
    }

    fn restart(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html_trees::our_tree::ours;

    #[test]
    fn every_kind_of_node_is_written_as_ours_is() {
        let source = "<!DOCTYPE html PUBLIC 'a' 'b'><!--c--><title>d</title><svg viewbox=1 xlink:href=e>f</svg>\
                      <div><template shadowrootmode=open>g</template><template>h</template><noscript><p>i</noscript>";
        for scripting in [true, false] {
            assert_eq!(tree(source, scripting), ours(source, scripting));
        }
    }
}
