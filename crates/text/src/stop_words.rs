//! Stop words: words that tell nothing about the topic of a text.

use std::collections::HashSet;
use std::sync::LazyLock;

/// English words that are too frequent to tell anything about a topic, with the beginnings of contractions: the words of
/// `doesn't` are `doesn` and `t`.
const STOP_WORDS: &str = "a about above after again ain all also although am an and another any anyone anything are \
     aren arent as at be because been before being below between both but by can cant could couldn couldnt d did didn didnt \
     do does doesn doesnt doing don dont down during each either else every everyone everything few for from further get \
     gets got had hadn hadnt has hasn hasnt have haven havent having he her here hers herself him himself his how however i \
     if in into is isn isnt it its itself just let like ll m make makes me might mightn more most must mustn my myself need \
     needn neither no nor not nothing now of off on once only onto or other our ours ourselves out over own per please re s \
     same shan she should shouldn shouldnt since so some someone something such t than that the their them themselves then \
     there these they this those though through to too under until up upon us use used using ve very via want was wasn \
     wasnt we were weren werent what when where which while who whom whose why will with within without won wont would \
     wouldn wouldnt y yet you your yourself";

/// The same for German, French, Spanish, Italian and Dutch, without those that have a meaning in English or about
/// programs: `war`, `man`, `bin`, `ci`, `io`, `mit`, `todo`.
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

/// English stop words that also exist in German, Dutch, Danish, Norwegian, Swedish, Spanish, French or Italian.
const SHARED: &str = "dont for had have haven her more over per under use via want was will";

/// The same for Danish and Norwegian, Portuguese, Swedish, Czech, Polish, Turkish, Indonesian, Russian, Ukrainian,
/// Greek, Arabic and Hebrew, without `com`, `em`, `end`, `er`, `eu`, `go`, `ini`, `men`, `mod`, `ned`, `op`, `os`,
/// `po`, `pod`, `sit`, `ten` and `var`.
const OF_FURTHER_LANGUAGES: &str = "af blev blive bliver deres det eller et etter fra ham hans hende hendes hun hva hvad \
     hvem hver hvilken hvis hvor hvordan hvorfor ikke ikkje ind jeg kunne meget mens mine må noe noen noget nogle når og \
     også opp skulle som til ud uden ut ved vil ville vær være vært ao aos até da das dos ela ele eles essa esse foi isso isto já mas muito não nas nós num \
     numa onde pela pelo por quando quem sem ser seu seus sua suas são também uma umas uns você à às é alla att av blir de den \
     denna dessa detta efter eller ett från för hade han har hon hur här inte jag kan med mig min mitt när och också om på \
     sedan sig ska skulle så till under vad vi är även varför aby ale ani až bude by byl byla bylo co jak jako je jeho jejich \
     jen jsem jsme jsou kde kdo když která které který nebo než od před při proč protože se si tak také tam tato tento této \
     tím to už ve však za že albo bez był była było być czy dla dlaczego gdy gdzie ich jego jej jest jeszcze już kiedy która \
     które który lub mnie na nad nie oraz przed przez przy się są także te tego tej też tylko tym właśnie wszystko ze że żeby \
     ama bana bir biz bu bunu bunun çok daha diye en gibi hangi her hiç için ile ise kadar mi mu mü mı nasıl ne neden nerede o \
     olan olarak onu onun sen siz sonra şey şu veya ya yok zaman adalah akan apa apakah atau bagaimana bahwa belum bisa dalam \
     dan dari dengan di itu jika juga kami kamu karena ke kenapa kita lalu mengapa mereka oleh pada saat saya sebagai \
     seperti siapa sudah tapi telah tidak untuk yang а без более бы был была были было быть в вам вас во вот все всё вы где да \
     для до его её если есть еще ещё же за зачем здесь и из или им их к как какая какие какой когда кто ли меня мне можно мой \
     мы на надо нам нас не нет ни но о об он она они от очень по под почему при про с со так также там то тоже только том ты у \
     уже что чтобы эта эти это этой этом этот этого я або але був була було бути від він вона вони це цей ця ці цього чи чому \
     що щоб де є її його із й коли мене ми може немає ні та також те ти тільки треба хто чим ще вже як який яка які якщо і з ο \
     η το οι τα του της των τον την στο στη στην στον στα στις στους τις τους και κι να θα με σε για από που πως πώς πού τι \
     αυτό αυτή αυτός αυτά αυτόν αυτήν αυτές αυτούς δεν μη μην είναι ήταν έχει έχω ένα μια μία ένας έναν μου σου μας σας ως αν \
     ή αλλά όταν όπως γιατί κάθε πολύ أو أن أنا أنت أي أين إذا إلى إن التي الذي الذين ثم حتى حيث ذلك تلك عن عند على غير في قبل \
     بعد قد كان كانت كل كم كما كيف لا لأن لقد لم لماذا لن له لها ليس ما متى مع من منه نحن هذا هذه هل هم هنا هو هي و يا אבל או \
     אחרי אין איך איפה אל אם אנחנו אני אשר את אתה בין גם הוא היא היה היו הייתה הם זאת זה זו יש כי כל כן לא למה לפני מה מי מתי \
     על עם רק של שלי שלך";

static ENGLISH: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

static OTHERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    [OF_OTHER_LANGUAGES, OF_FURTHER_LANGUAGES, SHARED].into_iter().flat_map(str::split_whitespace).collect()
});

/// Whether a lower-case word is a stop word in any of these languages.
pub fn is_stop_word(word: &str) -> bool {
    is_english(word) || is_of_other_language(word)
}

/// Whether a lower-case word is an English stop word.
pub fn is_english(word: &str) -> bool {
    ENGLISH.contains(word)
}

/// Whether a lower-case word is a stop word in another language; it may also be one in English.
pub fn is_of_other_language(word: &str) -> bool {
    OTHERS.contains(word)
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
            ("doesn", true),
            ("won", true),
            ("us", true),
            ("wonder", false),
            ("für", true),
            ("war", false),
            ("как", true),
            ("bin", false),
            ("pod", false),
            ("ci", false),
            ("", false),
        ] {
            assert_eq!(is_stop_word(word), expected, "{word}");
        }
    }
}
