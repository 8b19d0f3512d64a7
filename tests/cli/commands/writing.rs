//! `refdesk render` to one or many files: shown first, written only when approved, completely or not at all.

use std::fs;

use serde_json::{Value, json};

use crate::support::program::run;
use crate::support::workspace::Workspace;

const TEXT: &str = "hello {{ name }}\n";

/// Renders `hello NAME` to a path.
fn words<'a>(path: &'a str, name: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["render", "--inline", TEXT, "--var", name, "--output", path], more].concat()
}

#[test]
fn written_files_are_reported() {
    let world = Workspace::new();
    let ran = world.run(&words("a/b/new.txt", "name=Ada", &["--yes"])).exits(0);
    let diff = "--- /dev/null\n+++ b/a/b/new.txt\n@@ -0,0 +1 @@\n+hello Ada\n";
    assert_eq!(ran.text(), format!("{diff}Wrote a/b/new.txt: 10 bytes, 1 line (+1 −0).\n"));
    assert_eq!(world.read("a/b/new.txt"), "hello Ada\n");
    let answer = world.json(&words("a/b/new.txt", "name=Bob", &["--yes", "--overwrite"]), 0);
    let expected = json!({
        "success": true, "output_path": "a/b/new.txt", "bytes_written": 10, "size": 10, "lines": 1,
        "variables_used": ["name"], "variables_unused": [], "variables_missing": [], "template_syntax": "jinja2",
        "warnings": [], "diff": "--- a/a/b/new.txt\n+++ b/a/b/new.txt\n@@ -1 +1 @@\n-hello Ada\n+hello Bob\n",
    });
    assert_eq!(answer, expected);
    let same = world.json(&words("a/b/new.txt", "name=Bob", &[]), 0);
    assert_eq!((&same["bytes_written"], &same["diff"]), (&json!(0), &json!("")), "nothing to approve or overwrite");
    assert_eq!(world.run(&words("a/b/new.txt", "name=Bob", &[])).exits(0).text(), "a/b/new.txt is unchanged.\n");
}

#[test]
fn the_path_is_relative_to_the_current_folder() {
    let world = Workspace::with(&[("docs/x", "")]);
    let ran = run(world.command(&words("new.txt", "name=Ada", &["--yes"])).current_dir(world.path.join("docs")), None);
    assert!(ran.exits(0).text().ends_with("Wrote docs/new.txt: 10 bytes, 1 line (+1 −0).\n"));
    assert_eq!(world.read("docs/new.txt"), "hello Ada\n");
}

#[test]
fn nothing_is_written_without_approval() {
    let world = Workspace::with(&[("old.txt", "old\n")]);
    let before = world.listing();
    for (path, more, code, shown, said) in [
        ("new.txt", &[][..], 1, "+hello Ada", "not a terminal, so nothing was written"),
        ("new.txt", &["--dry-run"], 0, "+hello Ada", "this would write new.txt (+1 −0)\n"),
        ("new.txt", &["--dry-run", "--yes"], 0, "+hello Ada", ""),
        ("old.txt", &["--overwrite"], 1, "-old", "not a terminal, so nothing was written"),
        ("old.txt", &["--yes"], 1, "-old", "--overwrite"),
        ("old.txt", &["--dry-run"], 0, "-old", "this would replace old.txt (+1 −1), with --overwrite\n"),
    ] {
        let ran = world.run(&words(path, "name=Ada", more)).exits(code);
        assert!(ran.text().contains(shown) && ran.stderr.contains(said), "{ran}");
        let answer = world.json(&words(path, "name=Ada", more), code);
        assert!(answer["diff"].as_str().unwrap().contains(shown) && answer["bytes_written"] == 0, "{answer}");
        assert_eq!(world.listing(), before, "{path} {more:?}");
    }
    // An answer from a pipe does not count.
    world.feed(&words("new.txt", "name=Ada", &[]), b"y\n").exits(1);
    assert_eq!(world.listing(), before);
}

#[test]
fn refusals_write_nothing_and_have_a_code() {
    let world = Workspace::with(&[("folder/x", ""), (".git/config", "")]);
    let long = "x".repeat(300);
    let before = world.listing();
    for (path, code) in [
        ("", "empty-path"),
        ("src/{{Entity}}.java", "unfilled-path"),
        ("a\nb", "control-character"),
        (&*long, "too-long"),
        ("folder", "is-folder"),
        ("folder/x/y", "below-a-file"),
        (".git/config", "guarded"),
        (".jaato/refdesk/selection.json", "guarded"),
        ("C:\\x", "foreign-path"),
        ("../beside", "outside"),
        ("/tmp/refdesk-never", "outside"),
    ] {
        let answer = world.json(&words(path, "name=Ada", &["--yes", "--overwrite"]), 1);
        assert_eq!((&answer["error"]["code"], &answer["success"]), (&json!(code), &json!(false)), "{path}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("Failed to write output: "), "{message}");
        assert_eq!(world.listing(), before, "{path}");
    }
    world.run(&words("../home/beside", "name=Ada", &["--yes", "--allow-outside"])).exits(0);
    assert_eq!(fs::read_to_string(world.beside("home/beside")).unwrap(), "hello Ada\n");
}

#[test]
fn the_templates_own_path_is_suggested() {
    let world = Workspace::new();
    let template = "// Output: {{ base }}/X.java (merge)\nx\n";
    let ran = world.run(&["render", "--inline", template, "--var", "base=src"]).exits(0);
    assert_eq!(ran.text(), "// Output: src/X.java (merge)\nx\n", "the line stays");
    assert!(ran.stderr.starts_with("note: ") && ran.stderr.contains(" src/X.java: --output"), "{ran}");
    let answer = world.json(&["render", "--inline", template, "--var", "base=src"], 0);
    assert_eq!((&answer["offered_output"], &answer["warnings"]), (&json!("src/X.java"), &json!([])));
    // What is set above the path counts, unless a block is still open there.
    for (text, offered) in [
        ("x {% set p = base|replace('.', '/') -%}\n// Output: {{ p }}/{{ base }}.java\n", "a/b/a.b.java"),
        ("{% if base %}\n// Output: {{ base }}.java\n{% endif %}", "a.b.java"),
    ] {
        let answer = world.json(&["render", "--inline", text, "--var", "base=a.b"], 0);
        assert_eq!((&answer["offered_output"], &answer["warnings"]), (&json!(offered), &json!([])), "{text}");
    }
    // It is relative to the workspace, wherever the command runs.
    fs::create_dir(world.path.join("sub")).unwrap();
    let in_sub = |words: &[&str]| {
        let output = world.command(words).current_dir(world.path.join("sub")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let noted = in_sub(&["render", "--inline", template, "--var", "base=src"]);
    let there = world.path.join("src/X.java");
    assert!(noted.contains(&format!(" src/X.java: --output '{}'", there.display())), "{noted}");
    let noted = in_sub(&["render", "--inline", template, "--var", "base=~"]);
    assert!(noted.contains(&format!(" ~/X.java: --output '{}'", world.beside("home/X.java").display())), "{noted}");
    let row =
        json!([{"inline": template, "vars": {"base": "src"}}, {"inline": "x", "output": "typed.txt"}]).to_string();
    in_sub(&["render", "--batch", &row, "--yes"]);
    assert!(there.is_file() && world.path.join("sub/typed.txt").is_file());
    // With a value missing, the path could lead anywhere.
    let holed = "\n// Output: {{base}}/X.java\nx{{#list}}{{/list}}\n";
    let answer = world.json(&["render", "--inline", holed], 0);
    assert_eq!(answer["offered_output"], Value::Null);
    let warnings = answer["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|it| it.as_str().unwrap().contains("no output path is suggested")), "{answer}");
    assert!(warnings.last().unwrap().as_str().unwrap().contains("'base' at line 2"), "{answer}");
}

fn batch(rows: Value, more: &[&str]) -> Vec<String> {
    let rows = rows.to_string();
    ["render", "--batch", &rows].iter().chain(more).map(ToString::to_string).collect()
}

fn as_words(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[test]
fn many_at_once() {
    let world = Workspace::with(&[("own.tpl", "own {{ x }}\n"), ("old.txt", "old\n"), ("same.txt", "same")]);
    let rows = json!([
        {"inline": "a {{ x }}", "vars": {"x": 1}, "output": "new/a.txt"},
        {"file": "own.tpl", "vars": {"x": 2}, "output": "old.txt"},
        {"inline": "# Output: {{p}}/c.yml\n{{>part}}", "syntax": "mustache", "vars": {"p": "new"}, "partials": {"part": "c"}},
        {"inline": "same", "output": "same.txt"},
    ]);
    let refused = world.json(&as_words(&batch(rows.clone(), &["--yes"])), 1);
    assert_eq!(refused["error"]["code"], "exists");
    assert_eq!(refused["error"]["message"], "row 2: Failed to write output: old.txt exists");
    assert!(!world.path.join("new").exists());
    let shown = world.run(&as_words(&batch(rows.clone(), &["--dry-run"]))).exits(0);
    assert!(shown.text().contains("+a 1") && shown.text().contains("same.txt is unchanged"), "{shown}");
    let answer = world.json(&as_words(&batch(rows.clone(), &["--yes", "--overwrite"])), 0);
    let outputs = answer["outputs"].as_array().unwrap();
    let told: Vec<(u64, &str, u64)> = outputs
        .iter()
        .map(|it| {
            let count = |key: &str| it[key].as_u64().unwrap();
            (count("row"), it["output_path"].as_str().unwrap(), count("bytes_written"))
        })
        .collect();
    assert_eq!(told, [(1, "new/a.txt", 3), (2, "old.txt", 6), (3, "new/c.yml", 21), (4, "same.txt", 0)]);
    assert_eq!((world.read("new/a.txt"), world.read("old.txt")), ("a 1".to_owned(), "own 2\n".to_owned()));
    assert_eq!(world.read("new/c.yml"), "# Output: new/c.yml\nc");
    assert!(!world.path.join(".jaato/refdesk/write.json").exists());
    world.put("rows.json", rows.to_string().as_bytes());
    let from_file = world.json(&["render", "--batch", "@rows.json", "--yes", "--overwrite"], 0);
    assert!(from_file["outputs"].as_array().unwrap().iter().all(|it| it["bytes_written"] == 0), "all unchanged");
}

#[test]
fn one_bad_row_stops_the_whole_batch() {
    let world = Workspace::with(&[("folder/x", "")]);
    std::os::unix::fs::symlink("good", world.path.join("link")).unwrap();
    let before = world.listing();
    let good = json!({"inline": "x", "output": "good"});
    for (bad, code, said) in [
        (json!({"inline": "{{ x }}", "output": "bad", "syntax": "jinja2"}), "render", "row 2: Template render error: "),
        (json!({"name": "none", "output": "bad"}), "unknown-template", "row 2: no template is named 'none'"),
        (json!({"file": "none", "output": "bad"}), "no-such-file", "row 2: Template file not found: "),
        (json!({"inline": "x"}), "no-output-path", "row 2: Failed to write output: "),
        (
            json!({"inline": "{{#a}}{{/a}}\n// Output: {{base}}/X"}),
            "no-output-path",
            "the one in the template cannot be filled in: undefined variable 'base' at line 2",
        ),
        (json!({"inline": "x", "output": ""}), "empty-path", "row 2: Failed to write output: "),
        (json!({"inline": "x", "output": "../x"}), "outside", "row 2: Failed to write output: "),
        (json!({"inline": "x", "output": "folder"}), "is-folder", "row 2: Failed to write output: "),
        (json!({"inline": "x", "output": "folder/../good"}), "same-file", "good is written twice (row 1)"),
        (json!({"inline": "x", "output": "good/x"}), "file-and-folder", "(row 1)"),
        (json!({"inline": "x", "output": "link"}), "same-file", "good and link are the same file (row 1)"),
    ] {
        let answer = world.json(&as_words(&batch(json!([good, bad, good]), &["--yes"])), 1);
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(said), "{answer}");
        let rows: Vec<u64> =
            answer["outputs"].as_array().unwrap().iter().map(|it| it["row"].as_u64().unwrap()).collect();
        assert_eq!(rows, [2, 3], "every row that cannot be written is reported: {answer}");
        assert_eq!(world.listing(), before);
    }
    let many = vec![good; 1001];
    let ran = world.run(&as_words(&batch(json!(many), &[]))).exits(2);
    assert!(ran.stderr.contains("limit of 1000"), "{ran}");
}

/// The existing file is not text: its content is not printed, but its replacement is reported.
#[test]
fn a_binary_file_is_not_compared() {
    let world = Workspace::new();
    world.put("old.bin", b"\xff\x1b[31m\0");
    let ran = world.run(&words("old.bin", "name=Ada", &["--dry-run"])).exits(0);
    assert_eq!(ran.text(), "Binary files a/old.bin and b/old.bin differ\n");
    assert!(ran.stderr.contains("binary"), "{ran}");
}

#[test]
fn changed_line_ends_are_reported() {
    let world = Workspace::with(&[("old.txt", "hello Ada\r\n")]);
    let ran = world.run(&words("old.txt", "name=Ada", &["--dry-run"])).exits(0);
    assert!(ran.text().contains("-hello Ada\r\n+hello Ada\n"), "{ran}");
    assert!(ran.stderr.contains("CRLF"), "{ran}");
}

mod when_the_system_refuses {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;
    use crate::support::program::PROGRAM;

    /// The program with a file size limit of a few blocks, which has the effect of a full disk.
    fn on_a_full_disk(world: &Workspace, words: &[&str]) -> Command {
        limited(world, "ulimit -c 0; ulimit -f 8", words)
    }

    /// The program under limits set by a shell.
    fn limited(world: &Workspace, limits: &str, words: &[&str]) -> Command {
        let usual = world.command(&[]);
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{limits}; exec \"$0\" \"$@\"")).arg(PROGRAM);
        command.arg("--workspace").arg(&world.path).args(words).current_dir(&world.path).env_clear();
        for (key, value) in usual.get_envs() {
            command.env(key, value.unwrap_or_default());
        }
        command
    }

    #[test]
    fn a_write_into_more_folders_than_open_files_are_allowed_succeeds() {
        let world = Workspace::new();
        let names: Vec<String> = (0..300).map(|nth| format!("d{nth}/x")).collect();
        names.iter().for_each(|name| world.put(name, b"old"));
        let rows: Value = names.iter().map(|name| json!({"inline": "new", "output": name})).collect();
        let words = batch(rows, &["--yes", "--overwrite"]);
        let limited = &mut limited(&world, "ulimit -Sn 256", &as_words(&words));
        run(limited, None).exits(0);
        assert!(names.iter().all(|name| world.read(name) == "new"));
    }

    #[test]
    fn a_write_of_more_files_in_a_folder_than_may_be_open_succeeds() {
        let world = Workspace::new();
        let names: Vec<String> = (0..300).map(|nth| format!("d/{nth}")).collect();
        names.iter().take(200).for_each(|name| world.put(name, b"old"));
        let rows: Value = names.iter().map(|name| json!({"inline": "new", "output": name})).collect();
        let words = batch(rows, &["--yes", "--overwrite"]);
        run(&mut limited(&world, "ulimit -n 128", &as_words(&words)), None).exits(0);
        assert!(names.iter().all(|name| world.read(name) == "new"));
        assert_eq!(fs::read_dir(world.path.join("d")).unwrap().count(), 300);
    }

    #[test]
    fn a_full_disk_leaves_the_old_file_and_no_new_folder() {
        let world = Workspace::with(&[("old.txt", "old\n")]);
        let before = world.listing();
        let large = "x".repeat(100_000);
        let one = |path| vec!["render", "--inline", large.as_str(), "--yes", "--overwrite", "--output", path];
        for path in ["old.txt", "new/deep/x.txt"] {
            let ran = run(&mut on_a_full_disk(&world, &one(path)), None).exits(1);
            assert!(ran.stderr.contains(&format!("Failed to write output: {path}: File too large")), "{ran}");
            assert_eq!(world.listing(), before);
            assert!(!world.path.join("new").exists());
        }
        let rows = json!([{"inline": "x", "output": "new/x"}, {"inline": large, "output": "old.txt"}]);
        let words = batch(rows, &["--yes", "--overwrite"]);
        run(&mut on_a_full_disk(&world, &as_words(&words)), None).exits(1);
        assert_eq!((world.read("old.txt").as_str(), world.path.join("new").exists()), ("old\n", false));
        world.run(&words_of_next("old.txt")).exits(0);
        let left: Vec<_> = fs::read_dir(&world.path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".refdesk-")), "{left:?}");
    }

    fn words_of_next(path: &str) -> Vec<&str> {
        words(path, "name=Ada", &["--yes", "--overwrite"])
    }

    #[test]
    fn an_unwritable_folder() {
        let world = Workspace::with(&[("folder/x", "")]);
        let folder = world.path.join("folder");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
        let may_all_the_same = fs::File::create(folder.join("probe")).is_ok();
        // The superuser can write anywhere except in the kernel's file systems.
        let path = if may_all_the_same { "/proc/refdesk/x".to_owned() } else { "folder/new".to_owned() };
        if !may_all_the_same || cfg!(target_os = "linux") {
            let answer = world.json(&words(&path, "name=Ada", &["--yes", "--allow-outside"]), 1);
            assert_eq!(answer["error"]["code"], "not-written", "{answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.starts_with(&format!("Failed to write output: {path}: ")), "{message}");
            assert!(!message.contains(".refdesk-"), "{message}");
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_read_only_file_stays() {
        let world = Workspace::with(&[("old.txt", "old\n")]);
        fs::set_permissions(world.path.join("old.txt"), fs::Permissions::from_mode(0o444)).unwrap();
        let answer = world.json(&words("old.txt", "name=Ada", &["--yes", "--overwrite"]), 1);
        assert_eq!((&answer["error"]["code"], world.read("old.txt").as_str()), (&json!("read-only"), "old\n"));
    }

    #[test]
    fn an_executable_stays_executable() {
        let world = Workspace::with(&[("run.sh", "old\n")]);
        let file = world.path.join("run.sh");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
        world.run(&words("run.sh", "name=Ada", &["--yes", "--overwrite"])).exits(0);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o750);
    }
}
