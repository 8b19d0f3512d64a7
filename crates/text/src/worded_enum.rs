//! Enums with a word for each variant, for programs.

/// Declares an enum with a word for each variant. The word is written once: it is the variant's name in JSON, `word()`
/// returns it, and `from_word()` parses it. `ALL` contains the variants in order.
#[macro_export]
macro_rules! worded_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        $vis enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every variant, in order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Its word in JSON and on the command line.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The variant with this word.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.word() == word)
            }

            /// The variant this many places further on, wrapping around.
            pub fn after(self, steps: usize) -> Self {
                Self::ALL.into_iter().cycle().skip_while(|it| *it != self).nth(steps).unwrap_or(self)
            }
        }
    };
}
