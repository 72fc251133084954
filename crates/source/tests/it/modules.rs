//! A file that nobody declares is a test that nobody runs.

use std::fs;
use std::path::Path;

#[test]
fn every_file_here_is_a_module() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = fs::read_to_string(here.join("main.rs")).unwrap();
    for file in fs::read_dir(here).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        if let Some(module) = file.strip_suffix(".rs").filter(|module| *module != "main") {
            assert!(main.contains(&format!("mod {module};")), "{file} is not declared in main.rs");
        }
    }
}
