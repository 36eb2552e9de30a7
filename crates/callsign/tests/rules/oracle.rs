//! The meaning of rules, written down as plainly as it is described: no index, no sharing, every name made anew. Slow on
//! purpose, and without anything of the crate it is held against.
//!
//! The numbers are those of the description that `callsign::rules` follows: 1 raw name, 2 normaliser, 3 legacy spelling, 4
//! aliases, 5 spellings of a segment, 6 match, 7 restrictive match, 8 guard of grants, 9 decision, 10 disabled tools.

/// An identity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Tool {
    pub(crate) server: String,
    pub(crate) tool: String,
}

/// What a grant comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grant {
    No,
    Yes,
    Ambiguous,
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn substitute(text: &str, also_dot: bool) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '_' || c == '-' || (c == '.' && also_dot) {
            out.push(c);
        } else {
            out.push_str(&"_".repeat(c.len_utf16()));
        }
    }
    out
}

// 1
pub(crate) fn raw(tool: &Tool) -> String {
    format!("mcp__{}__{}", tool.server, tool.tool)
}

// 2
pub(crate) fn normalise(text: &str) -> String {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if units(text) <= 63 && begins && text.chars().all(legal) {
        return text.to_owned();
    }
    let mut head = substitute(text, false);
    if !head.starts_with(|c: char| c.is_ascii_alphabetic()) {
        head = format!("tool_{head}");
    }
    head.truncate(55);
    let mut hash: u32 = 2_166_136_261;
    for unit in text.encode_utf16() {
        hash = (hash ^ u32::from(unit)).wrapping_mul(16_777_619);
    }
    let mut digits = String::new();
    while hash > 0 {
        digits.insert(0, char::from_digit(hash % 36, 36).unwrap());
        hash /= 36;
    }
    format!("{head}_{digits:0>7}")
}

pub(crate) fn name(tool: &Tool) -> String {
    normalise(&raw(tool))
}

// 3
pub(crate) fn legacy(text: &str) -> String {
    let whole = substitute(text, true);
    if whole.len() <= 63 {
        return whole;
    }
    format!("{}___{}", &whole[..28], &whole[whole.len() - 32..])
}

// 4
fn disabled_aliases(tool: &Tool) -> Vec<String> {
    let (raw, name) = (raw(tool), name(tool));
    let mut aliases = Vec::new();
    if raw != name {
        aliases.push(raw.clone());
    }
    let legacy = legacy(&raw);
    if legacy != name && legacy != raw {
        aliases.push(legacy);
    }
    aliases
}

fn permission_aliases(tool: &Tool) -> Vec<String> {
    let raw = raw(tool);
    let n = 5 + units(&tool.server);
    let key = substitute(&tool.server, true);
    let vouches = (n + 2 <= 28 || n == 28) && !key.contains("__") && !key.ends_with('_');
    let mut aliases = disabled_aliases(tool);
    aliases.retain(|alias| units(alias) == units(&raw) || vouches);
    aliases
}

// 5
fn spell(segment: &str) -> [String; 3] {
    [segment.to_owned(), substitute(segment, false), substitute(segment, true)]
}

/// The name in a rule text, or `None` if the rule never matches. 6, before its first step.
pub(crate) fn read(text: &str) -> Option<String> {
    let text = text.trim();
    let Some(open) = text.find('(') else { return Some(text.to_owned()) };
    let specifier = text[open + 1..].strip_suffix(')')?;
    specifier.is_empty().then(|| text[..open].trim().to_owned())
}

// 6
fn basic(text: &str, tool: &Tool, aliases: &[String]) -> bool {
    let name = name(tool);
    // 6.1
    if text == name {
        return true;
    }
    // 6.2
    let wildcard = text.strip_suffix('*');
    let parts = text.split("__").count();
    let raw_alias = aliases.iter().find(|alias| normalise(alias) == name);
    if wildcard.is_none() && parts >= 3 && raw_alias.is_some_and(|raw| raw == text) {
        return true;
    }
    // 6.3
    if let Some(p) = wildcard {
        if p.is_empty() {
            return false;
        }
        let boundaries = spell(&tool.server).map(|s| format!("mcp__{s}__"));
        let Some(b) = boundaries.iter().find(|b| p.starts_with(b.as_str())) else {
            if !spell(&tool.server).iter().any(|s| format!("mcp__{s}").starts_with(p)) {
                return false;
            }
            let raw = raw(tool);
            let published = aliases.contains(&legacy(&raw));
            return name.starts_with(p)
                || raw.starts_with(p)
                || (published && substitute(&raw, true).starts_with(p));
        };
        let q = &p[b.len()..];
        let registered =
            name.strip_prefix(&boundaries[1]).or_else(|| name.strip_prefix(b.as_str()));
        return q.is_empty()
            || registered.is_some_and(|segment| segment.starts_with(q))
            || spell(&tool.tool).iter().any(|s| s.starts_with(q));
    }
    // 6.4
    if spell(&tool.server).iter().any(|s| format!("mcp__{s}") == text) {
        return true;
    }
    // 6.5
    let legacy = legacy(&raw(tool));
    parts >= 3 && text == legacy && aliases.contains(&legacy)
}

/// Whether a rule text, read, matches as a grant needs it.
fn matches(text: &str, tool: &Tool) -> bool {
    basic(text, tool, &permission_aliases(tool))
}

// 7
pub(crate) fn restricts(text: &str, tool: &Tool) -> bool {
    let Some(text) = read(text) else { return false };
    let ungated = [raw(tool), legacy(&raw(tool))];
    if matches(&text, tool) || basic(&text, tool, &ungated) {
        return true;
    }
    let Some(p) = text.strip_suffix('*').filter(|_| text.starts_with("mcp__")) else {
        return false;
    };
    let (name, sb) = (name(tool), format!("mcp__{}__", substitute(&tool.server, false)));
    (name.starts_with(p) && (!name.starts_with(&sb) || p.starts_with(&sb)))
        || spell(&tool.server).iter().any(|s| format!("mcp__{s}__").starts_with(p))
}

fn render(tool: &Tool) -> [String; 3] {
    [raw(tool), name(tool), legacy(&raw(tool))]
}

// 8
fn is_ambiguous(text: &str, me: &Tool, pool: &[Tool]) -> bool {
    let others = || pool.iter().filter(|tool| *tool != me);
    // 8.1
    if text == name(me) {
        return others().any(|o| name(o) == text);
    }
    // 8.2
    if text == raw(me) {
        return false;
    }
    let Some(p) = text.strip_suffix('*') else {
        // 8.3
        let claimed = others().any(|o| render(o).iter().any(|r| r == text));
        if text == format!("mcp__{}", me.server) {
            return claimed;
        }
        // 8.4
        let another_server = others()
            .filter(|o| o.server != me.server)
            .any(|o| spell(&o.server).iter().any(|s| format!("mcp__{s}") == text));
        return claimed || another_server || lossy_grant(text, me, pool);
    };
    // 8.5
    let mut claims: Vec<(&str, String)> = Vec::new();
    for tool in pool.iter().chain([me]) {
        for s in spell(&tool.server) {
            let boundary = format!("mcp__{s}__");
            if p.starts_with(&boundary) {
                claims.push((&tool.server, boundary));
            }
        }
    }
    // a
    if let Some(owner) = pool.iter().chain([me]).find(|o| format!("mcp__{}__", o.server) == p) {
        return owner.server != me.server;
    }
    // b
    let stems: Vec<&str> = claims.iter().map(|(_, b)| b.trim_end_matches('_')).collect();
    if stems.iter().any(|stem| *stem != stems[0]) {
        return true;
    }
    // c
    let second = p.split("__").nth(1).unwrap_or("");
    match claims.iter().find(|(key, _)| *key == second) {
        Some((owner, _)) if *owner != me.server => return true,
        None if claims.iter().any(|(key, _)| *key != me.server) => return true,
        _ => {}
    }
    // d
    if raw(me).starts_with(p) {
        return false;
    }
    // e
    others().any(|o| {
        let shared = |r: &String| render(me).contains(r);
        render(o)
            .iter()
            .any(|r| r.starts_with(p) && (o.server != me.server || claims.is_empty() || shared(r)))
    })
}

/// The one place where less is granted than described under 8: an exact text that is a legacy spelling, of a key that loses
/// something in it, while a server of the very key that is left is registered.
fn lossy_grant(text: &str, me: &Tool, pool: &[Tool]) -> bool {
    let key = substitute(&me.server, true);
    text == legacy(&raw(me)) && key != me.server && pool.iter().any(|o| o.server == key)
}

pub(crate) fn grants(text: &str, me: &Tool, pool: &[Tool]) -> Grant {
    match read(text) {
        Some(text) if matches(&text, me) && is_ambiguous(&text, me, pool) => Grant::Ambiguous,
        Some(text) if matches(&text, me) => Grant::Yes,
        _ => Grant::No,
    }
}

// 9
pub(crate) fn decide(
    deny: &[String],
    ask: &[String],
    allow: &[String],
    me: &Tool,
    pool: &[Tool],
) -> &'static str {
    if deny.iter().any(|text| restricts(text, me)) {
        "deny"
    } else if ask.iter().any(|text| restricts(text, me)) {
        "ask"
    } else if allow.iter().any(|text| grants(text, me, pool) == Grant::Yes) {
        "allow"
    } else {
        "default"
    }
}

// 10
pub(crate) fn is_disabled(list: &[String], tool: &Tool) -> bool {
    let name = name(tool);
    let history = |text: &str| {
        if text.starts_with("mcp__") { normalise(text) } else { text.to_owned() }
    };
    let aliases = disabled_aliases(tool);
    list.iter().any(|entry| *entry == name || aliases.contains(entry) || history(entry) == name)
}
