//! Spellings at their edges: the parts of every host's names, the lengths at which something is cut, what is said of a name
//! that can't be made. What other programs gave is compared in `vectors.rs` and beside the hosts themselves.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use callsign::scheme::{
    Bare, Fold, HostSpelling, Minimal, NameProblem, Part, Prefixed, PrefixedSafe, ProviderSafe,
    Qualified, Scheme, aliases, boundaries, boundary_of, history_name, history_name_utf16,
    is_history_name, key_part, legacy_spelling, looks_cut, renderings, second_part,
    segment_spellings, server_part,
};
use callsign::{ServerKey, ToolId, WireName};

fn key(text: &str) -> ServerKey {
    ServerKey::new(text).unwrap()
}

fn wire(text: &str) -> WireName {
    WireName::new(text).unwrap()
}

fn spell(host: &str, server: &str, tool: &str) -> String {
    HostSpelling::by_id(host).unwrap().spell(&key(server), &wire(tool))
}

fn problem(scheme: &dyn Scheme, server: &str, tool: &str) -> NameProblem {
    scheme.name(&key(server), &wire(tool)).unwrap_err().problem
}

#[test]
fn every_host_spells_the_parts_of_a_name_in_its_way() {
    let (server, tool) = ("Git Hub.x-Y", "list files.a-B");
    let raw = |begin: &'static str, end: &'static str| {
        (begin, end, Some(format!("{begin}{server}{end}")), server, tool)
    };
    let spelled = |begin: &'static str, end: &'static str, key: &'static str, tool| {
        (begin, end, Some(format!("{begin}{key}{end}")), key, tool)
    };
    let expected = [
        ("bare", ("", "", None, server, tool)),
        ("raw", raw("mcp__", "__")),
        ("claude-code", spelled("mcp__", "__", "Git_Hub_x-Y", "list_files_a-B")),
        ("qwen-code", spelled("mcp__", "__", "Git_Hub_x-Y", "list_files_a-B")),
        ("legacy", spelled("mcp__", "__", "Git_Hub.x-Y", "list_files.a-B")),
        ("codex-cli", spelled("mcp__", "__", "Git_Hub_x_Y", "list_files_a_B")),
        ("gemini-cli", spelled("mcp_", "_", "Git_Hub.x-Y", "list_files.a-B")),
        ("opencode", spelled("", "_", "Git_Hub_x-Y", "list_files_a-B")),
        ("goose", spelled("", "__", "github_x-y", tool)),
        ("crush", raw("mcp_", "_")),
        ("roo-code", spelled("mcp--", "--", "Git_Hubx-Y", "list_filesa-B")),
        ("cline", spelled("", "__", "Git_Hub_x-Y", "list_files_a-B")),
        ("continue", spelled("", "_", "git_hub_x_y", tool)),
        ("librechat", ("", "_mcp_", None, "Git_Hub.x-Y", tool)),
        ("zed", raw("mcp:", ":")),
        ("amazon-q", raw("@", "/")),
        ("kiro", raw("", "/")),
        ("cursor", raw("", ":")),
        ("cursor-cli", raw("Mcp(", ":")),
        ("copilot-cli-rule", raw("", "(")),
        ("copilot-cli", spelled("", "-", "Git-Hub-x-Y", "list-files-a-B")),
        ("docker-gateway", raw("", ":")),
        ("joined", raw("", "_")),
    ];
    assert_eq!(expected.len(), HostSpelling::ALL.len());
    for (id, parts) in expected {
        let host = HostSpelling::by_id(id).unwrap();
        let (of_key, of_tool) = (host.spell_key(&key(server)), host.spell_tool(&wire(tool)));
        let prefix = host.server_prefix(&key(server));
        let given = (host.marker(), host.separator(), prefix, &*of_key, &*of_tool);
        assert_eq!(given, parts, "{id}");
    }
}

#[test]
fn hosts_cut_what_is_longer_than_their_limit_and_nothing_else() {
    // `mcp_s_` and `mcp--s--` stand in front.
    assert_eq!(spell("gemini-cli", "s", &"t".repeat(57)), format!("mcp_s_{}", "t".repeat(57)));
    let cut = format!("mcp_s_{}...{}", "t".repeat(24), "u".repeat(30));
    assert_eq!(spell("gemini-cli", "s", &format!("{}{}", "t".repeat(28), "u".repeat(30))), cut);
    for host in ["roo-code", "copilot-cli"] {
        let front = spell(host, "s", "t").len() - 1;
        let whole = "t".repeat(64 - front);
        assert!(spell(host, "s", &whole).ends_with(&whole), "{host}");
        assert_eq!(spell(host, "s", &format!("{whole}t")), spell(host, "s", &whole), "{host}");
    }
    let whole = format!("s__{}", "t".repeat(61));
    assert_eq!(spell("cline", "s", &whole[3..]), whole);
    let cut = spell("cline", "s", &"t".repeat(62));
    assert_eq!((&cut[..56], cut.len()), (&*format!("s__{}_", "t".repeat(52)), 64));
    let whole = format!("mcp__s__{}", "t".repeat(56));
    assert_eq!(spell("codex-cli", "s", &whole[8..]), whole);
    let cut = spell("codex-cli", "s", &"t".repeat(57));
    assert_eq!((&cut[..52], cut.len()), (&*format!("mcp__s__{}_", "t".repeat(43)), 64));
    // No room is left for the tool's own name, nor for all of the server's.
    let server = "s".repeat(60);
    let cut = spell("codex-cli", &server, "tool");
    assert_eq!((&cut[..52], cut.len()), (&*format!("mcp__{}___", &server[..44]), 64));
}

#[test]
fn hosts_have_their_own_ways_with_what_is_illegal() {
    for (server, part) in [
        ("a  b", "a_b"),
        ("a--b", "a-b"),
        ("1a", "_1a"),
        ("-a", "_-a"),
        ("_a", "_a"),
        ("日本", "_unnamed"),
    ] {
        let roo = HostSpelling::RooCode;
        assert_eq!(roo.spell_key(&key(server)), part, "{server}");
        assert_eq!(roo.spell_tool(&wire(server)), part, "{server}");
    }
    assert_eq!(HostSpelling::Cline.spell_key(&key("a..b.c")), "a_b_c");
    for (server, part) in [("a b", "a_b"), (" a ", "a"), ("_a_", "_a_"), ("a.b", "a.b")] {
        assert_eq!(HostSpelling::LibreChat.spell_key(&key(server)), part, "{server}");
    }
    assert_eq!(spell("librechat", "a b", "t"), "t_mcp_a_b");
    assert_eq!(spell("continue", "日本", "t"), "t");
    assert_eq!(spell("continue", "Docs", "docs_search"), "docs_search");
    assert_eq!(spell("continue", "Docs", "search"), "docs_search");
    // The marker is not doubled.
    assert_eq!(spell("gemini-cli", "mcp_x", "t"), "mcp_x_t");
    assert_eq!(spell("gemini-cli", "mcpx", "t"), "mcp_mcpx_t");
    let prefix = HostSpelling::GeminiCli.server_prefix(&key("mcp_x"));
    assert_eq!(prefix.as_deref(), Some("mcp_x_"));
    assert_eq!(spell("codex-cli", "mcp__x", "t"), "mcp__x__t");
}

#[test]
fn a_name_is_taken_apart_where_it_was_joined() {
    assert_eq!(segment_spellings("a.b:c"), ["a.b:c", "a_b_c", "a.b_c"]);
    assert_eq!(segment_spellings("🚀"), ["🚀", "__", "__"]);
    assert_eq!(boundaries("a.b:c"), ["mcp__a.b:c__", "mcp__a_b_c__", "mcp__a.b_c__"]);
    assert_eq!((server_part("mcp__a__"), server_part("mcp__a")), ("mcp__a", "mcp__a"));
    assert_eq!(boundary_of("mcp__a"), "mcp__a__");
    assert_eq!((key_part("mcp__a__"), key_part("a__")), ("a", "a__"));
    assert_eq!((second_part("mcp__a__b"), second_part("mcp")), ("a", ""));
    let whole = ["mcp__a.b__c", "mcp__a_b__c_0pdctjb", "mcp__a.b__c"].map(str::to_owned);
    assert_eq!(renderings("a.b", "c"), whole);
}

#[test]
fn a_legacy_spelling_is_cut_above_63_and_can_be_told_by_its_form() {
    let whole = format!("mcp__s__{}", "t".repeat(55));
    assert_eq!(legacy_spelling(&whole), whole);
    let cut = format!("mcp__s__{}___{}", "t".repeat(20), "t".repeat(32));
    assert_eq!(legacy_spelling(&format!("{whole}t")), cut);
    assert!(looks_cut(&cut));
    for other in [
        whole,
        cut[1..].to_owned(),
        format!("{cut}t"),
        cut.replace("mcp__", "mcp_x"),
        cut.replace("___", "__x"),
    ] {
        assert!(!looks_cut(&other), "{other}");
    }
}

#[test]
fn a_cut_spelling_is_an_alias_for_rules_only_where_its_key_can_still_be_read() {
    // `mcp__` and the key, with `__` behind, fit the 28 characters in front of the cut; or they end exactly there.
    for (length, vouches) in [(20, true), (21, true), (22, false), (23, true), (24, false)] {
        let aliases = aliases(&"s".repeat(length), &"t".repeat(60));
        assert_eq!(aliases.permission.len(), 1 + usize::from(vouches), "{length}");
        assert_eq!(aliases.disabled.len(), 2, "{length}");
    }
    for (server, vouches) in [("a_b", true), ("a__b", false), ("a_", false), ("a. ", false)] {
        let aliases = aliases(server, &"t".repeat(60));
        assert_eq!(aliases.permission.len(), 1 + usize::from(vouches), "{server}");
    }
    // A spelling that was not cut needs nobody to vouch for it.
    let dotted = aliases("a__b", "c.d:e");
    assert_eq!(dotted.permission, ["mcp__a__b__c.d:e", "mcp__a__b__c.d_e"]);
    assert_eq!(dotted.disabled, dotted.permission);
    assert_eq!(aliases("a", "b"), Default::default());
}

#[test]
fn stored_names_are_normalised_only_where_they_are_tools_of_servers() {
    assert_eq!(history_name("a.b"), "a.b");
    assert_eq!(history_name("mcp__a__b"), "mcp__a__b");
    assert!(is_history_name("mcp__") && !is_history_name("mcp_"));
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    assert_eq!(history_name_utf16(&units("a.b")), None);
    assert_eq!(history_name_utf16(&units("mcp_")), None);
    assert_eq!(history_name_utf16(&units("mcp__a__b")).as_deref(), Some("mcp__a__b"));
}

#[test]
fn what_can_not_be_named_is_told_with_its_place_and_remedy() {
    let remedy = |problem: NameProblem| problem.remedy();
    assert_eq!(
        (Part::ServerKey.to_string(), Part::WireName.to_string()),
        ("server key".to_owned(), "tool name".to_owned())
    );
    let qualified = Qualified::default();
    let illegal =
        |part, position, character| NameProblem::IllegalCharacter { part, position, character };
    assert_eq!(problem(&qualified, "a.b", "c d"), illegal(Part::ServerKey, 2, '.'));
    assert_eq!(problem(&qualified, "a", "c d"), illegal(Part::WireName, 2, ' '));
    assert_eq!(
        remedy(problem(&qualified, "a.b", "c")),
        "load the server under a key of letters, digits, `_` and `-`"
    );
    assert!(remedy(problem(&qualified, "a", "c d")).starts_with("use a scheme that substitutes"));
    // A scheme that leaves the key out does not mind it.
    assert_eq!(Bare.name(&key("a.b"), &wire("c")).unwrap().as_str(), "c");

    let too_long = |length, longest_key, spells_key| NameProblem::TooLong {
        length,
        limit: 64,
        longest_key,
        spells_key,
    };
    assert_eq!(problem(&qualified, "ab", &"t".repeat(56)), too_long(65, Some(1), true));
    assert_eq!(problem(&qualified, "abc", &"t".repeat(55)), too_long(65, Some(2), true));
    assert_eq!(problem(&qualified, "a", &"t".repeat(57)), too_long(65, None, true));
    assert_eq!(problem(&Bare, "a", &"t".repeat(65)), too_long(65, None, false));
    assert_eq!(remedy(too_long(65, Some(1), true)), "load the server under a key of 1 character");
    assert_eq!(
        remedy(too_long(65, Some(2), true)),
        "load the server under a key of at most 2 characters"
    );
    assert!(remedy(too_long(65, None, true)).starts_with("no server key can make it fit"));

    let strict = Qualified { unambiguous: true };
    assert!(
        remedy(problem(&strict, "a__b", "c")).starts_with("load the server under a key without")
    );
    let holders = || vec![ToolId::parse("b", "x").unwrap(), ToolId::parse("c", "y").unwrap()];
    let taken = NameProblem::Taken { holders: holders() };
    assert_eq!(taken.to_string(), "is already the name of `b/x` and `c/y`");
    assert_eq!(taken.remedy(), "load one of the servers under another key");
    assert_eq!(remedy(NameProblem::NoRoomForSuffix { holders: holders() }), taken.remedy());
}

#[test]
fn schemes_say_what_they_are() {
    let fleet: [(&ServerKey, &WireName); 0] = [];
    let minimal = Minimal::over(fleet);
    let (prefixed, prefixed_safe) = (Prefixed::default(), PrefixedSafe::default());
    let qualified = Qualified::default();
    let said =
        |scheme: &dyn Scheme| (scheme.id(), scheme.limit(), scheme.spells_key(), scheme.is_total());
    assert_eq!(said(&qualified), ("qualified", 64, true, false));
    assert_eq!(said(&ProviderSafe), ("provider-safe", 63, true, true));
    assert_eq!(said(&prefixed), ("prefixed", 64, true, false));
    assert_eq!(said(&prefixed_safe), ("prefixed-safe", 48, true, true));
    assert_eq!(said(&Bare), ("bare", 64, false, false));
    assert_eq!(said(&minimal), ("minimal", 64, false, false));
    assert_eq!(Prefixed { budget: 500, ..prefixed }.limit(), 64);
    let (a_b, c) = (key("a__b"), wire("c"));
    for scheme in [&qualified as &dyn Scheme, &prefixed] {
        let reading = scheme.other_reading(&a_b, &c).unwrap();
        assert_eq!((&*reading.server, &*reading.wire), ("a", "b__c"), "{}", scheme.id());
        assert_eq!(scheme.objection(&a_b, &c), None, "{}", scheme.id());
    }
    for scheme in [&Bare as &dyn Scheme, &prefixed_safe, &ProviderSafe, &minimal] {
        assert_eq!(scheme.other_reading(&a_b, &c), None, "{}", scheme.id());
    }
    let strict = Prefixed { unambiguous: true, ..prefixed };
    assert!(strict.objection(&a_b, &c).is_some());
}

#[test]
fn a_budget_is_kept_to_the_character() {
    let least = PrefixedSafe::LEAST_BUDGET;
    assert_eq!(least, 11);
    assert!(PrefixedSafe::new(least - 1, Fold::None).is_none());
    for (asked, budget) in [(least, least), (64, 64), (65, 64), (1000, 64)] {
        let scheme = PrefixedSafe::new(asked, Fold::None).unwrap();
        assert_eq!(scheme.limit(), budget);
        let long = scheme.name(&key("k"), &wire(&"t".repeat(80))).unwrap();
        assert_eq!(long.len(), budget);
        let plain = format!("k__{}", "t".repeat(budget - 3));
        assert_eq!(scheme.name(&key("k"), &wire(&plain[3..])).unwrap().as_str(), plain);
    }
    let folded = |fold, server: &str, tool: &str| {
        let scheme = PrefixedSafe::new(64, fold).unwrap();
        let name = scheme.name(&key(server), &wire(tool)).unwrap().to_string();
        name.strip_suffix(&name[name.len() - 10..]).unwrap().to_owned()
    };
    assert_eq!(folded(Fold::None, "A-b", "C.d"), "A-b__C_d");
    assert_eq!(folded(Fold::Hyphens, "A-b", "C.d"), "A_b__C_d");
    assert_eq!(folded(Fold::Case, "A-b", "C.d"), "a-b__c_d");
    assert_eq!(folded(Fold::HyphensAndCase, "A-b", "C.d"), "a_b__c_d");
}

#[test]
fn a_short_alias_leaves_the_tools_own_name_whole() {
    let alias = |server: &str, tool: &str| {
        let ids = [ToolId::parse(server, tool).unwrap(), ToolId::parse("z", tool).unwrap()];
        let scheme = Minimal::over(ids.iter().map(|id| (id.server(), id.wire())));
        scheme.name(ids[0].server(), ids[0].wire()).map(|name| name.to_string())
    };
    assert_eq!(alias("My  Server!", "x").unwrap(), "my_server_x");
    assert_eq!(alias("日本", "x").unwrap(), "srv_x");
    // 64 characters with the key whole, and one more than fit.
    assert_eq!(alias("server", &"t".repeat(57)).unwrap(), format!("server_{}", "t".repeat(57)));
    let cut = alias("servers", &"t".repeat(57)).unwrap();
    assert_eq!((&cut[..2], &cut[6..], cut.len()), ("s_", &*format!("_{}", "t".repeat(57)), 64));
    let NameProblem::TooLong { length, limit, longest_key, spells_key } =
        alias("servers", &"t".repeat(60)).unwrap_err().problem
    else {
        panic!("it is too long");
    };
    assert_eq!((length, limit, longest_key, spells_key), (67, 64, Some(3), true));
}
