//! Determines the address of a server from the configuration, the environment, the service file and the password file.

use std::collections::hash_map::RandomState;
use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use refdesk_files::is_of_process;
use refdesk_files::output::resolve;
use refdesk_files::path::{clean, is_within};
use refdesk_postgres::{Address, TlsMode, from_command};
use refdesk_text::Error;

use super::unreachable;
use crate::config::password_command::{WORKSPACE_VARIABLE, with_workspace_files};
use crate::config::{Secret, ServerConnection};
use crate::connector::{CheckedContent, CheckedFiles, ConnectionEnvironment, SYSTEM};

/// The most bytes of a service file or a password file.
const FILE_BYTES: u64 = 1024 * 1024;

/// The usual folders of a local server's socket. `/tmp` is not one of them: any user of the machine could wait there for
/// the password.
const SOCKETS: [&str; 2] = ["/var/run/postgresql", "/run/postgresql"];

/// The address of a database, including its password and the certificates of authorities.
pub(super) fn address(
    server: &ServerConnection,
    around: &ConnectionEnvironment,
    files: &CheckedFiles,
) -> Result<Address, Error> {
    let mut address = match (&server.url_env, &server.url) {
        (Some(variable), _) => parsed(&value_of(around, variable)?)?,
        (None, Some(url)) => parsed(&expanded(around, url)?)?,
        (None, None) => Address::default(),
    };
    if let Some(service) = &server.service {
        add_service(around, &mut address, service)?;
    }
    if let Some(host) = &server.host {
        address.set_host(&expanded_host(around, host)?);
    }
    if let Some(port) = server.port {
        address.set_port(port);
    }
    if let Some(name) = &server.database {
        address.set_database(&expanded(around, name)?);
    }
    if let Some(user) = &server.user {
        address.set_user(&expanded(around, user)?);
    }
    if let Some(mode) = server.sslmode.as_deref().and_then(TlsMode::from_word) {
        address.set_tls(mode);
    }
    if let Some(file) = &server.sslrootcert {
        address.authorities = Some(file.into());
    }
    if address.host().is_none() {
        let socket = |folder: &&str| Path::new(folder).join(format!(".s.PGSQL.{}", address.port())).exists();
        let host = SOCKETS.into_iter().find(socket).unwrap_or("localhost").to_owned();
        address.set_host(&host);
    }
    find_authorities(around, &mut address);
    read_authorities(around, &mut address, files.authorities.as_ref())?;
    match &server.secret {
        Some(Secret::Env(variable)) => address.set_password(&value_of(around, variable)?),
        Some(Secret::Command(command)) => {
            let password = printed_password(around, command, files).map_err(|why| {
                let why = format!("its password_command returned no password: {why}");
                unreachable(&why, "run it in an empty folder, as refdesk does, and see what it prints")
            })?;
            address.set_password(&password);
        }
        None if !address.has_password() => add_stored_password(around, &mut address),
        None => {}
    }
    Ok(address)
}

/// The output of a password command. It runs in an empty folder: in the workspace, or in a folder above it, many programs
/// would load files that the command does not name and that were never trusted. Of the workspace it gets copies of the
/// files that it names, made of the bytes that were checked: a file could be exchanged between check and use.
fn printed_password(around: &ConnectionEnvironment, command: &str, files: &CheckedFiles) -> Result<String, String> {
    let workspace = &around.workspace;
    let command = with_workspace_files(workspace, command);
    // Not in `/tmp` if possible: some programs also search the folders above.
    let parent = around.state.clone().unwrap_or_else(env::temp_dir);
    let folder = RunFolder::create(&parent, files)
        .map_err(|error| format!("no folder for it in {}: {error}", parent.display()))?;
    let path = search_path(workspace, &(around.variable)("PATH").unwrap_or_default());
    let variables = [(WORKSPACE_VARIABLE, folder.copies()), ("PATH", PathBuf::from(path))];
    from_command(&command, &folder.empty(), &variables)
}

/// The folders of a `PATH`, except relative ones and those in the workspace, such as `node_modules/.bin`: the user never
/// trusted their programs. Without others, the usual ones.
fn search_path(workspace: &Path, path: &str) -> OsString {
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute() && !is_inside(workspace, folder));
    let path = env::join_paths(folders).unwrap_or_default();
    if path.is_empty() { "/usr/local/bin:/usr/bin:/bin".into() } else { path }
}

/// A new folder that only the user can read, removed afterwards.
struct RunFolder(PathBuf);

impl RunFolder {
    fn create(parent: &Path, files: &CheckedFiles) -> io::Result<Self> {
        let folder = parent.join(format!("run-{:016x}", RandomState::new().build_hasher().finish()));
        let mut private = DirBuilder::new();
        let folder = private.mode(0o700).create(&folder).map(|()| Self(folder))?;
        private.create(folder.empty())?;
        private.create(folder.copies())?;
        for (name, content) in &files.programs {
            let path = folder.copies().join(name);
            path.parent().map_or(Ok(()), |above| DirBuilder::new().mode(0o700).recursive(true).create(above))?;
            OpenOptions::new().write(true).create_new(true).mode(0o700).open(&path)?.write_all(content)?;
        }
        Ok(folder)
    }

    /// Where the command runs.
    fn empty(&self) -> PathBuf {
        self.0.join("empty")
    }

    /// Where the command finds the files of the workspace.
    fn copies(&self) -> PathBuf {
        self.0.join("workspace")
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn value_of(around: &ConnectionEnvironment, name: &str) -> Result<String, Error> {
    let value = (around.variable)(name).filter(|value| !value.is_empty());
    value.ok_or_else(|| unreachable(&format!("the environment variable {name} is not set"), "set it"))
}

/// Expands the variables in a text. The value of a variable is escaped, so that it stays within its field.
fn expanded(around: &ConnectionEnvironment, text: &str) -> Result<String, Error> {
    let is_whole = text.starts_with("${") && text.find('}') == Some(text.len().saturating_sub(1));
    let is_url = text.contains("://");
    let is_list = !is_url && text.contains('=');
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else { break };
        result.push_str(before);
        let value = value_of(around, name)?;
        match (is_whole, is_url, is_list) {
            (false, true, _) => result.extend(utf8_percent_encode(&value, NON_ALPHANUMERIC)),
            (false, _, true) => value.chars().for_each(|c| {
                if c.is_whitespace() || c == '\'' || c == '\\' {
                    result.push('\\');
                }
                result.push(c);
            }),
            _ => result.push_str(&value),
        }
        rest = behind;
    }
    result.push_str(rest);
    Ok(result)
}

/// Expands a host, which may be a folder below the user's home.
fn expanded_host(around: &ConnectionEnvironment, host: &str) -> Result<String, Error> {
    let host = expanded(around, host)?;
    let below = host.strip_prefix("~/").zip(around.home.as_ref());
    Ok(below.map_or(host.clone(), |(rest, home)| home.join(rest).to_string_lossy().into_owned()))
}

fn path_of(around: &ConnectionEnvironment, variable: &str, below_home: &str) -> Option<PathBuf> {
    let named = (around.variable)(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    named.or_else(|| around.home.as_ref().map(|home| home.join(below_home)))
}

/// Applies a service from a service file, as PostgreSQL's own programs do. The configuration takes precedence.
fn add_service(around: &ConnectionEnvironment, address: &mut Address, service: &str) -> Result<(), Error> {
    let system = (around.variable)("PGSYSCONFDIR").unwrap_or_else(|| "/etc/postgresql-common".to_owned());
    let files = path_of(around, "PGSERVICEFILE", ".pg_service.conf").into_iter();
    let texts = files.chain([Path::new(&system).join("pg_service.conf")]).filter_map(|file| small_file(&file));
    let Some(settings) = texts.into_iter().find_map(|text| service_of(&text, service)) else {
        return Err(unreachable(
            &format!("no service file has the service '{service}'"),
            "add it to ~/.pg_service.conf",
        ));
    };
    for (key, value) in settings {
        match key.as_str() {
            "host" => address.set_host(&value),
            "port" => {
                if let Ok(port) = value.parse() {
                    address.set_port(port);
                }
            }
            "dbname" => address.set_database(&value),
            "user" => address.set_user(&value),
            "password" => address.set_password(&value),
            "sslrootcert" => address.authorities = Some(PathBuf::from(value)),
            "sslmode" => {
                let wrong = || unreachable(&format!("the service '{service}' has an unknown sslmode"), "correct it");
                address.set_tls(TlsMode::from_word(&value).ok_or_else(wrong)?);
            }
            _ => {}
        }
    }
    Ok(())
}

fn add_stored_password(around: &ConnectionEnvironment, address: &mut Address) {
    let Some(file) = path_of(around, "PGPASSFILE", ".pgpass").filter(|file| is_private(file)) else { return };
    let Some(text) = small_file(&file) else { return };
    let host = address.host().unwrap_or_default();
    let host = if SOCKETS.contains(&host.as_str()) { "localhost".to_owned() } else { host };
    let user = address.user().map(str::to_owned).or_else(|| (around.variable)("USER")).unwrap_or_default();
    let database = address.database().unwrap_or(&user).to_owned();
    let wanted = [host, address.port().to_string(), database, user];
    if let Some(password) = stored_password(&text, &wanted) {
        address.set_password(&password);
    }
}

/// Sets the file of root certificates: the configured one, relative to the workspace, or PostgreSQL's default.
fn find_authorities(around: &ConnectionEnvironment, address: &mut Address) {
    match &address.authorities {
        Some(file) if file == Path::new(SYSTEM) => {}
        Some(file) => address.authorities = Some(around.path(&file.to_string_lossy())),
        None => {
            let usual = around.home.as_ref().map(|home| home.join(".postgresql/root.crt"));
            address.authorities = usual.filter(|file| file.is_file());
        }
    }
}

/// Reads the certificates of authorities. Of a file in the workspace, only the content that was checked is used; one that
/// only a service or the environment names was not checked.
fn read_authorities(
    around: &ConnectionEnvironment,
    address: &mut Address,
    checked: Option<&CheckedContent>,
) -> Result<(), Error> {
    match checked {
        Some(CheckedContent::Read(content)) => address.set_certificates(Some(content.clone())),
        Some(CheckedContent::Unreadable) => address.set_certificates(None),
        checked => {
            if let Some(CheckedContent::Outside(file)) = checked {
                address.authorities = Some(file.clone());
            }
            let file = address.authorities.as_deref().filter(|file| *file != Path::new(SYSTEM)).map(clean);
            if let Some(file) = file.filter(|file| is_of_process(file) || is_inside(&around.workspace, file)) {
                let why = format!("its sslrootcert, {}, is in the workspace, and was not checked", file.display());
                return Err(unreachable(
                    &why,
                    "name the file in 'sslrootcert' of its connection, or move it elsewhere",
                ));
            }
            address.read_authorities();
        }
    }
    Ok(())
}

/// Whether a path is in the workspace, as written or with links resolved.
fn is_inside(workspace: &Path, path: &Path) -> bool {
    let real = |path: &Path| resolve(path).unwrap_or_else(|_| path.to_owned());
    let (whole, written) = (real(workspace), clean(path));
    is_within(&written, workspace) || is_within(&written, &whole) || is_within(&real(path), &whole)
}

/// Parses a URL. The error does not quote it, because it may contain a password.
fn parsed(text: &str) -> Result<Address, Error> {
    let fix = "write it as postgres://user@host/database";
    Address::parse(text).ok_or_else(|| unreachable("its URL is not a PostgreSQL URL", fix))
}

fn small_file(file: &Path) -> Option<String> {
    let is_fit = fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= FILE_BYTES);
    if is_fit { fs::read_to_string(file).ok() } else { None }
}

/// Whether only the user may read a file. Like PostgreSQL, refdesk ignores other password files.
fn is_private(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|it| it.permissions().mode() & 0o077 == 0)
}

/// The keys and values in the section `[service]`.
fn service_of(text: &str, service: &str) -> Option<Vec<(String, String)>> {
    let mut found: Option<Vec<(String, String)>> = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            if found.is_some() {
                break;
            }
            found = (name.trim() == service).then(Vec::new);
        } else if let Some((key, value)) = line.split_once('=')
            && !line.starts_with('#')
            && let Some(settings) = &mut found
        {
            settings.push((key.trim().to_owned(), value.trim().to_owned()));
        }
    }
    found
}

/// The password on the first line that matches host, port, database and user, where `*` matches any.
fn stored_password(text: &str, wanted: &[String; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut fields = vec![String::new()];
        let mut rest = line.chars();
        while let Some(c) = rest.next() {
            match c {
                '\\' => fields.last_mut()?.extend(rest.next()),
                ':' if fields.len() < 5 => fields.push(String::new()),
                _ => fields.last_mut()?.push(c),
            }
        }
        let [place @ .., password] = fields.as_slice() else { return None };
        let fits = place.len() == 4 && place.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted);
        (fits && !password.is_empty()).then(|| password.clone())
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn passwords_are_found_as_postgresql_finds_them() {
        let text = "# db:1:x:ann:no\nother:*:*:*:no\ndb:5432:sh\\:op:ann:a\\:b:c\\\\\n*:*:*:ann:any\n";
        let wanted = |host: &str, database: &str| [host, "5432", database, "ann"].map(str::to_owned);
        assert_eq!(stored_password(text, &wanted("db", "sh:op")).as_deref(), Some("a:b:c\\"));
        assert_eq!(stored_password(text, &wanted("db", "x")).as_deref(), Some("any"));
        assert_eq!(stored_password("db:5432", &wanted("db", "x")), None);
    }

    /// Another user of the machine could offer a socket there, and would be sent the password for `localhost`.
    #[test]
    fn sockets_are_tried_only_where_not_every_user_may_create_them() {
        assert!(!SOCKETS.contains(&"/tmp"));
        let server = ServerConnection { host: Some("/tmp".to_owned()), ..ServerConnection::default() };
        let found = address(&server, &ConnectionEnvironment::default(), &CheckedFiles::default()).unwrap();
        assert_eq!(found.host().as_deref(), Some("/tmp"), "a folder that was named is used");
    }

    #[test]
    fn a_password_command_finds_no_program_of_the_workspace_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("w");
        fs::create_dir_all(workspace.join("bin")).unwrap();
        symlink(&workspace, folder.path().join("link")).unwrap();
        symlink("/usr/bin", workspace.join("out")).unwrap();
        let within = |path: &str| folder.path().join(path).display().to_string();
        let untrusted = ["w", "w/bin", "w/none", "w/out", "x/../w/bin", "link/bin"].map(within).join(":");
        let found = search_path(&workspace, &format!("/bin:{untrusted}::.:bin:/usr/bin:{}:", within("w2")));
        assert_eq!(found, format!("/bin:/usr/bin:{}", within("w2")).as_str());
        assert_eq!(search_path(&workspace, &untrusted), "/usr/local/bin:/usr/bin:/bin");
    }

    /// What stands in the workspace may have been exchanged since it was checked.
    #[test]
    fn a_password_command_runs_what_was_checked() {
        let folder = tempfile::tempdir().unwrap();
        let (workspace, state) = (folder.path().join("my w"), folder.path().join("state"));
        for below in [&workspace.join("scripts"), &state] {
            fs::create_dir_all(below).unwrap();
        }
        for name in ["scripts/pw.sh", "scripts/lib.sh"] {
            refdesk_files::write_atomic(&workspace.join(name), b"#!/bin/sh\necho exchanged\n").unwrap();
        }
        let around = ConnectionEnvironment { workspace, state: Some(state.clone()), ..Default::default() };
        let checked = b"#!/bin/sh\necho checked\n".to_vec();
        let files = CheckedFiles { programs: [("scripts/pw.sh".into(), checked)].into(), ..CheckedFiles::default() };
        let printed = |command: &str| printed_password(&around, command, &files);
        for command in ["./scripts/pw.sh", "sh scripts/pw.sh", "\"$workspaceRoot\"/scripts/pw.sh", ". ./scripts/pw.sh"]
        {
            assert_eq!(printed(command).as_deref(), Ok("checked"), "{command}");
        }
        assert!(printed("sh ./scripts/lib.sh").is_err(), "a file that was not checked");
        assert_eq!(fs::read_dir(&state).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn certificates_in_the_workspace_are_those_that_were_checked() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("w");
        fs::create_dir_all(&workspace).unwrap();
        fs::create_dir_all(folder.path().join("home/.postgresql")).unwrap();
        symlink(&workspace, folder.path().join("link")).unwrap();
        let around = ConnectionEnvironment {
            home: Some(folder.path().join("home")),
            workspace,
            variable: |name| (name == "URL").then(|| "postgres://db/x?sslrootcert=ca.pem".to_owned()),
            ..ConnectionEnvironment::default()
        };
        let linked = folder.path().join("link/ca.pem").display().to_string();
        let server = ServerConnection { url_env: Some("URL".to_owned()), ..ServerConnection::default() };
        let with = |sslrootcert: &str| ServerConnection { sslrootcert: Some(sslrootcert.to_owned()), ..server.clone() };
        let unchecked = CheckedFiles::default();
        for refused in [&server, &with("sub/../ca.pem"), &with(&linked), &with("/proc/self/cwd/ca.pem")] {
            let error = address(refused, &around, &unchecked).unwrap_err();
            assert!(error.message.contains("is in the workspace, and was not checked"), "{refused:?}: {error}");
        }
        for (file, found) in [
            ("~/.postgresql/x.crt", folder.path().join("home/.postgresql/x.crt")),
            ("/etc/x.crt", PathBuf::from("/etc/x.crt")),
            ("system", PathBuf::from("system")),
        ] {
            assert_eq!(address(&with(file), &around, &unchecked).unwrap().authorities, Some(found));
        }
        let checked =
            CheckedFiles { authorities: Some(CheckedContent::Read(b"one".to_vec())), ..CheckedFiles::default() };
        assert!(address(&with("ca.pem"), &around, &checked).is_ok());
        let outside = CheckedContent::Outside("/etc/x.crt".into());
        let led = CheckedFiles { authorities: Some(outside), ..CheckedFiles::default() };
        let found = address(&with("ca.pem"), &around, &led).unwrap().authorities;
        assert_eq!(found, Some("/etc/x.crt".into()), "where the link led when it was checked");
    }

    #[test]
    fn a_service_ends_at_the_next() {
        let text = "[a]\nhost=x\n[shop]\n# user=bob\nhost = db\ndbname=shop\n[b]\nuser=eve\n";
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(service_of(text, "shop"), Some(vec![pair("host", "db"), pair("dbname", "shop")]));
        assert_eq!(service_of(text, "c"), None);
    }

    #[test]
    fn a_variable_in_a_url_cannot_leave_its_field() {
        let around = ConnectionEnvironment {
            variable: |name| (name != "NONE").then(|| "p@evil.example/x ' \\".to_owned()),
            ..ConnectionEnvironment::default()
        };
        for text in ["postgres://ann:${PW}@db.example/shop", "host=db.example user=ann password=${PW} dbname=shop"] {
            let address = parsed(&expanded(&around, text).unwrap()).unwrap();
            assert_eq!(address.host().as_deref(), Some("db.example"), "{text}");
            assert_eq!(address.database(), Some("shop"), "{text}");
            assert!(address.has_password(), "{text}");
        }
        let error = parsed(&expanded(&around, "${PW}").unwrap()).unwrap_err();
        assert!(!error.to_string().contains("evil"), "{error}");
        assert!(expanded(&around, "postgres://${NONE}").unwrap_err().to_string().contains("NONE"));
    }
}
