//! Determines the address of an account from the configuration, and the credentials from the environment or a file.

use refdesk_files::read_regular;
use refdesk_snowflake::{Account, KeyPair, Token, unreachable};
use refdesk_text::Error;

use crate::config::{Secret, ServerConnection};
use crate::connector::ConnectionEnvironment;

/// The most bytes of a private key file.
const KEY_BYTES: u64 = 64 * 1024;

/// The database of an account.
pub(crate) fn account(server: &ServerConnection) -> Result<Account, Error> {
    let database = server.database.clone().ok_or_else(|| {
        unreachable("the connection names no database", "add 'database: NAME', in the case that Snowflake shows")
    })?;
    let base = Account::base(server.account.as_deref(), server.host.as_deref(), server.port)?;
    Ok(Account { base, database, warehouse: server.warehouse.clone(), role: server.role.clone() })
}

/// The token from the environment, or one signed with the private key.
pub(crate) fn token(server: &ServerConnection, around: &ConnectionEnvironment) -> Result<Token, Error> {
    let credential = credential(server, around)?;
    if !credential.contains("-----BEGIN") {
        return Ok(Token::from_text(credential.trim()));
    }
    let (Some(account), Some(user)) = (&server.account, &server.user) else {
        let fix = "add 'account' and 'user' to the connection";
        return Err(unreachable("a private key needs the account and the user that it belongs to", fix));
    };
    let pair = KeyPair::of_pem(&credential).map_err(|why| unreachable(&why, "name another private key"))?;
    Token::signed(&pair, account, user).map_err(|why| unreachable(&why, "use an RSA key of 2,048 bits or more"))
}

fn credential(server: &ServerConnection, around: &ConnectionEnvironment) -> Result<String, Error> {
    match (&server.private_key_file, &server.secret) {
        (Some(file), _) => key_file(file, around),
        (None, Some(Secret::Env(name))) => {
            let value = (around.variable)(name).filter(|value| !value.trim().is_empty());
            value.ok_or_else(|| unreachable(&format!("the environment variable {name} is not set"), "set it"))
        }
        (None, Some(Secret::Command(_))) => Err(unreachable(
            "'password_command' does not work with Snowflake",
            "use token_env, private_key_env or private_key_file",
        )),
        (None, None) => {
            Err(unreachable("the connection has no key or token", "add token_env, private_key_env or private_key_file"))
        }
    }
}

fn key_file(file: &str, around: &ConnectionEnvironment) -> Result<String, Error> {
    let fix = "name a file with a private key in 'private_key_file'";
    match read_regular(&around.path(file), KEY_BYTES) {
        Ok((_, true)) => Err(unreachable(&format!("'{file}' is too large for a private key"), fix)),
        // The content may be secret, so no message quotes it.
        Ok((bytes, false)) => {
            String::from_utf8(bytes).map_err(|_| unreachable(&format!("'{file}' is not a PEM key"), fix))
        }
        Err(error) => Err(unreachable(&format!("'{file}' cannot be read: {error}"), fix)),
    }
}
