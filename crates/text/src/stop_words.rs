//! Words that say nothing about what a text is about.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words too frequent in any English text to say what it is about.
const STOP_WORDS: &str = "a about above after again all also am an and any are as at be because been before being \
     below between both but by can could d did do does doing don down during each else few for from further get gets \
     got had has have having he her here hers him his how i if in into is it its just let like ll m make makes me \
     might more most must my need no nor not now of off on once only or other our ours out over own please re s same \
     she should so some such t than that the their them then there these they this those through to too under until \
     up use used using ve very want was we were what when where which while who why will with without would y you your";

/// The same of German, French, Spanish, Italian and Dutch, without those that say something in English or about programs: `war`,
/// `man`, `bin`, `ci`, `io`, `mit`, `todo`.
const OF_OTHER_LANGUAGES: &str = "aber als auch auf aus bei beim bis bist bitte damit dann das dass dein dem den der des die dies diese diesem diesen \
     dieser dieses doch durch ein eine einem einen einer eines euch euer für gegen habe haben hatte hier ich ihm ihn ihr \
     ihre im ins ist ja jede jeder jetzt kann kein keine können mein mich mir muss nach nicht noch nur ob oder ohne schon \
     sein seine sich sie sind soll über um und uns unser unter vom von vor wann warum weil welche welcher welches wenn wer \
     werden wie wir wird wo wurde zu zum zur zwischen alors au aussi avec avoir ce ces cet cette chez comme dans depuis \
     donc du elle elles en entre et être eux il ils je la le les leur leurs lui mais mes mon ne nos notre nous où ou pas \
     peu pour pourquoi qu quand que quel quelle qui quoi si sont sous sur ta tes très tu un une vers vos votre vous al como \
     cuando cual del donde el ella ellos esa ese eso esta está están este esto fue hay la las lo los más mi mis mucho muy \
     nada ni nosotros o para pero porque qué que quien se según ser si sobre sus también tanto te todos un una uno unos y \
     ya agli alla alle anche che chi dagli dai dalla degli dei del della delle dove è gli ho il loro ma mio molto nei nel \
     nella noi perché più qual quale quando quello questa queste questi questo sono sua suo tra tutti tutto una uno voi aan \
     bij dat deze dit een geen hebben heeft het hij hoe ik ja je kan maar meer met mijn naar niet nog ook onder onze te tot \
     uit van veel voor waar wanneer wat wel wij worden wordt zal zich zij zijn zo zonder";

static STOPS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| STOP_WORDS.split_whitespace().chain(OF_OTHER_LANGUAGES.split_whitespace()).collect());

/// Whether a word, in lower case, is too frequent to say anything.
pub fn is_stop_word(word: &str) -> bool {
    STOPS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_in_lower_case() {
        for (word, expected) in [
            ("the", true),
            ("The", false),
            ("retry", false),
            ("für", true),
            ("war", false),
            ("bin", false),
            ("ci", false),
            ("", false),
        ] {
            assert_eq!(is_stop_word(word), expected, "{word}");
        }
    }
}
