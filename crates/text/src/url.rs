//! URLs in messages.

/// A URL without its user, password, query and fragment, any of which may be secret.
pub fn without_secrets(url: &str) -> String {
    let plain = url.split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = plain.find("://").map_or(("", plain), |at| plain.split_at(at + 3));
    let (authority, path) = rest.find(['/', '\\']).map_or((rest, ""), |at| rest.split_at(at));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scheme_host_and_path_are_shown() {
        for (url, shown) in [
            ("https://h.example/p", "https://h.example/p"),
            ("https://u:hunter2@h.example:8/p?token=hunter2#hunter2", "https://h.example:8/p"),
            ("https://u:a@b@h?x", "https://h"),
            ("https://h/@scope/x", "https://h/@scope/x"),
            ("u:hunter2@h/x", "h/x"),
            ("", ""),
        ] {
            assert_eq!(without_secrets(url), shown, "{url}");
        }
    }
}
