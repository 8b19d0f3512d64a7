//! Snowflake, over its SQL REST API. Tested only against a fake server, never against Snowflake itself. Each statement
//! is a separate request, so the schema is not read at a single point in time. No rows are read, because masking and
//! row access policies are not visible here.

mod catalog;
mod place;
#[cfg(test)]
mod tests;

use std::time::Duration;

use refdesk_snowflake::Session;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use self::catalog::RoleName;
use super::{ConnectionEnvironment, SchemaReading, too_many_rights};
use crate::config::{DatabaseConfig, ServerConnection};
use crate::names::quoted;

/// Roles with unlimited rights.
const ADMINISTRATORS: [&str; 4] = ["ACCOUNTADMIN", "SYSADMIN", "SECURITYADMIN", "ORGADMIN"];

/// Reads the schema of a database.
///
/// # Errors
/// Snowflake cannot be reached or read.
pub(crate) fn snapshot(
    config: &DatabaseConfig,
    server: &ServerConnection,
    around: &ConnectionEnvironment,
) -> Result<SchemaReading, Error> {
    read(config, server, around, &|time| around.wait(time))
}

/// Like [`snapshot`], with the function that waits as a parameter.
fn read(
    config: &DatabaseConfig,
    server: &ServerConnection,
    around: &ConnectionEnvironment,
    wait: &dyn Fn(Duration) -> bool,
) -> Result<SchemaReading, Error> {
    let account = place::account(server)?;
    let token = place::token(server, around)?;
    let session = Session::new(&account, token, wait);
    let (mut reading, role) = catalog::read(&session, config)?;
    let message =
        format!("'{}' may be read incorrectly: Snowflake support was tested only against a mock server", config.name);
    let untried = Diagnostic::warning(Code::Untried, message).fix("compare its pages with what Snowflake shows");
    reading.about_connection.push(untried);
    reading.about_connection.extend(unlimited_rights(config, &role, &reading));
    Ok(reading)
}

fn unlimited_rights(config: &DatabaseConfig, role: &RoleName, reading: &SchemaReading) -> Option<Diagnostic> {
    if !ADMINISTRATORS.contains(&role.name.as_str()) {
        return None;
    }
    let message = format!("'{}' is read as {}; a read-only role is enough", config.name, role.name);
    let database = quoted(&role.database)?;
    let mut grants = vec![
        "CREATE ROLE REFDESK_READER".to_owned(),
        format!("GRANT USAGE ON DATABASE {database} TO ROLE REFDESK_READER"),
    ];
    for schema in reading.schemas_with_tables() {
        grants.push(format!("GRANT USAGE ON SCHEMA {database}.{schema} TO ROLE REFDESK_READER"));
        // A role with the REFERENCES privilege on a table sees its columns and keys, but not its rows.
        grants.push(format!("GRANT REFERENCES ON ALL TABLES IN SCHEMA {database}.{schema} TO ROLE REFDESK_READER"));
        grants.push(format!("GRANT REFERENCES ON ALL VIEWS IN SCHEMA {database}.{schema} TO ROLE REFDESK_READER"));
    }
    Some(too_many_rights(message, &grants))
}
