//! One entry in a TOML file that belongs to somebody else.

use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::SERVER;
use super::entry::Entry;

/// The table that servers stand in.
const SERVERS: &str = "mcp_servers";

/// The file with the server set, or taken away.
pub(super) fn edited(text: &str, entry: Option<&Entry<'_>>) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    match entry {
        Some(entry) => set(&mut document, entry)?,
        None => {
            if let Some(servers) = document.get_mut(SERVERS).and_then(Item::as_table_like_mut) {
                servers.remove(SERVER);
            }
        }
    }
    Ok(document.to_string())
}

fn set(document: &mut DocumentMut, entry: &Entry<'_>) -> Result<(), String> {
    let servers = document.entry(SERVERS).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers.as_table_like_mut().ok_or_else(|| format!("`{SERVERS}` is no table"))?;
    let arguments: Array = entry.arguments().into_iter().collect();
    let known = servers.get(SERVER).and_then(Item::as_table_like);
    let is_same = known.is_some_and(|known| {
        let words = known.get("args").and_then(Item::as_array);
        let is_equal = |words: &Array| words.iter().map(|word| word.as_str()).eq(entry.arguments().map(Some));
        known.get("command").and_then(Item::as_str) == Some(entry.program) && words.is_some_and(is_equal)
    });
    if !is_same {
        let mut server = Table::new();
        server.insert("command", value(entry.program));
        server.insert("args", value(arguments));
        servers.insert(SERVER, Item::Table(server));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    const ENTRY: Entry<'_> = Entry { program: "guild", agent: "codex" };
    const OTHERS: &str =
        "model = \"x\" # mine\n\n[mcp_servers.other]\nurl = \"http://x\"\n\n[features]\na = true\n";

    #[test]
    fn an_entry_is_added_once_and_taken_back() {
        let once = edited(OTHERS, Some(&ENTRY)).unwrap();
        expect![[r#"
            model = "x" # mine

            [mcp_servers.other]
            url = "http://x"

            [mcp_servers.guild]
            command = "guild"
            args = ["mcp", "--agent", "codex"]

            [features]
            a = true
        "#]]
        .assert_eq(&once);
        assert_eq!(edited(&once, Some(&ENTRY)).unwrap(), once);
        assert_eq!(edited(&once, None).unwrap(), OTHERS);
        assert_eq!(edited(OTHERS, None).unwrap(), OTHERS);
    }

    #[test]
    fn an_empty_file_gets_the_entry_alone() {
        expect![[r#"
            [mcp_servers.guild]
            command = "guild"
            args = ["mcp", "--agent", "codex"]
        "#]]
        .assert_eq(&edited("", Some(&ENTRY)).unwrap());
    }

    #[test]
    fn a_file_that_means_something_else_is_left_alone() {
        expect!["`mcp_servers` is no table"]
            .assert_eq(&edited("mcp_servers = 1\n", Some(&ENTRY)).unwrap_err());
        assert!(edited("[mcp_servers", Some(&ENTRY)).is_err());
    }
}
