//! Which kernel modules have to be loaded before which: they say so themselves.
//!
//! It reads the `depends` of each module instead of an index, which packages make only when they are installed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::text;
use crate::process;

/// The modules called `wanted` and those that they need, ready to be loaded in this order.
///
/// What is built into the kernel needs no loading and is left out.
pub fn in_load_order(directory: &Path, wanted: &[&str]) -> Result<Vec<Vec<u8>>, String> {
    let mut shelf = Shelf::default();
    shelf.find(directory)?;
    for name in wanted {
        shelf.load(name)?;
    }
    Ok(shelf.loaded)
}

#[derive(Default)]
struct Shelf {
    paths: BTreeMap<String, PathBuf>,
    builtin: Vec<String>,
    names: Vec<String>,
    loaded: Vec<Vec<u8>>,
}

impl Shelf {
    fn find(&mut self, directory: &Path) -> Result<(), String> {
        let failed = |error| format!("cannot read {}: {error}", directory.display());
        for entry in fs::read_dir(directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                self.find(&path)?;
            } else if path.ends_with("modules.builtin") {
                let list = fs::read_to_string(&path).map_err(failed)?;
                self.builtin.extend(list.lines().filter_map(|line| name_of(Path::new(line))));
            } else if let Some(name) = name_of(&path) {
                self.paths.insert(name, path);
            }
        }
        Ok(())
    }

    fn load(&mut self, name: &str) -> Result<(), String> {
        if self.builtin.iter().chain(&self.names).any(|there| there == name) {
            return Ok(());
        }
        let path = self.paths.get(name).ok_or_else(|| format!("the kernel has no module `{name}`"))?;
        let module = read(path)?;
        self.names.push(name.to_owned());
        for needed in depends(&module) {
            self.load(&needed)?;
        }
        self.loaded.push(module);
        Ok(())
    }
}

/// `virtio_pci` of `…/virtio-pci.ko.xz`: files may have a dash where names have an underscore.
fn name_of(path: &Path) -> Option<String> {
    let (name, end) = path.file_name()?.to_str()?.split_once(".ko")?;
    matches!(end, "" | ".xz").then(|| name.replace('-', "_"))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error| format!("cannot read {}: {error}", path.display());
    if path.extension().is_some_and(|end| end == "ko") {
        return fs::read(path).map_err(failed);
    }
    let output = process::command(Path::new("/"), "xz", &["--decompress", "--stdout", text(path)?])
        .stdin(Stdio::null())
        .output()
        .map_err(failed)?;
    if output.status.success() { Ok(output.stdout) } else { Err(format!("cannot unpack {}", path.display())) }
}

/// The list behind `depends=`, which ends in a NUL byte, as does what stands before it.
fn depends(module: &[u8]) -> Vec<String> {
    const KEY: &[u8] = b"\0depends=";
    let Some(at) = module.windows(KEY.len()).position(|window| window == KEY) else { return Vec::new() };
    let list: Vec<u8> = module.iter().skip(at + KEY.len()).copied().take_while(|byte| *byte != 0).collect();
    let list = String::from_utf8_lossy(&list);
    list.split(',').filter(|name| !name.is_empty()).map(|name| name.replace('-', "_")).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use guild_testkit::Fixture;

    use super::*;

    #[track_caller]
    fn check(wanted: &[&str], expect: &Expect) {
        let fixture =
            Fixture::write("//- /6.1/modules.builtin\nkernel/fs/tmp-fs.ko\n//- /6.1/kernel/README\n");
        for (name, depends) in
            [("a", "b,c-d"), ("b", "c_d"), ("c-d", ""), ("e", "tmp_fs,a"), ("broken", "no_such")]
        {
            let module = format!("\x7fELF {name}\0license=GPL\0depends={depends}\0name={name}\0");
            fs::write(fixture.join(format!("6.1/kernel/{name}.ko")), module).unwrap();
        }
        let shown = in_load_order(fixture.path(), wanted).map(|modules| {
            let first = |module: &Vec<u8>| {
                let text = String::from_utf8_lossy(module);
                text.split('\0').next().unwrap_or_default().trim_start_matches("\x7fELF ").to_owned()
            };
            modules.iter().map(first).collect::<Vec<_>>().join(" ")
        });
        expect.assert_eq(&shown.unwrap_or_else(|error| error));
    }

    #[test]
    fn what_a_module_needs_is_loaded_first_and_once() {
        check(&["a"], &expect!["c-d b a"]);
        check(&["b", "e", "a"], &expect!["c-d b a e"]);
    }

    #[test]
    fn what_is_built_in_is_not_loaded() {
        check(&["tmp_fs"], &expect![""]);
    }

    #[test]
    fn an_absent_module_is_named() {
        check(&["broken"], &expect!["the kernel has no module `no_such`"]);
    }
}
