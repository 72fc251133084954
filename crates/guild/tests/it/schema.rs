//! `docs/json-schema.json` is what the replies say of themselves.

use expect_test::expect_file;
use guild_engine::Envelope;
use guild_engine::reply;
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value as Json, json};

#[test]
fn the_schema_is_current() {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut replies = Map::new();
    let mut add = |name: &str, schema: Json| replies.insert(name.to_owned(), schema);
    add("changes apply", of::<reply::ChangesDecided>(&mut generator));
    add("changes drop", of::<reply::ChangesDecided>(&mut generator));
    add("changes list", of::<reply::ChangesList>(&mut generator));
    add("changes show", of::<reply::ChangesShow>(&mut generator));
    add("check", of::<reply::Check<'_>>(&mut generator));
    add("connect", of::<reply::Connect>(&mut generator));
    add("contract", of::<reply::Fit>(&mut generator));
    add("diff", of::<reply::SkillDiff>(&mut generator));
    add("doctor", of::<reply::Doctor>(&mut generator));
    add("explain", of::<Option<reply::Explain>>(&mut generator));
    add("feedback", of::<reply::Feedback>(&mut generator));
    add("hash", of::<reply::Hash>(&mut generator));
    add("improve", of::<reply::Improve>(&mut generator));
    add("deps", of::<reply::Deps>(&mut generator));
    add("disable", of::<reply::Toggle>(&mut generator));
    add("plugins enable", of::<reply::Toggle>(&mut generator));
    add("plugins disable", of::<reply::Toggle>(&mut generator));
    add("enable", of::<reply::Toggle>(&mut generator));
    add("list", of::<reply::List<'_>>(&mut generator));
    add("new", of::<reply::New<'_>>(&mut generator));
    add("plugins", of::<reply::Plugins<'_>>(&mut generator));
    add("plugins show", of::<reply::PluginShow<'_>>(&mut generator));
    add("plugins config get", of::<reply::PluginConfig>(&mut generator));
    add("plugins config set", of::<reply::PluginConfig>(&mut generator));
    add("plugins config unset", of::<reply::PluginConfig>(&mut generator));
    add("prompt", of::<reply::Prompt<'_>>(&mut generator));
    add("registry", of::<reply::Registry>(&mut generator));
    add("reload", of::<reply::Reload<'_>>(&mut generator));
    add("render", of::<reply::Render<'_>>(&mut generator));
    add("replay", of::<reply::Replay>(&mut generator));
    add("roots", of::<reply::Roots>(&mut generator));
    add("run", of::<reply::Run>(&mut generator));
    add("search", of::<reply::Search<'_>>(&mut generator));
    add("show", of::<reply::Show<'_>>(&mut generator));
    add("top", of::<reply::Top>(&mut generator));
    add("vet", of::<reply::Vet>(&mut generator));
    add("watch", of::<reply::Watch>(&mut generator));
    replies.extend(of_what_is_installed(&mut generator));
    replies.extend(of_the_books(&mut generator));
    replies.extend(of_containers(&mut generator));
    // These two print no envelope.
    for command in
        crate::commands().iter().filter(|command| !["completions", "mcp"].contains(&command.as_str()))
    {
        assert!(replies.contains_key(command), "`{command}` has no schema");
    }
    generator.subschema_for::<Envelope<Json>>();
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What `guild COMMAND --json` prints, by command",
        "type": "object",
        "properties": replies,
        "$defs": generator.take_definitions(true),
    });
    let text = serde_json::to_string_pretty(&whole).unwrap() + "\n";
    expect_file!["../../../../docs/json-schema.json"].assert_eq(&text);
}

/// An envelope around a reply.
fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Json {
    let data = generator.subschema_for::<T>().to_value();
    json!({"$ref": "#/$defs/Envelope", "properties": {"data": data}})
}

/// The replies about containers and images.
fn of_containers(generator: &mut SchemaGenerator) -> Map<String, Json> {
    let mut replies = Map::new();
    let mut add = |name: &str, schema: Json| replies.insert(name.to_owned(), schema);
    add("image import", of::<reply::ImageKept>(generator));
    add("image inspect", of::<reply::ImageInspect>(generator));
    add("image list", of::<reply::ImageList>(generator));
    add("image pull", of::<reply::ImageKept>(generator));
    add("image remove", of::<reply::ImageRemove>(generator));
    add("sandbox exec", of::<reply::SandboxRun>(generator));
    add("sandbox launch", of::<reply::SandboxContainer>(generator));
    add("sandbox list", of::<reply::SandboxList>(generator));
    add("sandbox stop", of::<reply::SandboxContainer>(generator));
    add("sandbox run", of::<reply::SandboxRun>(generator));
    replies
}

/// The replies about what is installed.
fn of_what_is_installed(generator: &mut SchemaGenerator) -> Vec<(String, Json)> {
    vec![
        ("add".to_owned(), of::<reply::Add>(generator)),
        ("export".to_owned(), of::<reply::Export>(generator)),
        ("gc".to_owned(), of::<reply::Gc>(generator)),
        ("import".to_owned(), of::<reply::Import>(generator)),
        ("link".to_owned(), of::<reply::Link>(generator)),
        ("list --installed".to_owned(), of::<reply::Installed>(generator)),
        ("outdated".to_owned(), of::<reply::Outdated>(generator)),
        ("pin".to_owned(), of::<reply::Changed>(generator)),
        ("remove".to_owned(), of::<reply::Changed>(generator)),
        ("rollback".to_owned(), of::<reply::Changed>(generator)),
        ("sync".to_owned(), of::<reply::Changed>(generator)),
        ("update".to_owned(), of::<reply::Update>(generator)),
        ("verify".to_owned(), of::<reply::Verify>(generator)),
    ]
}

/// The replies about what the installation's ledger holds.
/// The replies about what the installation's ledger holds, and of who serves by it.
fn of_the_books(generator: &mut SchemaGenerator) -> Map<String, Json> {
    let mut replies = Map::new();
    let mut add = |name: &str, schema: Json| replies.insert(name.to_owned(), schema);
    add("approve", of::<reply::Decided>(generator));
    add("deny", of::<reply::Decided>(generator));
    add("grants lift", of::<reply::Ended>(generator));
    add("grants list", of::<reply::Grants>(generator));
    add("grants revoke", of::<reply::Ended>(generator));
    add("login", of::<reply::Login>(generator));
    add("receipts accept-loss", of::<reply::ReceiptsAcceptLoss>(generator));
    add("receipts export", of::<reply::ReceiptsExport>(generator));
    add("receipts list", of::<reply::ReceiptsList>(generator));
    add("receipts show", of::<reply::ReceiptShow>(generator));
    add("receipts verify", of::<reply::ReceiptsVerify>(generator));
    add("requests", of::<reply::Requests>(generator));
    add("secret list", of::<reply::Secrets>(generator));
    add("secret remove", of::<reply::SecretChanged>(generator));
    add("secret set", of::<reply::SecretChanged>(generator));
    add("servers import", of::<reply::ServersImported>(generator));
    add("servers list", of::<reply::Servers>(generator));
    add("serve", of::<reply::Serve>(generator));
    add("token create", of::<reply::TokenCreated>(generator));
    add("token list", of::<reply::Tokens>(generator));
    add("token revoke", of::<reply::Ended>(generator));
    add("tools call", of::<reply::Run>(generator));
    add("tools list", of::<reply::Tools>(generator));
    add("tools show", of::<Option<reply::ToolLine>>(generator));
    add("vet allow", of::<reply::VetAllow>(generator));
    add("vet allowed", of::<reply::VetAllowed>(generator));
    add("vet disallow", of::<reply::Ended>(generator));
    replies
}
