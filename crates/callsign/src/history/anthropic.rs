//! Where Anthropic's Messages keep names of tools: the paths below are fields of the Messages API as its public reference
//! names them, tool search included.
//!
//! A result is paired with its call by id and has no name. `mcp_tool_use` holds the wire name of a server that Anthropic
//! calls itself, and `server_tool_use` one of Anthropic's own: both stay.

use super::places::Table;

/// The blocks of a message, and a block by itself.
pub(super) const BLOCKS: Table = Table {
    inside: &["messages[].content[]", "content[]", "content_block", ""],
    names: &[
        "{type=tool_use}.name",
        "{type=tool_reference}.tool_name",
        "{type=tool_result}.content[]{type=tool_reference}.tool_name",
        "{type=tool_search_tool_result}.content.tool_references[].tool_name",
    ],
    definitions: &[],
};

/// What a request offers, and a definition by itself.
pub(super) const REQUEST: Table = Table {
    inside: &[""],
    names: &[
        // Much else has tools with names: configurations of servers, listings of theirs, agents.
        "tools[]{input_schema}.name",
        "{messages}.tools[].name",
        "tool_choice{type=tool}.name",
        "{input_schema}.name",
    ],
    definitions: &["tools[]"],
};
