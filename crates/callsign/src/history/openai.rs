//! Where OpenAI's two interfaces keep names of tools: the paths below are fields of Chat Completions and of Responses as
//! their public references name them; `functions` and `function_call` are the form before tools (2023).
//!
//! `mcp_call` items and the `allowed_tools` of an `mcp` tool hold wire names of a server that OpenAI calls itself: they are
//! no names that a request defines, and stay.

use super::places::Table;

/// Chat Completions: `messages` and `choices`, and a message by itself.
pub(super) const CHAT: Table = Table {
    inside: &["messages[]", "choices[].message", "choices[].delta", ""],
    names: &[
        "tool_calls[].function.name",
        "tool_calls[].custom.name",
        "function_call.name",
        "{role=tool|function}.name",
    ],
    definitions: &[],
};

/// Chat Completions: what a request offers, and a definition by itself.
pub(super) const CHAT_REQUEST: Table = Table {
    inside: &[""],
    names: &[
        "tools[].function.name",
        "tools[].custom.name",
        "functions[]{parameters}.name",
        "{messages}.functions[].name",
        "tool_choice.function.name",
        "tool_choice.custom.name",
        "tool_choice.allowed_tools.tools[].function.name",
        "tool_choice.allowed_tools.tools[].custom.name",
        "{type=function}.function.name",
        "{type=custom}.custom.name",
    ],
    definitions: &["tools[]", "functions[]"],
};

/// Responses: the items of `input` and `output`, and an item by itself.
pub(super) const RESPONSES: Table = Table {
    inside: &["input[]", "output[]", ""],
    names: &[
        "{type=function_call|function_call_output|custom_tool_call|custom_tool_call_output}.name",
    ],
    definitions: &[],
};

/// Responses: what a request offers, and a definition by itself.
pub(super) const RESPONSES_REQUEST: Table = Table {
    inside: &[""],
    names: &[
        "tools[]{type=function|custom}.name",
        "tools[]{type=namespace}.tools[].name",
        "tool_choice{type=function|custom}.name",
        "tool_choice{type=allowed_tools}.tools[]{type=function|custom}.name",
        "{type=function|custom}.name",
    ],
    definitions: &["tools[]"],
};
