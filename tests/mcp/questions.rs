//! How well tables are found: 60 questions about two real databases, half of them without a word of the table's name;
//! by words only, and by words and meaning.

#![allow(clippy::print_stdout, reason = "the figures are for the documentation")]

use serde_json::json;

use crate::cli::tables::documented;
use crate::support::client::Client;
use crate::support::workspace::Workspace;

/// The database, the question, and the tables of which any one has the answer.
type Question = (&'static str, &'static str, &'static [&'static str]);

const WITH_A_WORD_OF_THE_NAME: [Question; 30] = [
    ("shop", "which albums did an artist release", &["Album"]),
    ("shop", "name of the artist", &["Artist"]),
    ("shop", "address of a customer", &["Customer"]),
    ("shop", "who does an employee report to", &["Employee"]),
    ("shop", "genre of the music", &["Genre"]),
    ("shop", "total of an invoice", &["Invoice"]),
    ("shop", "quantity on an invoice line", &["InvoiceLine"]),
    ("shop", "media types that are sold", &["MediaType"]),
    ("shop", "playlists of users", &["Playlist"]),
    ("shop", "tracks in a playlist", &["PlaylistTrack"]),
    ("shop", "length of a track", &["Track"]),
    ("shop", "composer of a track", &["Track"]),
    ("shop", "billing address of an invoice", &["Invoice"]),
    ("shop", "support employee of a customer", &["Customer"]),
    ("shop", "artist of an album", &["Album"]),
    ("north", "category of a product", &["Products", "Categories"]),
    ("north", "customers by country", &["Customers"]),
    ("north", "territories of an employee", &["EmployeeTerritories"]),
    ("north", "discount in the order details", &["Order Details"]),
    ("north", "shipped date of an order", &["Orders"]),
    ("north", "products that are discontinued", &["Products"]),
    ("north", "regions of the sales", &["Regions"]),
    ("north", "shippers we use", &["Shippers"]),
    ("north", "suppliers of products", &["Suppliers"]),
    ("north", "territory description", &["Territories"]),
    ("north", "customer demographics", &["CustomerDemographics"]),
    ("north", "hire date of employees", &["Employees"]),
    ("north", "units in stock of a product", &["Products"]),
    ("north", "freight of an order", &["Orders"]),
    ("north", "contact title of a supplier", &["Suppliers"]),
];

const WITHOUT: [Question; 30] = [
    ("shop", "how long does a song play", &["Track"]),
    ("shop", "who wrote the music", &["Track"]),
    ("shop", "bands and singers", &["Artist"]),
    ("shop", "records that a band released", &["Album"]),
    ("shop", "what somebody paid in total", &["Invoice"]),
    ("shop", "single items of a purchase", &["InvoiceLine"]),
    ("shop", "where is the bill sent to", &["Invoice"]),
    ("shop", "e-mail of the buyer", &["Customer"]),
    ("shop", "phone number of clients", &["Customer"]),
    ("shop", "staff and their bosses", &["Employee"]),
    ("shop", "when was somebody hired", &["Employee"]),
    ("shop", "style of music, like rock or jazz", &["Genre"]),
    ("shop", "file format of the recording", &["MediaType"]),
    ("shop", "collections of songs that a listener made", &["Playlist", "PlaylistTrack"]),
    ("shop", "size of the file in bytes", &["Track"]),
    ("shop", "price of one song", &["Track", "InvoiceLine"]),
    ("shop", "birth date of the personnel", &["Employee"]),
    ("north", "companies that deliver parcels", &["Shippers"]),
    ("north", "vendors we buy goods from", &["Suppliers"]),
    ("north", "items we sell and their price", &["Products"]),
    ("north", "what is left in the warehouse", &["Products"]),
    ("north", "when should we buy more of something", &["Products"]),
    ("north", "purchases that were not delivered yet", &["Orders"]),
    ("north", "rebate on a line of a purchase", &["Order Details"]),
    ("north", "home page of the vendor", &["Suppliers"]),
    ("north", "photo of a staff member", &["Employees"]),
    ("north", "kinds of food", &["Categories"]),
    ("north", "sales areas assigned to people", &["EmployeeTerritories", "Territories"]),
    ("north", "who buys from us", &["Customers"]),
    ("north", "manager to whom somebody reports", &["Employees"]),
];

/// The number of questions with an answer among the first five tables.
fn answered(client: &mut Client, questions: &[Question]) -> usize {
    let is_answered = |(database, question, expected): &&Question| {
        let found = client.call("search_tables", json!({"query": question, "database": database, "limit": 5}));
        let found: Vec<String> = found["tables"]
            .as_array()
            .unwrap()
            .iter()
            .map(|table| table["table"].as_str().unwrap().to_owned())
            .collect();
        expected.iter().any(|expected| found.contains(&format!("main.{expected}")))
    };
    questions.iter().filter(is_answered).count()
}

fn recall(world: &Workspace, semantic: bool) -> [usize; 2] {
    world.configure(json!({"version": "1.0", "sources": [], "hints": {"semantic": semantic}}));
    let mut client = Client::connect(world);
    let found = [answered(&mut client, &WITH_A_WORD_OF_THE_NAME), answered(&mut client, &WITHOUT)];
    let by = if semantic { "words and meaning" } else { "words alone" };
    println!(
        "found among the first five by {by}: {} of 30 with a word of the name, {} of 30 without",
        found[0], found[1]
    );
    found
}

#[test]
fn tables_are_found_by_questions() {
    let world = documented();
    world.run(&["index"]).exits(0);
    // Measured: 30 and 12 by words only, 30 and 25 by both.
    let [with, without] = recall(&world, false);
    assert!(with >= 29 && without >= 11, "{with} {without}");
    let [with, without] = recall(&world, true);
    assert!(with >= 29 && without >= 23, "{with} {without}");
}
