//! Words in the names of columns that hold personal data or secrets.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::names::words::{singular, split};

/// Whole words, in English, German, French, Spanish, Italian, Portuguese and Dutch; several words are joined without
/// separators.
const WORDS: &[&str] = &[
    // Names.
    "name names firstname lastname fullname surname username nickname forename middlename maiden login contact vorname nachname \
     familienname benutzername kontakt nom prenom prénom nombre apellido apellidos nome cognome sobrenome apelido usuario utente \
     utilisateur namen nomi noms nombres pseudonym geburtsname ansprechpartner fname lname mname firstnm lastnm givenname familyname \
     vname nname zuname rufname mädchenname maedchenname nomfamille nomdefamille nomcomplet nombrecompleto primernombre primerapellido \
     segundoapellido nomecompleto nomecognome primeironome ultimonome últimonome naam voornaam achternaam familienaam roepnaam meisjesnaam \
     gebruikersnaam",
    // Addresses.
    "mail email mails emails courriel correo phone telephone telefon téléphone telefono teléfono telefone tel mobile mobil handy cell \
     cellphone celular fax street strasse straße str rue calle via rua address addresses addr adresse anschrift direccion dirección \
     indirizzo endereco endereço zip zipcode postcode postal postalcode plz postleitzahl cap cep telefonnummer handynummer rufnummer \
     mobilnummer adressen anschriften wohnort wohnadresse domicile domicilio cellulare movil móvil telemovel telemóvel codepostal \
     codigopostal códigopostal indirizzi telefoni housenumber houseno housenr housenum hausnummer hausnr numerorue numérorue numerovoie \
     numérovoie numerocasa númerocasa numeroporta númeroporta civico numerocivico streetname strassenname straßenname addressline \
     adresszeile adresszusatz postfach pobox telf tlf tfno fon festnetz telefoon mobiel gsm adres emailadres mailadres straat straatnaam \
     huisnummer huisnr woonplaats",
    // Persons.
    "birth birthday birthdate birthplace born dob geburt geburtstag geburtsdatum naissance nacimiento nascita nascimento gender sex \
     geschlecht sexe genre_personne sexo sesso genero género genere age alter edad eta età idade race ethnicity ethnic nationality \
     nationalität religion religión religione religião konfession marital health gesundheit santé sante salud salute saúde saude medical \
     diagnosis diagnose diagnostic disability blood photo picture portrait foto avatar signature unterschrift firma_digital biometric \
     fingerprint geburtsort geburtsjahr geburtsland pregnant pregnancy schwanger familienstand zivilstand staatsangehörigkeit \
     staatsangehoerigkeit ethnie confession krankheit krankheiten krankenkasse krankenversicherung blutgruppe behinderung befund maladie \
     handicap malattia enfermedad doenca doença illness disease allergy allergie medication prescription symptom patient patienten \
     paziente paciente gebdat gebdatum datenaissance fechanacimiento datanascita datadinascita datanascimento geboren geboortedatum \
     geboorteplaats geslacht nationaliteit gezondheid geloof ziekte",
    // Money.
    "salary wage wages income gehalt lohn einkommen salaire salario stipendio sueldo salário iban bic swift card creditcard karte carte \
     tarjeta carta cartao cartão cvv cvc pan konto kontonummer bankaccount gehälter gehaelter löhne kreditkarte kreditkarten kartennummer \
     karten ccnumber ccnum ccno bankverbindung kontoinhaber accountnumber accountno acctno routingnumber sortcode cartebancaire \
     cartebleue numerocompte comptebancaire cuentabancaria numerocuenta contocorrente cartadicredito contabancaria salaris loon inkomen \
     rekeningnummer bankrekening",
    // Numbers of persons.
    "passport reisepass passeport pasaporte passaporto passaporte ssn sin nino nif nie dni cpf rg curp bsn svnr steuernummer taxid tin \
     license licence führerschein ausweis nationalid idcard identitycard personalausweis ausweise führerscheine fuehrerschein steuerid \
     steueridnr steuernr steueridentifikationsnummer sozialversicherungsnummer versichertennummer versicherungsnummer taxnumber taxno \
     nhsnumber codicefiscale numerosecu numérosécu secu sécu insee nir paspoort rijbewijs burgerservicenummer",
    // Secrets.
    "token tokens secret secrets password passwd passwort kennwort pwd pass passphrase motdepasse contraseña contrasena clave senha \
     parola credential credentials apikey privatekey salt otp pin cookie session hash auth bearer jwt oauth accesskey secretkey \
     signingkey encryptionkey sshkey authkey recoveryphrase recoverycode backupcode recoverykey seedphrase seed mnemonic passkey totp \
     securityanswer securityquestion sicherheitsfrage passwörter passwoerter kennwörter kennwoerter zugangsdaten geheimnis motsdepasse \
     mdp pw contrasenas contraseñas wachtwoord wachtwoorden",
    // Places and machines.
    "ip ipaddress mac imei imsi msisdn geo latitude longitude lat lng lon location gps coordinates koordinaten useragent",
];

/// Words for people, and for where they live and work, that can be joined to the next word: `customername`,
/// `homephone`.
const PEOPLE: &[&str] = &[
    "customer",
    "client",
    "user",
    "contact",
    "employee",
    "person",
    "member",
    "guest",
    "owner",
    "login",
    "account",
    "kunden",
    "kunde",
    "benutzer",
    "mitarbeiter",
    "personen",
    "personal",
    "mitglieds",
    "patienten",
    "cliente",
    "utilisateur",
    "usuario",
    "utente",
    "employé",
    "employe",
    "empleado",
    "dipendente",
    "klant",
    "medewerker",
    "gebruikers",
    "cust",
    "emp",
    "usr",
    "home",
    "work",
    "office",
    "private",
    "billing",
    "shipping",
    "delivery",
];

/// Words that can be joined to the previous word: `phonenumber`.
const ENDINGS: &[&str] =
    &["number", "no", "nr", "num", "nummer", "nummern", "address", "adresse", "adres", "addr", "id"];

/// Words that can be joined to the next word: `numerotelefono`.
const BEGINNINGS: &[&str] = &["numero", "numéro", "número", "num"];

/// The maximum number of adjacent words that are looked up as one.
const RUN: usize = 3;

/// The minimum length of a word formed by several: `r_g_b` is not `rg`.
const SHORTEST_RUN: usize = 5;

/// A map for fast lookup, because a schema may have a million columns.
static WORD_SET: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| WORDS.iter().flat_map(|line| line.split_whitespace()).map(|word| (word, word)).collect());

/// The word in a name that makes its column sensitive.
pub(super) fn sensitive_word(name: &str) -> Option<&'static str> {
    let words = split(name);
    let runs = || (1..=RUN).flat_map(|count| words.windows(count).map(<[String]>::concat).map(move |run| (count, run)));
    let of_runs =
        runs().find_map(|(count, run)| (count == 1 || run.len() >= SHORTEST_RUN).then(|| known(&run)).flatten());
    of_runs.or_else(|| known(&words.concat()))
}

/// The listed word that this word equals, or is the plural or a compound of.
fn known(word: &str) -> Option<&'static str> {
    let listed = |word: &str| WORD_SET.get(word).copied();
    let in_singular = |word: &str| listed(&singular(word)).or_else(|| listed(word.strip_suffix('s')?));
    let any = |word: &str| listed(word).or_else(|| (word.len() > 3).then(|| in_singular(word)).flatten());
    let of_people = || PEOPLE.iter().find_map(|people| any(word.strip_prefix(people)?));
    let numbered = || ENDINGS.iter().find_map(|ending| listed(word.strip_suffix(ending)?));
    let number_of = || BEGINNINGS.iter().find_map(|beginning| listed(word.strip_prefix(beginning)?));
    any(word).or_else(of_people).or_else(numbered).or_else(number_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_people_and_secrets_are_found_in_names() {
        for name in [
            "passwords",
            "userPasswords",
            "user_pw",
            "msisdn",
            "phones",
            "cards",
            "X_API_KEY",
            "api_keys",
            "access_key",
            "auth",
            "bearer",
            "recovery_phrase",
            "seed",
            "mnemonic",
            "cc_number",
            "phonenumber",
            "emailaddress",
            "customername",
            "loginname",
            "kreditkarte",
            "krankheit",
            "ausweisnr",
            "steuer_id",
            "bankverbindung",
            "codice_fiscale",
            "numéro_sécu",
            "patient_id",
            "e_mail",
            "log_in",
            "date_of_birth",
            "s_s_n",
            "phoneNumbers",
            "user_session_tokens",
            "addresses",
            "adresses",
            "Telefonnummern",
            "kundenname",
            "useremail",
            "clientPhone",
            "cardno",
            "zip_codes",
            "private_key_pem",
            "API_KEY_2",
            "hashes",
            "teléfonos",
            "contraseñas",
            "mot_de_passe",
            "SteuerID",
            "secretKey",
            "seed_phrase",
            "backup_codes",
            "diagnoses",
            "Allergies",
            "passportNo",
            "nombres",
            "fname",
            "LName",
            "mname",
            "vname",
            "hausnummer",
            "haus_nr",
            "HouseNo",
            "house_number",
            "huisnummer",
            "numero_civico",
            "telefoonnummer",
            "telefoon_nr",
            "achternaam",
            "klantnaam",
            "geboortedatum",
            "emailadres",
            "numerotelefono",
            "numtel",
            "telnr",
            "fon",
            "homephone",
            "workemail",
            "billingaddress",
            "custname",
            "addressline1",
            "primer_apellido",
        ] {
            assert!(sensitive_word(name).is_some(), "{name}");
        }
    }

    #[test]
    fn other_names_are_not_sensitive() {
        for name in [
            "filename",
            "hostname",
            "author",
            "authored_at",
            "passing",
            "compass",
            "bypass_count",
            "discard",
            "dashboard_no",
            "cardinality",
            "r_g_b",
            "s_in_stock",
            "page_no",
            "casino",
            "piano",
            "latino_rank",
            "status",
            "statuses",
            "total",
            "order_id",
            "track_id",
            "quantity",
            "unit_price",
            "created_at",
            "is_active",
            "paths",
            "pages",
            "images",
            "stages",
            "usages",
            "messages",
            "series",
            "shipping_cost",
            "description",
            "category",
            "invoice_no",
            "product_code",
            "company",
            "key",
            "keys",
            "api_version",
            "access_count",
            "recovery_time",
            "primary_key",
            "foreign_key_id",
            "accessories",
            "userid",
            "customerid",
            "customer_id",
            "account_id",
            "personalized",
            "membership",
            "guests",
            "ownership",
            "numbers",
            "milliseconds",
            "bytes",
            "genre",
            "composer",
            "album",
            "country",
            "city",
            "region",
            "priority",
            "version",
            "capacity",
            "telling",
            "expense",
            "landmark",
            "patience",
            "seedling",
            "tablename",
            "rename",
            "house_type",
            "warehouse_no",
            "workshop",
            "workstation",
            "homepage",
            "office_id",
            "employment",
            "employees",
            "custom",
            "customs_code",
            "empty",
            "numeric",
            "numeral",
            "phonetic",
            "microphone",
            "private_flag",
            "shipping_no",
        ] {
            assert_eq!(sensitive_word(name), None, "{name}");
        }
    }
}
