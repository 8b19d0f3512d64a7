//! What the desk says: to a prompt, to a tool's answer, at the start of a conversation (BEHAVIOUR §5, §7), and that it said
//! so.

use super::Desk;
use crate::enrich::{self, Asked, Context, Enriched, Findings, TextKind, Told};
use crate::report::Diagnostic;
use crate::session::{Receipt, advice};

/// The tool without which a hint would be no use.
const SELECT_TOOL: &str = "selectReferences";

/// Who gets to read what is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The session: it counts as told, and the journal has a receipt.
    Session,
    /// Nobody: it is only looked at.
    Nobody,
}

impl Desk {
    /// Appends what there is to say about a text.
    pub fn enrich(&self, asked: &Asked, reader: Reader) -> (Enriched, Vec<Diagnostic>) {
        let say = |told: &Told| enrich::enrich(&self.context(), asked, told);
        let mut offered = None;
        let (enriched, mut problems) = if asked.repeat {
            (say(&Told::default()), Vec::new())
        } else if reader == Reader::Nobody {
            let (told, problems) = self.store.told();
            (say(&told), problems)
        } else {
            let tell = |told: &Told| {
                let enriched = say(told);
                (enriched.told.clone(), (enriched, told.offered.clone()))
            };
            match self.store.tell(tell) {
                Ok(((enriched, before), problems)) => {
                    offered = Some(before);
                    (enriched, problems)
                }
                // A session that cannot be remembered is told again rather than left without.
                Err(error) => {
                    let message = format!("what was told is not remembered: {error}");
                    let problem = Diagnostic::warning("not-stored", message).hint(advice(&error));
                    (say(&self.store.told().0), vec![problem])
                }
            }
        };
        if reader == Reader::Session {
            let tool = asked.tool.filter(|_| asked.kind == TextKind::ToolResult);
            let mut receipts = tool.map_or_else(Vec::new, |tool| {
                self.readings(&tool, &offered.unwrap_or_else(|| self.store.told().0.offered))
            });
            if !enriched.blocks.is_empty() {
                receipts.push(Receipt::of(asked, &enriched));
            }
            problems.extend(self.journal_all(receipts));
        }
        (enriched, problems)
    }

    /// Makes ready what looking at texts needs, ahead of the first text.
    pub fn warm(&self) {
        self.matcher.warm(&self.catalog, Some(self.library().ids().clone()));
    }

    /// What a text names and touches.
    pub fn look(&self, text: &str) -> Findings {
        self.matcher.candidates(text, &self.catalog, &self.selection, self.hides_selecting())
    }

    /// Everything an agent is told at the start; empty where there is nothing to say.
    pub fn instructions(&self) -> String {
        enrich::instructions(&self.catalog, &self.selection, self, self.hides_selecting())
    }

    fn context(&self) -> Context<'_> {
        Context {
            workspace: self.workspace(),
            catalog: &self.catalog,
            selection: &self.selection,
            matcher: &self.matcher,
            places: self,
            exclude_hints: self.hides_selecting(),
        }
    }

    fn hides_selecting(&self) -> bool {
        self.settings().exclude_tools.iter().any(|tool| tool == SELECT_TOOL)
    }
}
