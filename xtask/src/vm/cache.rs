//! Directories that are made once and kept, each with the recipe it was made from.
//!
//! They are made aside and moved into place, so that one that was interrupted is made again. Nothing grows old here:
//! whoever wants newer packages removes `target/vm`.

use std::fs;
use std::path::{Path, PathBuf};

/// Makes `directory` with `make`, unless it is there and was made from the same `recipe`.
pub fn keep(
    directory: &Path,
    recipe: &str,
    make: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), String> {
    if fs::read_to_string(directory.join("recipe")).is_ok_and(|made_from| made_from == recipe) {
        return Ok(());
    }
    let mut aside = directory.as_os_str().to_owned();
    aside.push(format!(".{}", std::process::id()));
    let aside = PathBuf::from(aside);
    remove(&aside)?;
    fs::create_dir_all(&aside).map_err(|error| format!("cannot make {}: {error}", aside.display()))?;
    let made = make(&aside).and_then(|()| put(&aside, recipe, directory));
    if made.is_err() {
        remove(&aside)?;
    }
    made
}

fn put(aside: &Path, recipe: &str, directory: &Path) -> Result<(), String> {
    remove(directory)?;
    fs::write(aside.join("recipe"), recipe)
        .and_then(|()| fs::rename(aside, directory))
        .map_err(|error| format!("cannot make {}: {error}", directory.display()))
}

fn remove(directory: &Path) -> Result<(), String> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", directory.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_from_the_same_recipe_is_not_made_again() {
        let fixture = guild_testkit::Fixture::empty();
        let kept = fixture.join("kept-1.0");
        let write = |text: &'static str| {
            move |directory: &Path| fs::write(directory.join("file"), text).map_err(|error| error.to_string())
        };
        keep(&kept, "flour", write("bread")).unwrap();
        keep(&kept, "flour", |_| Err("made twice".to_owned())).unwrap();
        assert_eq!(fs::read_to_string(kept.join("file")).unwrap(), "bread");

        assert_eq!(keep(&kept, "flour, salt", |_| Err("no salt".to_owned())), Err("no salt".to_owned()));
        keep(&kept, "flour, salt", write("better bread")).unwrap();
        assert_eq!(fs::read_to_string(kept.join("file")).unwrap(), "better bread");
        assert_eq!(fs::read_dir(fixture.path()).unwrap().count(), 1);
    }
}
