//! How a screen begins: what the environment says about colours and characters. Read once, before the first frame, so
//! that nothing has to be asked of the terminal.

use super::glyphs::Glyphs;
use super::state::Skin;
use super::theme::Theme;

/// How a screen begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    pub(super) skin: Skin,
}

impl Start {
    /// What `NO_COLOR`, `COLORTERM`, `TERM` and the locale ask for.
    pub fn from_env() -> Self {
        let get = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let locale = get("LC_ALL").or_else(|| get("LC_CTYPE")).or_else(|| get("LANG"));
        Self::new(get, locale.as_deref())
    }

    fn new(get: impl Fn(&str) -> Option<String>, locale: Option<&str>) -> Self {
        let [no_color, colorterm, term] = ["NO_COLOR", "COLORTERM", "TERM"].map(get);
        let theme = Theme::for_terminal(no_color.as_deref(), colorterm.as_deref(), term.as_deref());
        Self { skin: Skin { theme, glyphs: Glyphs::for_locale(locale) } }
    }
}
