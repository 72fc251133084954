//! What a person decided about codes: `[vet] downgrade` in the user's or the machine's configuration.
//!
//! A project's file cannot set it; the configuration's reader leaves it out.

use crate::hall::{ConfigFile, path_of};
use guild_manifest::config::{Config, Layer};
use guild_manifest::fold::nearest;
use guild_manifest::tree::Data;
use guild_manifest::{Code as ProblemCode, Pos, Problem};
use guild_vet::{Code, Policy, Tier};

/// The policy of a configuration.
pub fn policy(config: &Config) -> Policy {
    let downgraded =
        words(config).filter_map(|word| Code::named(&word)).filter(|code| code.tier() == Tier::Deny);
    Policy { downgraded: downgraded.collect(), ..Policy::default() }
}

/// What is wrong with it: names that are no denials. `files` says where each layer was read.
pub fn problems(config: &Config, files: &[ConfigFile]) -> Vec<Problem> {
    let is_denial = |word: &String| Code::named(word).is_some_and(|code| code.tier() == Tier::Deny);
    let wrong = placed_words(config).filter(|(_, word)| !is_denial(word));
    wrong
        .map(|(layer, word)| {
            let near = nearest(&word, Code::ALL.iter().map(|code| code.as_str()));
            let hint = near.map_or_else(
                || "see `docs/rules.md` for the codes".to_owned(),
                |near| format!("did you mean `{near}`?"),
            );
            let message = format!("`vet.downgrade` names `{word}`, which is no code that denies");
            Problem::new(ProblemCode::ConfigValueInvalid, Pos::START, message, hint)
                .in_file(path_of(files, layer))
        })
        .collect()
}

fn words(config: &Config) -> impl Iterator<Item = String> {
    placed_words(config).map(|(_, word)| word)
}

/// The words of the lists, and whose file they stand in.
fn placed_words(config: &Config) -> impl Iterator<Item = (Layer, String)> {
    let sections =
        config.sections.iter().filter(|section| section.name == "vet" && section.layer != Layer::Project);
    sections.flat_map(|section| {
        let words = match section.data.get("downgrade") {
            Some(Data::List(items)) => items.iter().filter_map(text).collect(),
            Some(Data::Text(word)) => vec![word.clone()],
            _ => Vec::new(),
        };
        words.into_iter().map(|word| (section.layer, word))
    })
}

fn text(data: &Data) -> Option<String> {
    match data {
        Data::Text(word) => Some(word.clone()),
        _ => None,
    }
}
