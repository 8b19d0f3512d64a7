//! The command that prints the graph as a picture, for a shell in any folder.

use crate::tui::state::State;

/// How refdesk was started, as far as another call has to repeat it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchOptions {
    /// In the demo, whose folder is removed at the end.
    pub is_demo: bool,
    /// The whole path of the configuration file, if one was named.
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
