//! Every action of the full screen is available in the plain interface, by a command or by an answer, or has a reason
//! not to be.

use refdesk::plain::COMMANDS;
use refdesk::tui::action::{ACTIONS, Action};

/// How an action of the full screen is reached.
enum Reached {
    /// By this command of the plain interface.
    Command(&'static str),
    /// By answering a question.
    Answer(#[expect(dead_code, reason = "for the reader")] &'static str),
    /// By a refdesk command, which prints plain lines itself.
    Program(&'static str),
    /// Not available, because there is nothing to do.
    Needless(#[expect(dead_code, reason = "for the reader")] &'static str),
}

fn reached(action: Action) -> Reached {
    use Reached::{Answer, Command, Needless, Program};
    const SCREEN: &str = "it arranges or draws the screen";
    const CURSOR: &str = "rows have numbers, so there is no cursor to move";
    const TYPING: &str = "a line is typed and edited as in any program on a terminal";
    match action {
        Action::Quit => Command("quit"),
        Action::Suspend => Needless("Ctrl-Z suspends it, as any program"),
        Action::LeaveTour => Needless("the tour works only on the full screen"),
        Action::Redraw
        | Action::Zoom
        | Action::Preset(_)
        | Action::Border(_)
        | Action::ResetBorders
        | Action::Theme => Needless(SCREEN),
        Action::Mouse | Action::Leftwards | Action::Rightwards | Action::FrontMatter => Needless(SCREEN),
        Action::NextPane | Action::PreviousPane | Action::Move(_) | Action::Inside => Needless(CURSOR),
        Action::Edit(_) | Action::NextField | Action::PreviousField => Needless(TYPING),
        Action::Help | Action::FilterHelp | Action::Palette => Command("help"),
        Action::Problems => Command("problems"),
        Action::Profiles => Command("profiles"),
        Action::Jump | Action::JumpKind | Action::Sections => Command("search"),
        Action::Confirm | Action::TrustThis | Action::Approve => Answer("yes"),
        Action::Back | Action::Cancel => Answer("no"),
        Action::Accept => Answer("an empty line, or a line with only a dot"),
        Action::Reload => Command("reload"),
        Action::Focus(pane) => Command(match pane.word() {
            "Catalog" => "catalog",
            "Selection" => "selection",
            "Hints" => "hints",
            _ => "templates",
        }),
        Action::Toggle => Command("pick"),
        Action::PickNear | Action::PickAlone => Answer("near, or alone"),
        Action::Budget => Command("budget"),
        Action::Keep => Command("keep"),
        Action::Exclude => Command("exclude"),
        Action::AllShown => Needless("a command takes all sources of the list"),
        Action::Bulk(verb) => Command(verb.word()),
        Action::Clear => Command("clear"),
        Action::Undo => Command("undo"),
        Action::Redo => Command("redo"),
        Action::Open | Action::Define | Action::OpenPlace => Command("open"),
        Action::OpenMention => Command("mention"),
        Action::CopyId | Action::CopyPath | Action::CopyPlace => Needless("what is said can be marked and copied"),
        Action::Sort | Action::SortTokens => Command("sort"),
        Action::Read => Command("document"),
        Action::Search | Action::NextHit | Action::PreviousHit => Command("find"),
        Action::NextLink | Action::PreviousLink | Action::FollowLink => Command("show"),
        Action::GoBack | Action::GoForward => Needless("any source is one command away"),
        Action::Centre => Command("show"),
        Action::PreviousCentre | Action::NextLevel | Action::PreviousLevel | Action::ToCatalog => {
            Needless("any source is one command away")
        }
        Action::Graph | Action::NextTab | Action::PreviousTab => Program("graph"),
        Action::MarkStart | Action::PathBetween | Action::OpenWhere | Action::CopyExport => Program("graph"),
        Action::Agents => Command("agents"),
        Action::Databases => Command("databases"),
        Action::DocumentDatabases => Command("describe"),
        Action::Messages => Needless("what was said stays on the terminal"),
        Action::Enriched => Command("enriched"),
        Action::ClearPrompt | Action::Prompt => Command("prompt"),
        Action::Feed | Action::NextKind | Action::ThisSession => Command("feed"),
        Action::Follow => Command("receipt"),
        Action::Values | Action::SetValue | Action::EditValues => Command("values"),
        Action::AddItem => Answer("the number of items of a list"),
        Action::ResetValue => Command("reset"),
        Action::View => Command("difference"),
        Action::Write => Command("write"),
        Action::Filter => Command("filter"),
        Action::SaveFilter | Action::Filters | Action::RemoveFilter => {
            Needless("a line of a filter is typed or pasted again")
        }
        Action::Requests | Action::NextRequest | Action::PreviousRequest => Command("requests"),
        Action::Answer | Action::Mark | Action::MarkAll => Answer("numbers, or all"),
        Action::Decline => Answer("none, or no for a write"),
        Action::Welcome => Command("welcome"),
        Action::Discover | Action::Tick | Action::TickAll => Program("init"),
        Action::OpenDemo => Needless("it is started with --demo"),
        Action::ConnectAgent => Program("connect"),
        Action::AddSource => Program("add"),
        Action::Trust => Command("trust"),
    }
}

#[test]
fn every_action_is_reached_or_has_a_reason() {
    let names: Vec<&str> = COMMANDS.iter().flat_map(|command| command.names).copied().collect();
    let program = <refdesk::cli::Cli as clap::CommandFactory>::command();
    for row in ACTIONS {
        match reached(row.action) {
            Reached::Command(name) => assert!(names.contains(&name), "{}: there is no command {name}", row.name),
            Reached::Program(name) => assert!(program.find_subcommand(name).is_some(), "{}: {name}", row.name),
            Reached::Answer(_) | Reached::Needless(_) => {}
        }
    }
}

#[test]
fn no_two_commands_have_the_same_name() {
    let mut names: Vec<&str> = COMMANDS.iter().flat_map(|command| command.names).copied().collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}
