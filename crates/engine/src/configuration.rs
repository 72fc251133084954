//! The configuration in effect, for people to read. It is written in files, and what is switched by command is in the registry.

use crate::hall::Hall;
use crate::reply::{Configuration, ProblemLine};
use crate::{Code, Envelope};

/// Shows the configuration; what may hold credentials is a digest.
pub fn configuration(hall: &Hall) -> Envelope<Configuration<'_>> {
    let problems = hall.config_problems().map(ProblemLine::of).collect();
    match serde_json::to_value(&hall.config) {
        Ok(settings) => Envelope::ok(Configuration { files: &hall.config_files, settings, problems }),
        Err(error) => {
            let reply =
                Configuration { files: &hall.config_files, settings: serde_json::Value::Null, problems };
            Envelope::error(Code::Internal, error.to_string(), reply)
        }
    }
}
