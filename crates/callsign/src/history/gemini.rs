//! Where Gemini's `generateContent` keeps names of tools: the paths below are fields of its public reference. Each may be
//! spelled in camel case or with underscores, as JSON made from protocol buffers may; stored requests have both.

use super::places::Table;

/// The parts of a content, and a content or a part by itself.
pub(super) const PARTS: Table = Table {
    inside: &[
        "contents[].parts[]",
        "contents.parts[]",
        "candidates[].content.parts[]",
        "content.parts[]",
        "parts[]",
        "",
    ],
    names: &[
        "functionCall.name",
        "functionResponse.name",
        "function_call.name",
        "function_response.name",
    ],
    definitions: &[],
};

/// What a request offers.
pub(super) const REQUEST: Table = Table {
    inside: &[""],
    names: &[
        "tools[].functionDeclarations[].name",
        "tools[].function_declarations[].name",
        "tools.functionDeclarations[].name",
        "tools.function_declarations[].name",
        "toolConfig.functionCallingConfig.allowedFunctionNames[]",
        "tool_config.function_calling_config.allowed_function_names[]",
        "toolConfig.function_calling_config.allowed_function_names[]",
        "tool_config.functionCallingConfig.allowedFunctionNames[]",
    ],
    definitions: &[
        "tools[].functionDeclarations[]",
        "tools[].function_declarations[]",
        "tools.functionDeclarations[]",
        "tools.function_declarations[]",
    ],
};
