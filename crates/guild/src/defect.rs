//! What a defect of ours looks like to whoever meets it: one line, and the exit code that says so.

use crate::print::escape;
use guild_engine::Code;
use std::io::{self, Write as _};
use std::{panic, process};

/// From now on a panic ends the command with the code `internal`.
pub fn report_panics() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let what = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        writeln!(io::stderr(), "{}", report(&place, what.unwrap_or("unknown"))).ok();
        #[expect(clippy::exit, reason = "nothing can go on after a defect, on whichever thread it showed")]
        process::exit(Code::Internal.exit_code().into());
    }));
}

fn report(place: &str, what: &str) -> String {
    let code = Code::Internal.as_str();
    let what = escape::line(what);
    format!("error[{code}]: this is a defect in guild, at {place}: {what}; please report it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_is_one_line_with_the_code_internal_and_exit_code_70() {
        let text = report("src/a.rs:1:2", "two\nlines\x1b[2J");
        assert_eq!(
            text,
            "error[internal]: this is a defect in guild, at src/a.rs:1:2: two lines\\u{1b}[2J; please report it"
        );
        assert_eq!(Code::Internal.exit_code(), 70);
    }
}
