//! What the desk says: to a prompt, to a tool's answer, at the start of a conversation (BEHAVIOUR §5, §7), and that it said
//! so.

use super::Desk;
use crate::enrich::{self, Asked, Budget, Context, Enriched, Findings, TextKind, Told};
use crate::report::Diagnostic;
use crate::session::{Receipt, What};

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
        let (enriched, mut problems) = if asked.repeat {
            (say(&Told::default()), Vec::new())
        } else if reader == Reader::Nobody {
            let (told, problems) = self.store.told();
            (say(&told), problems)
        } else {
            let tell = |told: &Told| {
                let enriched = say(told);
                (enriched.told.clone(), enriched)
            };
            match self.store.tell(tell) {
                Ok(done) => done,
                // A session that cannot be remembered is told again rather than left without.
                Err(error) => {
                    let message = format!("what was told is not remembered: {error}");
                    let problem = Diagnostic::warning("not-stored", message).hint("make .jaato/refdesk/ writable");
                    (say(&self.store.told().0), vec![problem])
                }
            }
        };
        if reader == Reader::Session && !enriched.blocks.is_empty() {
            problems.extend(self.journal(Receipt::of(asked, &enriched)));
        }
        (enriched, problems)
    }

    /// Puts something into the journal; what keeps it from being there is said, and work goes on.
    pub(super) fn journal(&self, receipt: Receipt) -> Option<Diagnostic> {
        self.store.append(receipt).err().map(|error| {
            let message = format!("the journal cannot be written: {error}");
            Diagnostic::warning("not-journalled", message).hint("make .jaato/refdesk/ writable")
        })
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

    /// What an agent is told at the start of a conversation, within `budget`. To a session that reads it, it counts as told.
    pub fn start(&self, budget: Budget, reader: Reader) -> (Enriched, Vec<Diagnostic>) {
        let mut text = self.instructions();
        let length = text.encode_utf16().count();
        if budget.chars.is_some_and(|most| length > most) {
            text = format!("# Reference Sources\n\nThey take {length} characters: `refdesk instructions` prints them.");
        }
        let asked = Asked { budget, ..Asked::new(TextKind::SystemInstructions, &text) };
        let (enriched, problems) = self.enrich(&asked, reader);
        (Enriched { added_at: 0, ..enriched }, problems)
    }

    /// The session forgets what it was told, since what it read is gone; `reason` goes into the journal.
    pub fn forget_told(&self, reason: &str) -> Vec<Diagnostic> {
        let mut problems = match self.store.tell(|_| (Told::default(), ())) {
            Ok(((), problems)) => problems,
            Err(error) => vec![
                Diagnostic::warning("not-stored", format!("what was told is not remembered: {error}"))
                    .hint("make .jaato/refdesk/ writable"),
            ],
        };
        problems.extend(self.journal(Receipt { reason: reason.to_owned(), ..Receipt::new(What::Forgot) }));
        problems
    }

    /// Puts into the journal that something could not be done for an agent; not where nothing is known and nothing kept,
    /// since that is no workspace.
    pub fn failed(&self, reason: &str) -> Option<Diagnostic> {
        let is_workspace = self.keeps_anything() || !self.catalog.is_empty();
        is_workspace
            .then(|| self.journal(Receipt { reason: reason.to_owned(), ..Receipt::new(What::Failed) }))
            .flatten()
    }

    /// Whether anything was ever kept for this workspace.
    pub fn keeps_anything(&self) -> bool {
        self.store.keeps_anything()
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
