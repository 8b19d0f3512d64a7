//! What the desk says: to a prompt, to a tool's answer, at the start of a conversation (BEHAVIOUR §5, §7).

use serde_json::Value;

use super::Desk;
use crate::enrich::{self, Context, Enriched, Findings, TextKind, Told};
use crate::report::Diagnostic;

/// The tool without which a hint would be no use.
const SELECT_TOOL: &str = "selectReferences";

impl Desk {
    /// Appends what there is to say about a text; `arguments` are those of the tool that gave it. With `repeat` it says
    /// all of it and the session is told nothing; with `dry_run` it says what is news and the session is told nothing.
    pub fn enrich(
        &self,
        kind: TextKind,
        text: &str,
        arguments: Option<&Value>,
        repeat: bool,
        dry_run: bool,
    ) -> (Enriched, Vec<Diagnostic>) {
        let say = |told: &Told| {
            let mut enriched = enrich::enrich(&self.context(), kind, text, told, repeat);
            if let (TextKind::ToolResult, Some(arguments)) = (kind, arguments) {
                enriched.metadata.pinned_reference =
                    enrich::pinned(&self.catalog, &self.selection, self.workspace(), arguments);
            }
            enriched
        };
        if repeat || dry_run {
            let (told, problems) = if repeat { (Told::default(), Vec::new()) } else { self.store.told() };
            return (say(&told), problems);
        }
        let tell = |told: &Told| {
            let enriched = say(told);
            (enriched.told.clone(), enriched)
        };
        match self.store.tell(tell) {
            Ok(done) => done,
            // A session that cannot be remembered is told again rather than left without.
            Err(error) => {
                let problem = Diagnostic::warning("not-stored", format!("what was told is not remembered: {error}"));
                (say(&self.store.told().0), vec![problem.hint("make .jaato/refdesk/ writable")])
            }
        }
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
