//! Names of tools as every model may have them: letters, digits, `_` and `-`, short enough for a host's own prefix. Each stands for one
//! of ours.

use crate::ports::OfferedTool;

/// Servers take 64, and hosts put a server's name before it.
const LONGEST: usize = 48;

/// Gives each tool a name of its own.
pub fn name_apart(tools: &mut [OfferedTool]) {
    let mut taken: Vec<String> = Vec::new();
    for tool in tools {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let name: String = tool.name.chars().map(plain).take(LONGEST).collect();
        let mut unique = name.clone();
        let mut number = 2;
        while taken.contains(&unique) {
            let ending = format!("_{number}");
            unique = name.chars().take(LONGEST - ending.len()).collect::<String>() + &ending;
            number += 1;
        }
        taken.push(unique.clone());
        tool.short = unique;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_tool_has_a_name_of_its_own_that_models_may_have() {
        let tool = |name: &str| OfferedTool {
            name: name.to_owned(),
            short: String::new(),
            description: String::new(),
            input: json!({}),
            is_read_only: true,
        };
        let long = "x".repeat(80);
        let mut tools = [
            tool("builtin:read_file"),
            tool("mcp:a/b c"),
            tool("mcp:a/b_c"),
            tool(&long),
            tool(&format!("{long}y")),
        ];
        name_apart(&mut tools);
        let short: Vec<&str> = tools.iter().map(|tool| tool.short.as_str()).collect();
        assert_eq!(short[..3], ["builtin_read_file", "mcp_a_b_c", "mcp_a_b_c_2"]);
        assert!(short.iter().all(|name| name.len() <= LONGEST));
        assert_ne!(short[3], short[4]);
    }
}
