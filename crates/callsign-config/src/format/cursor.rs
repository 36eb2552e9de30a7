//! Cursor.

use super::entry::COMMON;
use super::mcp_servers::McpServers;

pub(crate) static CURSOR: McpServers = McpServers {
    client: "cursor",
    project_files: &[".cursor/mcp.json"],
    user_files: &[".cursor/mcp.json"],
    keys: COMMON,
    optional: false,
    by_content: false,
};
