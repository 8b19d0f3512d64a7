//! The rows of the table of actions, in the order of the help.

use super::{Action, Border, Context, Entry, Shown};
use crate::tui::field::Edit;
use crate::tui::motion::Motion;
use crate::tui::pane::Pane;

const SOURCES: &[Context] = &[Context::Pane(Pane::Catalog), Context::Pane(Pane::Selection), Context::Pane(Pane::Hints)];
const TEMPLATES: &[Context] = &[Context::Pane(Pane::Templates)];

macro_rules! entry {
    ($action:expr, $name:literal, $description:literal, $keys:expr, $contexts:expr, $shown:ident) => {
        Entry {
            action: $action,
            name: $name,
            description: $description,
            keys: &$keys,
            contexts: $contexts,
            shown: Shown::$shown,
        }
    };
}

/// Everything a person can do, in the order of the help.
#[rustfmt::skip]
pub const ACTIONS: &[Entry] = &[
    entry!(Action::Toggle, "pick", "Pick the source under the cursor, or take its pick back", ["Space"], SOURCES, BottomLine),
    entry!(Action::Exclude, "exclude", "Bar the source from being pulled in, or lift that", ["x"], SOURCES, BottomLine),
    entry!(Action::Keep, "keep", "Pick for itself what is only pulled in", ["p"], SOURCES, WhenPossible),
    entry!(Action::Filter, "filter", "Show only what fits: words, #tag, type: mode: selected missing, ! for not", ["/"], &[Context::Pane(Pane::Catalog)], BottomLine),
    entry!(Action::Sort, "sort", "List the catalog in the next order", ["s"], &[Context::Pane(Pane::Catalog)], HelpOnly),
    entry!(Action::Open, "open", "Open the document of the source in $EDITOR", ["Enter", "o"], &[Context::Pane(Pane::Catalog), Context::Pane(Pane::Selection)], WhenPossible),
    entry!(Action::OpenMention, "mention", "Open the place that mentions the source in $EDITOR", ["m"], &[Context::Pane(Pane::Selection)], WhenPossible),
    entry!(Action::Open, "open found", "Open the document of the source found in $EDITOR", ["o"], &[Context::Pane(Pane::Hints)], HelpOnly),
    entry!(Action::Define, "edit definition", "Open the entry that defines the source in $EDITOR", ["e"], SOURCES, HelpOnly),
    entry!(Action::CopyId, "copy id", "Put the id of the source on the clipboard", ["y"], SOURCES, HelpOnly),
    entry!(Action::CopyPath, "copy path", "Put the path or address of the source on the clipboard", ["Y"], SOURCES, HelpOnly),
    entry!(Action::Prompt, "type a prompt", "Type a prompt and see what it would be hinted at", ["Enter", "i"], &[Context::Pane(Pane::Hints)], BottomLine),
    entry!(Action::Values, "values", "Type values for the variables and watch the preview", ["Enter", "i"], &[Context::Pane(Pane::Templates)], BottomLine),
    entry!(Action::Open, "open template", "Open the template in $EDITOR, at the line where it does not render", ["o"], TEMPLATES, WhenPossible),
    entry!(Action::Define, "edit its source", "Open the entry that defines the template's source in $EDITOR", ["e"], TEMPLATES, HelpOnly),
    entry!(Action::CopyId, "copy name", "Put the name of the template on the clipboard", ["y"], TEMPLATES, HelpOnly),
    entry!(Action::CopyPath, "copy its path", "Put the path of the template's file on the clipboard", ["Y"], TEMPLATES, HelpOnly),
    entry!(Action::Search, "search", "Look for a text in the details", ["/"], &[Context::Details], BottomLine),
    entry!(Action::NextHit, "next hit", "To the next place found", ["n"], &[Context::Details], WhenPossible),
    entry!(Action::PreviousHit, "hit before", "To the place found before", ["N"], &[Context::Details], HelpOnly),
    entry!(Action::Follow, "to the source", "Go to the source that the row is about, or open its file", ["Enter"], &[Context::Feed], WhenPossible),
    entry!(Action::OpenPlace, "open its file", "Open the file that the row names at its line, or else the document of its source", ["o"], &[Context::Feed], HelpOnly),
    entry!(Action::FilterFeed, "filter feed", "Show only rows with these words in them", ["/"], &[Context::Feed], BottomLine),
    entry!(Action::SetValue, "set", "Type the value of the variable; turn a flag over", ["Enter", "Space", "i"], &[Context::Values], BottomLine),
    entry!(Action::ResetValue, "reset", "Take the typed value back", ["x", "Delete"], &[Context::Values], WhenPossible),
    entry!(Action::Back, "back", "Back to the list, then to the unfiltered list", ["Esc", "Left", "h"], &[Context::Details, Context::Feed, Context::Values, Context::Global], WhenPossible),

    entry!(Action::Move(Motion::Up), "up", "One row up", ["Up", "k"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::Down), "down", "One row down", ["Down", "j"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::PageUp), "page up", "One page up", ["PageUp", "C-b"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::PageDown), "page down", "One page down", ["PageDown", "C-f"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::HalfUp), "half up", "Half a page up", ["C-u"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::HalfDown), "half down", "Half a page down", ["C-d"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::Top), "top", "To the first row", ["g", "Home"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::Bottom), "bottom", "To the last row", ["G", "End"], &[Context::List], HelpOnly),

    entry!(Action::Help, "help", "Show the keys of the pane you are in", ["?", "F1"], &[Context::Global], BottomLine),
    entry!(Action::Palette, "palette", "Look for an action by its name", [":", "C-p"], &[Context::Global], BottomLine),
    entry!(Action::Undo, "undo", "Take your last change of picks and exclusions back", ["u"], &[Context::Global], WhenPossible),
    entry!(Action::Redo, "redo", "Do again what undo took back", ["C-r"], &[Context::Global], WhenPossible),
    entry!(Action::Quit, "quit", "Leave; picks and exclusions stay", ["q"], &[Context::Global], BottomLine),
    entry!(Action::NextPane, "next pane", "Go to the next pane", ["Tab"], &[Context::Global], BottomLine),
    entry!(Action::Problems, "problems", "Show what is wrong with the workspace, and how to mend it", ["d"], &[Context::Global], BottomLine),
    entry!(Action::Zoom, "zoom", "Give the focused pane the whole screen, or take it back", ["z"], &[Context::Global], BottomLine),
    entry!(Action::Inside, "scroll details", "Go from the list to its details or the feed, to move there", ["Right", "l"], &[Context::Global], WhenPossible),
    entry!(Action::PreviousPane, "previous pane", "Go to the pane before", ["BackTab"], &[Context::Global], HelpOnly),
    entry!(Action::Focus(Pane::Catalog), "catalog", "Go to the catalog", ["1"], &[Context::Global], HelpOnly),
    entry!(Action::Focus(Pane::Selection), "selection", "Go to the selection", ["2"], &[Context::Global], HelpOnly),
    entry!(Action::Focus(Pane::Hints), "hints", "Go to the hints", ["3"], &[Context::Global], HelpOnly),
    entry!(Action::Focus(Pane::Templates), "templates", "Go to the templates", ["4"], &[Context::Global], HelpOnly),
    entry!(Action::Feed, "feed", "Go to the feed of what happened", ["f"], &[Context::Global], HelpOnly),
    entry!(Action::Clear, "clear", "Take every pick back; asks first", ["C"], &[Context::Global], HelpOnly),
    entry!(Action::Border(Border::Left), "border left", "Move the border between the panes to the left", ["<"], &[Context::Global], HelpOnly),
    entry!(Action::Border(Border::Right), "border right", "Move the border between the panes to the right", [">"], &[Context::Global], HelpOnly),
    entry!(Action::Border(Border::Up), "border up", "Move the border between the panes up", ["-"], &[Context::Global], HelpOnly),
    entry!(Action::Border(Border::Down), "border down", "Move the border between the panes down", ["+"], &[Context::Global], HelpOnly),
    entry!(Action::Usual, "usual borders", "Put all borders back, between the panes and within them", ["="], &[Context::Global], HelpOnly),
    entry!(Action::Theme, "theme", "Look with the next theme", ["T"], &[Context::Global], HelpOnly),
    entry!(Action::Mouse, "mouse", "Leave the mouse to the terminal, to mark text with it, or take it back", ["M"], &[Context::Global], HelpOnly),
    entry!(Action::Reload, "reload", "Read the workspace again", ["r"], &[Context::Global], HelpOnly),

    entry!(Action::OpenPlace, "open file", "Open the file of the problem at its line in $EDITOR", ["Enter", "o"], &[Context::Problems], BottomLine),
    entry!(Action::CopyPlace, "copy place", "Put file and line of the problem on the clipboard", ["y"], &[Context::Problems], BottomLine),
    entry!(Action::Follow, "to its source", "Go to the source that the problem is about", ["c"], &[Context::Problems], WhenPossible),
    entry!(Action::Back, "close", "Close this window", ["Esc", "q", "?", "d", "F1", "Enter"], &[Context::Overlay], BottomLine),

    entry!(Action::Confirm, "do it", "Do what the row under the cursor says", ["Enter"], &[Context::Palette], BottomLine),
    entry!(Action::Back, "close palette", "Leave the palette", ["Esc"], &[Context::Palette], BottomLine),
    entry!(Action::Move(Motion::Up), "action up", "To the action above", ["Up", "C-p", "BackTab"], &[Context::Palette], HelpOnly),
    entry!(Action::Move(Motion::Down), "action down", "To the action below", ["Down", "C-n", "Tab"], &[Context::Palette], HelpOnly),
    entry!(Action::Confirm, "yes", "Do it", ["y", "Enter"], &[Context::Question], BottomLine),
    entry!(Action::Back, "no", "Leave everything as it is", ["Esc", "n", "q"], &[Context::Question], BottomLine),

    entry!(Action::Accept, "keep filter", "Leave the filter line and keep the filter", ["Enter", "Tab"], &[Context::Filter], BottomLine),
    entry!(Action::Cancel, "clear filter", "Leave the filter line and show everything", ["Esc"], &[Context::Filter], BottomLine),
    entry!(Action::Move(Motion::Up), "row up", "Move in the list while typing", ["Up", "C-p"], &[Context::Filter, Context::FeedFilter], HelpOnly),
    entry!(Action::Move(Motion::Down), "row down", "Move in the list while typing", ["Down", "C-n"], &[Context::Filter, Context::FeedFilter], HelpOnly),
    entry!(Action::Accept, "to the hit", "Leave the search line, at the place found", ["Enter", "Tab"], &[Context::Search], BottomLine),
    entry!(Action::Cancel, "end search", "Leave the search line and mark nothing", ["Esc"], &[Context::Search], BottomLine),
    entry!(Action::Accept, "keep feed filter", "Leave the filter line and keep the filter", ["Enter", "Tab"], &[Context::FeedFilter], BottomLine),
    entry!(Action::Cancel, "clear feed filter", "Leave the filter line and show everything", ["Esc"], &[Context::FeedFilter], BottomLine),
    entry!(Action::Accept, "keep value", "Leave the value as typed", ["Enter", "Tab", "Esc"], &[Context::Value], BottomLine),
    entry!(Action::Accept, "leave the prompt", "Go to the references found", ["Esc", "Tab"], &[Context::Prompt], BottomLine),
    entry!(Action::Edit(Edit::NewLine), "new line", "Begin a new line", ["Enter"], &[Context::Prompt], BottomLine),
    entry!(Action::Edit(Edit::LineUp), "line up", "One line up; in the first line to the prompt before", ["Up", "C-p"], &[Context::Prompt], BottomLine),
    entry!(Action::Edit(Edit::LineDown), "line down", "One line down; in the last line to the prompt after", ["Down", "C-n"], &[Context::Prompt], HelpOnly),
    entry!(Action::ClearPrompt, "clear prompt", "Throw the prompt away; Up in the empty one brings it back", ["C-x"], &[Context::Prompt, Context::Pane(Pane::Hints)], WhenPossible),

    entry!(Action::Edit(Edit::Left), "left", "One character left", ["Left", "C-b"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::Right), "right", "One character right", ["Right", "C-f"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::WordLeft), "word left", "One word left", ["C-Left", "M-b"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::WordRight), "word right", "One word right", ["C-Right", "M-f"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::LineStart), "line start", "To the start of the line", ["Home", "C-a"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::LineEnd), "line end", "To the end of the line", ["End", "C-e"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteBefore), "delete before", "Delete the character before the cursor", ["Backspace", "C-h"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteAfter), "delete after", "Delete the character after the cursor", ["Delete", "C-d"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteWord), "delete word", "Delete the word before the cursor", ["C-w", "M-Backspace"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteToStart), "delete to start", "Delete to the start of the line", ["C-u"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteToEnd), "delete to end", "Delete to the end of the line", ["C-k"], &[Context::Field], HelpOnly),

    entry!(Action::Quit, "quit now", "Leave from anywhere", ["C-c"], &[Context::Always], HelpOnly),
    entry!(Action::Suspend, "suspend", "Stop the program; fg brings it back", ["C-z"], &[Context::Always], HelpOnly),
    entry!(Action::Redraw, "redraw", "Draw everything anew", ["C-l"], &[Context::Always], HelpOnly),
];
