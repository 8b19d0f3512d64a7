//! The shell command that prints the graph as a picture. It works from any folder.

use crate::tui::state::State;

/// The options refdesk was started with that another call has to repeat.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchOptions {
    /// Running the demo, whose folder is removed at exit.
    pub is_demo: bool,
    /// The absolute path of the configuration file, if one was given.
    pub config: Option<String>,
}

/// `refdesk --workspace /home/ada/shop graph --svg > graph.svg`
pub fn command(state: &State) -> String {
    let mut words = vec!["refdesk"];
    if state.launched.is_demo {
        words.push("--demo");
    } else {
        words.extend(["--workspace", &*state.snapshot.workspace]);
        words.extend(state.launched.config.iter().flat_map(|config| ["--config", config.as_str()]));
        if &*state.snapshot.desk != "default" {
            words.extend(["--desk", &*state.snapshot.desk]);
        }
    }
    format!("{} graph --svg > graph.svg", shell_words::join(words))
}
