//! Databases as references: a schema is read, planned, described and written as pages that agents can pick. What is read goes
//! one way: `snapshot → plan → descriptions → pages → manifest`, and every arrow is a file that a person can look at.
//!
//! A module uses only those before it: `snapshot` is what a database is and `names` are its names; then `config`, what is
//! `sensitive`, and the `statistics` that may be told. `schema` computes plan, descriptions, joins and pages and reaches nothing;
//! `connector` reads a schema and `sampling` its values, a file each kind of database; `documenter` is what a run knows.
//!
//! No statement is run that is not a constant of ours, and a name of the database enters one only through `names::quoted::quoted`.

pub mod config;
pub mod connector;
pub mod documenter;
pub mod names;
mod parts;
pub mod sampling;
pub mod schema;
mod sensitive;
pub mod snapshot;
pub mod statistics;

#[cfg(test)]
mod golden;

#[cfg(test)]
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../tests/support/databases.rs"]
mod generated;
