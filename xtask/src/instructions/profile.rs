//! What callgrind wrote of a run (format: valgrind manual, "Callgrind Format Specification").

use std::collections::HashMap;

/// Cost of one function.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct FunctionCost {
    /// Of its own instructions.
    own: u64,
    /// With all that it calls. Of a recursive function what it calls of itself counts again.
    inclusive: u64,
}

/// Costs of all functions, in instructions.
#[derive(Debug, Default)]
pub(super) struct Profile {
    functions: HashMap<String, FunctionCost>,
}

impl Profile {
    /// Reads the file. Lines that are not known are passed over.
    pub(super) fn read(text: &str) -> Self {
        let mut names: HashMap<&str, &str> = HashMap::new();
        let mut costs: HashMap<&str, FunctionCost> = HashMap::new();
        let mut current = "";
        let mut is_call = false;
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("fn=").or_else(|| line.strip_prefix("cfn=")) {
                // `(3) name` gives a number to a name; `(3)` stands for it from then on.
                let (id, name) = rest.split_once(' ').unwrap_or((rest, ""));
                if !name.is_empty() {
                    names.insert(id, name);
                }
                if line.starts_with("fn=") {
                    current = id;
                }
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*')) {
                let cost = line.split_ascii_whitespace().nth(1).and_then(|cost| cost.parse::<u64>().ok());
                let function = costs.entry(current).or_default();
                let cost = cost.unwrap_or_default();
                function.inclusive += cost;
                function.own += if is_call { 0 } else { cost };
                is_call = false;
            }
        }
        let mut functions: HashMap<String, FunctionCost> = HashMap::new();
        for (id, cost) in costs {
            let named = functions.entry(names.get(id).copied().unwrap_or(id).to_owned()).or_default();
            named.own += cost.own;
            named.inclusive += cost.inclusive;
        }
        Self { functions }
    }

    /// Instructions of a function and all that it calls; `None` where it was not called.
    pub(super) fn inclusive(&self, function: &str) -> Option<u64> {
        self.functions.get(function).map(|cost| cost.inclusive)
    }

    /// Prints the functions that take most, by their own instructions and with what they call, as Markdown.
    pub(super) fn print_dearest(&self, count: usize) {
        let all: u64 = self.functions.values().map(|cost| cost.own).sum();
        let share = |cost: u64| cost as f64 / all as f64 * 100.0;
        for (title, of) in
            [("own", (|cost| cost.own) as fn(FunctionCost) -> u64), ("with callees", |cost| cost.inclusive)]
        {
            let mut sorted: Vec<(&String, u64)> = self.functions.iter().map(|(name, cost)| (name, of(*cost))).collect();
            sorted.sort_by_key(|(name, cost)| (std::cmp::Reverse(*cost), *name));
            println!("\n| function, {title} | millions | share |\n|---|--:|--:|");
            for (name, cost) in sorted.into_iter().take(count) {
                println!("| `{name}` | {:.1} | {:.1} % |", cost as f64 / 1e6, share(cost));
            }
        }
        println!();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_costs_and_those_of_calls_are_told_apart() {
        let text = "version: 1\nevents: Ir\n\nfl=(1) a.rs\nfn=(1) outer\n10 5\n+1 7\ncfn=(2) inner\ncalls=3 20\n+1 30\n* 1\n\n\
            fn=(2)\n20 30\n\nfn=(1)\n15 2\ntotals: 45\n";
        let profile = Profile::read(text);
        assert_eq!(profile.inclusive("outer"), Some(45));
        assert_eq!(profile.functions.get("outer").map(|cost| cost.own), Some(15));
        assert_eq!(profile.inclusive("inner"), Some(30));
        assert_eq!(profile.inclusive("other"), None);
    }
}
