//! What every built-in theme guarantees: all roles, contrast, and colours that colour-blind people can distinguish.

use ratatui::style::{Color, Modifier};

use refdesk_core::config::screen_files::{ScreenFile, ScreenFiles};
use refdesk_core::selection::SelectionState;

use super::contrast::{ColourVision, apart, contrast};
use super::palette::rgb;
use super::themes::SHIPPED;
use super::*;
use crate::tui::glyphs::Glyphs;

const COLOURED: [ThemeRole; 8] = [
    ThemeRole::Catalog,
    ThemeRole::Selection,
    ThemeRole::Transitive,
    ThemeRole::Hints,
    ThemeRole::Templates,
    ThemeRole::Infra,
    ThemeRole::Error,
    ThemeRole::Warning,
];

fn theme(name: &str) -> Theme {
    Themes::new(Colours::Indexed).theme(name).unwrap()
}

fn colour(colour: Option<Color>) -> [u8; 3] {
    colour.and_then(rgb).unwrap()
}

fn own(themes: &[(&str, &str)]) -> (Themes, Vec<String>) {
    let file = |(name, text): &(&str, &str)| ScreenFile {
        name: (*name).to_owned(),
        shown: format!("{name}.toml"),
        text: (*text).to_owned(),
    };
    let files = ScreenFiles { themes: themes.iter().map(file).collect(), ..ScreenFiles::default() };
    let (themes, problems) = Themes::new(Colours::True).with_own(&files);
    let reported = |it: refdesk_text::report::Diagnostic| {
        format!("{}:{} {}; {}", it.file.unwrap_or_default(), it.line.unwrap_or(0), it.message, it.fix)
    };
    (themes, problems.into_iter().map(reported).collect())
}

#[test]
fn every_theme_of_the_program_has_a_style_for_every_role() {
    for (at, role) in ThemeRole::ALL.into_iter().enumerate() {
        assert_eq!(role.index(), at, "{}", role.word());
    }
    for (name, text) in SHIPPED {
        let (theme, problems) = file::read(text, name);
        assert_eq!(problems, [], "{name}");
        assert_eq!((theme.styles.len(), theme.inherits), (ThemeRole::ALL.len(), None), "{name}");
    }
}

#[test]
fn every_file_in_themes_is_used() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/themes");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().replace(".toml", ""))
        .collect();
    files.sort();
    let mut used = SHIPPED.map(|(name, _)| name);
    used.sort_unstable();
    assert_eq!(files, used);
}

/// Every role is used for text somewhere, and on the row under the cursor too, so it needs the contrast of 4.5 to 1 of
/// WCAG 2.2 (1.4.3). A theme without its own background needs it on the backgrounds of terminals that it is made for.
/// The sixteen colours are measured as xterm shows them by default, on black, or on white in the theme for that; users
/// may have configured others.
#[test]
fn texts_are_readable_on_their_backgrounds_and_under_the_cursor() {
    let grey = |level: u8| [level; 3];
    for (name, backgrounds, least) in [
        ("dark", vec![grey(0), grey(0x1e)], 4.5),
        ("light", vec![], 4.5),
        ("contrast", vec![], 7.0),
        ("colourblind", vec![], 4.5),
        ("ansi", vec![grey(0)], 4.5),
        ("ansi-light", vec![grey(0xff)], 4.5),
    ] {
        let theme = theme(name);
        let backgrounds = theme.background().map_or(backgrounds, |background| vec![colour(background.bg)]);
        assert!(!backgrounds.is_empty());
        for (role, word) in ThemeRole::ALL.map(|role| (role, role.word())) {
            for background in &backgrounds {
                if let Some(fg) = theme.style(role).fg.filter(|_| role != ThemeRole::Cursor) {
                    let found = contrast(colour(Some(fg)), *background);
                    assert!(found >= least, "{name}: {word} on {background:?} has {found:.2}");
                }
            }
            let row = theme.cursor_over(theme.style(role));
            if row.add_modifier.contains(Modifier::REVERSED) {
                assert_eq!((row.fg, row.bg), (None, None), "{name}: the terminal's own colours, reversed");
                continue;
            }
            let found = contrast(colour(row.fg), colour(row.bg));
            assert!(found >= least, "{name}: {word} under the cursor has {found:.2}");
        }
    }
}

#[test]
fn roles_differ_without_red_or_green_cones() {
    let theme = theme("colourblind");
    let distance = |one: ThemeRole, other: ThemeRole, eyes| {
        let [a, b] = [one, other].map(|role| colour(theme.style(role).fg));
        apart(a, b, eyes)
    };
    for eyes in [ColourVision::NoRed, ColourVision::NoGreen] {
        for (at, one) in COLOURED.iter().enumerate() {
            for other in &COLOURED[at + 1..] {
                // Pulled-in sources and warnings share a yellow in every theme; the words distinguish them.
                if (*one, *other) == (ThemeRole::Transitive, ThemeRole::Warning) {
                    continue;
                }
                let found = distance(*one, *other, eyes);
                assert!(found > 20.0, "{one:?} and {other:?} for {eyes:?}: {found:.1}");
            }
        }
        let found = distance(ThemeRole::Added, ThemeRole::Removed, eyes);
        assert!(found > 20.0, "added and removed lines for {eyes:?}: {found:.1}");
    }
}

/// Colour is never the only sign: without colours, every state still has its own mark, and marked text its own
/// attribute.
#[test]
fn states_differ_without_colours() {
    let mono = Theme::new(Colours::Mono);
    for (role, word) in ThemeRole::ALL.map(|role| (role, role.word())) {
        let style = mono.style(role);
        assert_eq!((style.fg, style.bg), (None, None), "{word}");
    }
    for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
        let marks = SelectionState::ALL.map(|state| glyphs.mark(state));
        for (at, mark) in marks.iter().enumerate() {
            assert!(!marks[at + 1..].contains(mark), "{mark} marks two states");
        }
    }
    let plain = mono.style(ThemeRole::Text);
    let marked = [ThemeRole::Match, ThemeRole::Expansion, ThemeRole::Cursor, ThemeRole::Strong, ThemeRole::Error];
    for role in marked {
        assert_ne!(mono.style(role), plain, "{role:?}");
    }
    assert_ne!(mono.style(ThemeRole::Match), mono.style(ThemeRole::Expansion));
    assert_ne!(mono.style(ThemeRole::Added), mono.style(ThemeRole::Removed));
}

#[test]
fn the_themes_to_choose_from() {
    let names = |themes: &Themes| themes.names().map(str::to_owned).collect::<Vec<_>>();
    let (themes, problems) =
        own(&[("sepia", "hints = { fg = \"#ff8700\" }"), ("dark", "hints = { fg = \"#123456\" }")]);
    assert_eq!(problems, [""; 0]);
    assert_eq!(names(&themes), ["dark", "light", "contrast", "colourblind", "ansi", "ansi-light", "mono", "sepia"]);
    assert_eq!(themes.theme("nothing"), None);
    let fg = |name: &str, role| themes.theme(name).unwrap().style(role).fg;
    assert_eq!(fg("sepia", ThemeRole::Hints), Some(Color::Rgb(0xff, 0x87, 0)));
    assert_eq!(fg("dark", ThemeRole::Hints), Some(Color::Rgb(0x12, 0x34, 0x56)), "the user's own replaces it");
    assert_eq!(fg("dark", ThemeRole::Error), Theme::new(Colours::True).style(ThemeRole::Error).fg);
    for colours in [Colours::Off, Colours::Mono] {
        let themes = Themes::new(colours);
        assert!(themes.fixed().is_some());
        assert_eq!(themes.theme("light"), Some(Theme::new(colours)), "{colours:?}");
    }
    let sixteen = Themes::new(Colours::Sixteen);
    assert_eq!(sixteen.usual(Some(Background::Dark)).name(), "ansi");
    assert_eq!(sixteen.usual(Some(Background::Light)).name(), "ansi-light");
    let light = sixteen.theme("light").unwrap();
    assert_eq!(
        light.background().and_then(|background| background.bg),
        Some(Color::White),
        "in the colours of the terminal"
    );
    let many = Themes::new(Colours::Indexed);
    let usual = [None, Some(Background::Dark), Some(Background::Light)]
        .map(|background| many.usual(background).name().to_owned());
    assert_eq!(usual, ["dark", "dark", "light"]);
}

#[test]
fn a_theme_builds_on_another() {
    let (themes, problems) = own(&[
        ("a", "inherits = \"b\"\nhints = { fg = \"red\" }"),
        ("b", "inherits = \"light\"\nhints = { fg = \"green\" }\nerror = { fg = \"green\" }"),
        ("c", "hints = { fg = \"red\" }\ninherits = \"lihgt\""),
        ("d", "inherits = \"e\""),
        ("e", "inherits = \"d\"\nhints = { fg = \"red\" }"),
        ("light", "inherits = \"light\"\nhints = { fg = \"blue\" }"),
    ]);
    let fg = |name: &str, role| themes.theme(name).unwrap().style(role).fg;
    let shipped = |name: &str, role| Themes::new(Colours::True).theme(name).unwrap().style(role).fg;
    assert_eq!([fg("a", ThemeRole::Hints), fg("a", ThemeRole::Error)], [Some(Color::Red), Some(Color::Green)]);
    assert_eq!(fg("a", ThemeRole::Catalog), shipped("light", ThemeRole::Catalog));
    assert_eq!(fg("c", ThemeRole::Catalog), shipped("dark", ThemeRole::Catalog), "what is unknown is dark");
    assert_eq!(fg("d", ThemeRole::Hints), Some(Color::Red));
    assert_eq!(fg("d", ThemeRole::Catalog), shipped("dark", ThemeRole::Catalog));
    assert_eq!(fg("light", ThemeRole::Hints), Some(Color::Blue));
    assert_eq!(fg("light", ThemeRole::Catalog), shipped("light", ThemeRole::Catalog), "the one of the program");
    assert_eq!(
        problems,
        [
            "c.toml:2 there is no theme 'lihgt'; did you mean 'light'?",
            "d.toml:1 'd' inherits from itself: what it lacks is taken from dark; inherit another theme",
            "e.toml:1 'e' inherits from itself: what it lacks is taken from dark; inherit another theme",
        ]
    );
}
