//! Databases as references: a schema is read, planned, described and written as pages that agents can pick. Data flows
//! one way: `snapshot → plan → descriptions → pages → manifest`, and every arrow is a file that a person can look at.
//! A module uses only those before it: `snapshot` is the schema of a database and `names` its names; then `config`,
//! what is `sensitive`, and the `statistics` that may be published. `schema` computes plan, descriptions, joins and
//! pages without any I/O; `connector` reads a schema and `sampling` its values, with one file per kind of database;
//! `documenter` is the state of a run.
//! Every statement that is run is a constant of ours, and a name from the database enters one only through
//! `names::quoted`.

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
