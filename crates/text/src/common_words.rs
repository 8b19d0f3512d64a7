//! Words of any documentation and of prompts about any program, which are useless as tags or one-word ids.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::stop_words::is_stop_word;

const EVERYWHERE: &str = "able about above absent accept accepted accepts access according acknowledgements across act acts actual actually \
    add added adding addition additional additionally adds advice affect affected again against ago agree ahead aim all \
    allow allowed allows almost alone along already also alternative alternatively although altogether always among \
    amount and another answer answers any anybody anyone anything anyway anywhere apache apart app appear appears \
    applied applies apply appropriate apps april are area arg args argument arguments around array arrays aside ask \
    asked asking asks associated assume assumed assumes attempt attribute attributes august automatic automatically \
    available avoid aware away back backer backers bad badge badges bare base based basic basically basis became because \
    become becomes been before began begin begins behave behaves behind being believe below beneath benefit beside best \
    better between beyond big bit bodies body bool boolean both bottom branch branches break breaks brief briefly bring \
    brings broken bronze brought bug bugs build building builds built bunch but call called calling calls came can \
    cannot care careful carefully carry case cases catch caught cause caused causes certain chain chained chance change \
    changed changes changing chapter chapters char cheap check checked checks choice choose choosing chosen class \
    classes clean clear clearly close closed closer code collect collected combine combined come comes coming command \
    commands comment comments commit commits committed common commonly compare compared compile compiled complete \
    completely complex compute computed concept concern concerned concerns conclusion condition configuring connecting \
    consider considered consist consists const constructor contain contained contains content contents continue \
    continued continues contrast contribute contributing contributions contributors control copyright correct correctly \
    correspond corresponding corresponds cost costs could count counts couple course cover covers crash crashes create \
    created creates creating current currently customizing cut daily data date dates day days deal december decide \
    decided decides deep def default defaults define defined defines definition delete deleted demand depend depending \
    depends depth describe described describes description desired despite detail detailed details determine determined \
    develop developed developer developers did didn differ difference differences different difficult direct directly \
    directory disable disabled disabling discuss discussed display displayed distinct document documentation documented \
    documents does doesn doing don done doubt down drop dropped due duplicate during each earlier early easier easily \
    easy edge effect effective effectively effort either elem element elements else elsewhere empty enable enabled \
    enables enabling encounter end ended ends engineer engineers enough ensure ensures enter entered entire entirely \
    entries entry enum equal equally equivalent error errors especially essential etc even eventually ever every \
    everybody everyone everything everywhere exact exactly example examples except exception exceptions exist existed \
    existing exists exit exits expect expected expects explain explained explains explicit explicitly export exports \
    express extend extended extending extra extremely fact fail failed fails fairly fall false familiar far fast faster \
    feature features february feel few fewer field fields fifth file files fill final finally find finding finds fine \
    finish finished first fit fits five fix fixed float folder folders follow followed following follows for force form \
    formal format former forms forth found four fourth frame frames framework frameworks free frequent frequently fresh \
    from front full fully func function functions further future gain gave general generally generate generated \
    generates generating get gets getting give given gives giving goal goals goes going gold gone good got great greater \
    ground group grow guarantee guess guide half hand handle handled handles handling happen happened happening happens \
    happy hard hardly has hasn have having head hear heavy held hello help helped helpful helps hence here high higher \
    highest highly hint hold holding holds home hooking hope hopefully host hosts hour hours how however huge hundred \
    idea ideal identical identify ignore ignored ignores imagine immediately impact implement implemented implementing \
    implements import important imports impossible improve improved include included includes including incorrect \
    increase indeed independent index indicate indicates individual info inform information initial initializing \
    initially inner input inside inspecting install installed installing instance instances instead instruction \
    instructions int integer integers intend intended interacting interest interested interesting internal internally \
    into introduce introduced introduction invalid involve involved irrelevant isn issue issues item items its itself \
    january job join july june just keep keeping keeps kept key keys kind kinds knew know knowing known knows kwargs \
    lack language languages large largely larger largest last late later latest latter lay lead leading leads learn \
    least leave leaves leaving left len length less let lets letter level levels libraries library licence licences \
    license licensed licenses lies life light like likely limit limited limits line lines link linked links list listed \
    listing lists literal little live lives load local located location log logs long longer look looked looking looks \
    loop loops lose lost lot lots low lower lowest made main mainly maintain major majority make makes making manage \
    managed managing manner manual manually many map mark marked master match matches matter matters maximum may maybe \
    mean meaning means meant meanwhile meet mention mentioned mere merely merge merged message met method methods middle \
    might million mind mine minimal minimum minor minus minute minutes miss missing mistake mit mix mode modern modified \
    modify module modules moment month months more moreover most mostly move moved moves moving much multiple must name \
    named namely names native natural near nearby nearest nearly necessary need needed needing needs negative neither \
    never nevertheless new newer newest next nice night nine nobody none nonetheless nor normal normally not notable \
    note noted notes nothing notice november now null number numbers numerous obj object objects obtain obvious \
    obviously occasionally occur occurs october odd off offer offered offers often okay old older omit omitted once one \
    ones only onto open opened opens operation opposed opposite option optional optionally options opts order ordinary \
    original originally other others otherwise ought our ourselves out outcome outer output outside over overall \
    overview own owner page pages paragraph param parameter parameters params part partial particular particularly parts \
    party pass passed passes passing past path paths pay people per perfect perform performed perhaps person piece \
    pieces place placed places plain plan play please plenty plus point pointed pointing points poor popular position \
    positive possible possibly potential potentially practical practice precise precisely prefer preferred prefix \
    prepare prepared presence present press pretty prevent prevented prevents previous previously primarily primary \
    principle print printed prints prior probably problem problems proceed process produce produced produces product \
    program programs progress project projects promise proper properly properties property propose proposed prove proves \
    provide provided provides providing pull pulled pure purpose purposes push pushed put puts putting question \
    questions quick quickly quiet quite raise raised ran random range rare rarely rather reach reached reaches read \
    reader readers reading readme reads ready real really reason reasonable reasons receive received recent recently \
    recommend recommended reduce reduced refactor refer reference referenced references referred refers regard regarding \
    regardless regular reject rejected relate related relation relative relatively relevant rely remain remaining \
    remains remember remove removed removes removing rename renamed repeat repeated repeatedly replace replaced replaces \
    replacing repo report reported reports repos repositories repository represent represents require required \
    requirement requires resource resources respect respective respectively rest result resulted resulting results \
    return returned returns reuse review reviewer reviews right rise root roughly round row rows rule rules run running \
    runs safe said same sample save saved saw say saying says scheme scope script scripts search second seconds section \
    sections see seem seems seen select selected self send sending sense sent separate separated separately separates \
    september sequence series serious serve served serves set sets setting settings setup seven several shall shape \
    share shared short shorter should shouldn show showed showing shown shows side sides significant significantly \
    silver similar similarly simple simpler simplest simply since single sit situation six size sizes skip skipped \
    slight slightly slow small smaller smallest solution solve some somebody somehow someone something sometimes \
    somewhat somewhere soon sort source sources space special specific specifically specified specifies specify speed \
    spend split splitting sponsor sponsors src stand standard standards stands start started starting starts state \
    stated states stay stays stderr stdin stdout step steps still stop stopped stops store stored str straight strange \
    strict strictly string strings strong struct structure stuff style subject subsequent such sudden suddenly \
    sufficient suggest suggested suggests suitable sum summary supply support supported supporting supports suppose \
    supposed sure surely surrounding switch system systems table take taken takes taking talk target task tasks team \
    teams tell tells temporary ten tend term terms test tested tests text than thank thanks that the their them \
    themselves then there thereby therefore these they thing things think third this thorough those though thought \
    thousand three through throughout thus tied time times tiny tip tips title titled today todo together told tomorrow \
    too took tool tools top topic topics total totally touch toward towards track treat treated treats tried tries \
    trivial trouble true truly try trying tuple turn turned turns twice two type types typical typically ultimately \
    unable unclear under understand understanding understood unfortunately unique unit unknown unless unlike unlikely \
    unnecessary until unused unusual update updated updates updating upon upper use used useful useless user users uses \
    using usual usually valid value values var variable variables variant variety various vars vary vast version \
    versions very via view views void wait waiting waits walk want wanted wants warn warned warning warnings warns was \
    wasn watch way ways weak week weeks well went were what whatever when whenever where whereas wherever whether which \
    while white who whole whom whose why wide widely wider will willing win window wins wish with within without won \
    word words work worked working works world worse worst worth would wouldn write writes writing written wrong wrote \
    year years yes yet you your yourself zero monday tuesday wednesday thursday friday saturday sunday";

static COMMON: LazyLock<HashSet<&str>> = LazyLock::new(|| EVERYWHERE.split_ascii_whitespace().collect());

/// Whether a lower-case word tells nothing about a subject.
pub fn is_common(word: &str) -> bool {
    is_stop_word(word) || COMMON.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_documentation_are_common() {
        for (word, expected) in [
            ("type", true),
            ("the", true),
            ("für", true),
            ("Type", false),
            ("tests", true),
            ("invoice", false),
            ("", false),
        ] {
            assert_eq!(is_common(word), expected, "{word}");
        }
    }
}
