//! The `Cargo.toml` files of the workspace as the checks see them: package names and dependencies.
//!
//! It resolves what a dependency is really called (`package = "…"`, here or in the workspace's table). It does
//! not look at versions or features; cargo does.

use toml::Table;

use super::tree::{Tree, crate_folder};

/// One package of the workspace.
pub struct CargoToml<'a> {
    /// The path from the repository's root.
    pub path: &'a str,
    /// The folder below `crates/`, or `xtask`.
    pub folder: &'a str,
    /// The name of the package, empty if the file does not say.
    pub package: String,
    /// The names of the binaries it declares.
    pub binaries: Vec<String>,
    /// Whether it takes its lints from the workspace.
    pub inherits_lints: bool,
    /// Everything it depends on.
    pub dependencies: Vec<Dependency>,
}

/// One dependency of a package.
pub struct Dependency {
    /// The package's real name.
    pub package: String,
    /// Whether only tests, examples and benchmarks see it.
    pub kind: Kind,
}

/// What a dependency is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The product, or its build script.
    Shipped,
    /// Tests, examples and benchmarks.
    Dev,
}

impl Dependency {
    /// The folder of the crate of ours that this is, if it is one.
    pub fn our_folder(&self) -> Option<&str> {
        match self.package.as_str() {
            "guild" => Some("guild"),
            "xtask" => Some("xtask"),
            other => other.strip_prefix("guild-"),
        }
    }
}

/// Reads the `Cargo.toml` of every crate and of xtask; one that cannot be parsed counts as empty.
pub fn cargo_tomls(tree: &Tree) -> Vec<CargoToml<'_>> {
    let root = parse(tree.text("Cargo.toml").unwrap_or_default());
    let shared = subtable(&root, "workspace").and_then(|workspace| subtable(workspace, "dependencies"));
    tree.texts().filter_map(|(path, text)| Some(read(path, folder_of(path)?, text, shared))).collect()
}

fn folder_of(path: &str) -> Option<&str> {
    let directory = path.strip_suffix("/Cargo.toml")?;
    match directory {
        "xtask" => Some("xtask"),
        _ => crate_folder(path).filter(|folder| directory.strip_prefix("crates/") == Some(folder)),
    }
}

fn read<'a>(path: &'a str, folder: &'a str, text: &str, shared: Option<&Table>) -> CargoToml<'a> {
    let table = parse(text);
    let named =
        |table: &Table| table.get("name").and_then(|name| name.as_str()).unwrap_or_default().to_owned();
    let binaries = table.get("bin").and_then(|bins| bins.as_array()).into_iter().flatten();
    let targets =
        subtable(&table, "target").into_iter().flat_map(Table::values).filter_map(|target| target.as_table());
    let tables = targets.chain([&table]);
    CargoToml {
        path,
        folder,
        package: subtable(&table, "package").map(named).unwrap_or_default(),
        binaries: binaries.filter_map(|binary| binary.as_table()).map(named).collect(),
        inherits_lints: subtable(&table, "lints").and_then(|lints| lints.get("workspace")?.as_bool())
            == Some(true),
        dependencies: tables.flat_map(|table| dependencies(table, shared)).collect(),
    }
}

fn dependencies(table: &Table, shared: Option<&Table>) -> Vec<Dependency> {
    let kinds = [
        ("dependencies", Kind::Shipped),
        ("build-dependencies", Kind::Shipped),
        ("dev-dependencies", Kind::Dev),
    ];
    let mut found = Vec::new();
    for (section, kind) in kinds {
        for (key, value) in subtable(table, section).into_iter().flatten() {
            let own = renamed(value);
            let inherited = || shared.and_then(|shared| shared.get(key)).and_then(renamed);
            found.push(Dependency { package: own.or_else(inherited).unwrap_or_else(|| key.clone()), kind });
        }
    }
    found
}

fn renamed(dependency: &toml::Value) -> Option<String> {
    Some(dependency.get("package")?.as_str()?.to_owned())
}

fn subtable<'a>(table: &'a Table, key: &str) -> Option<&'a Table> {
    table.get(key)?.as_table()
}

fn parse(text: &str) -> Table {
    text.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn dependencies_of_every_table_are_found_by_their_real_name() {
        let tree = Tree::of(
            r#"
            //- /Cargo.toml
            [workspace.dependencies]
            sql = { package = "rusqlite", version = "1" }
            //- /crates/a/Cargo.toml
            [package]
            name = "guild-a"
            [dependencies]
            sql.workspace = true
            plain = "1"
            [dev-dependencies]
            guild-testkit.workspace = true
            [target.'cfg(unix)'.dependencies]
            c = { package = "libc", version = "1" }
            [build-dependencies]
            cc = "1"
            //- /crates/a/tests/nested/Cargo.toml
            [package]
            name = "fixture"
            //- /xtask/Cargo.toml
            broken
            "#,
        );
        let mut lines = Vec::new();
        for manifest in cargo_tomls(&tree) {
            lines.push(format!("{} {:?}", manifest.folder, manifest.package));
            lines.extend(manifest.dependencies.iter().map(|it| format!("  {} {:?}", it.package, it.kind)));
        }
        expect![[r#"
            a "guild-a"
              libc Shipped
              plain Shipped
              rusqlite Shipped
              cc Shipped
              guild-testkit Dev
            xtask """#]]
        .assert_eq(&lines.join("\n"));
    }
}
