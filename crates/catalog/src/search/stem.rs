//! Endings of English words: `queries` and `query`, `testing`, `tested` and `tests` meet in one stem.
//!
//! Only inflection is folded, never derivation: `test` and `tester` stay two words. A stem is a key to compare,
//! not a word to show. Words of other scripts pass unchanged.

/// Folds the ending of `word`, which is in lower case.
pub(super) fn fold(word: &mut String) {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") {
        word.pop();
    }
    fold_verb(word);
    fold_final_vowel(word);
}

/// Takes off `ing` and `ed`, and mends what they did to the verb.
fn fold_verb(word: &mut String) {
    let stem = match (word.strip_suffix("ing"), word.strip_suffix("ed")) {
        (Some(stem), _) if stem.len() >= 3 => stem,
        (_, Some(stem)) if stem.len() >= 4 && !stem.ends_with('e') => stem,
        _ => return,
    };
    if !stem.bytes().any(is_vowel) {
        return;
    }
    let (doubled, clipped) = (ends_doubled(stem), ends_clipped(stem));
    word.truncate(stem.len());
    if doubled {
        word.pop();
    } else if clipped {
        word.push('e');
    }
}

/// Makes `y` and `ie` one, and takes off an `e` that comes and goes with the ending: `boxes`, `creating`.
fn fold_final_vowel(word: &mut String) {
    const MUTE: [&str; 5] = ["che", "rge", "rse", "sse", "xe"];
    if word.len() < 4 {
        return;
    }
    if word.ends_with("ie") {
        word.pop();
    } else if word.ends_with('y') && !word.bytes().rev().nth(1).is_some_and(is_vowel) {
        word.pop();
        word.push('i');
    } else if word.ends_with('e') && (word.len() > 5 || MUTE.iter().any(|end| word.ends_with(end))) {
        word.pop();
    }
}

/// Whether the last consonant was doubled for the ending: `runn`, `mapp`, but `call`, `pass`, `add`.
fn ends_doubled(stem: &str) -> bool {
    let mut last = stem.bytes().rev();
    let (end, before) = (last.next(), last.next());
    stem.len() >= 4 && end == before && !end.is_some_and(|byte| is_vowel(byte) || b"lsz".contains(&byte))
}

/// Whether the stem has one syllable, consonant, vowel, consonant, and so lost an `e`: `writ`, `cod`, `scal`.
fn ends_clipped(stem: &str) -> bool {
    let mut last = stem.bytes().rev();
    let ends_closed = last.next().is_some_and(|byte| !is_vowel(byte) && !b"wxy".contains(&byte))
        && last.next().is_some_and(is_vowel)
        && last.next().is_some_and(|byte| !is_vowel(byte));
    ends_closed && !last.any(is_vowel)
}

fn is_vowel(byte: u8) -> bool {
    b"aeiouy".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &str, meet: bool) {
        let mut stems: Vec<String> = words.split(' ').map(str::to_owned).collect();
        stems.iter_mut().for_each(fold);
        assert_eq!(stems.iter().all(|stem| Some(stem) == stems.first()), meet, "{words}: {stems:?}");
    }

    #[test]
    fn inflections_of_one_word_meet() {
        for words in [
            "test tests testing tested",
            "query queries",
            "study studies studied studying",
            "cookie cookies",
            "box boxes",
            "class classes",
            "process processes processing processed",
            "search searches searching",
            "cache caches caching cached",
            "write writes writing",
            "code codes coding",
            "create creates creating created",
            "validate validates validating validated",
            "parse parses parsing parsed",
            "merge merges merging merged",
            "run runs running",
            "map maps mapping mapped",
            "setting settings",
            "embed embeds embedding embedded embeddings",
            "deploy deploys deploying deployed",
            "call calls calling called",
            "database databases",
            "status statuses",
            "api apis",
            "schema schemas",
        ] {
            check(words, true);
        }
    }

    #[test]
    fn words_that_only_look_alike_stay_apart() {
        for words in [
            "test tester",
            "string str",
            "need ne",
            "theme them",
            "state stat",
            "note not",
            "plane plan",
            "party part",
            "use us",
            "class clas",
            "css cs",
            "paste past",
        ] {
            check(words, false);
        }
    }

    #[test]
    fn words_of_other_scripts_stay_as_they_are() {
        for word in ["проверки", "überprüfungs", "v2s", ""] {
            let mut stem = word.to_owned();
            fold(&mut stem);
            assert_eq!(stem, word);
        }
    }
}
