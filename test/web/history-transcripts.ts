/** The same short conversation in each format that the page can import. */
const ASKED = "Where is the key?";
const ANSWERED = "Under the third flowerpot.";

const nodes = {
  root: { id: "root", message: null, parent: null, children: ["s"] },
  s: { id: "s", parent: "root", message: node("system", ""), children: ["q"] },
  q: { id: "q", parent: "s", message: node("user", ASKED), children: ["other", "a"] },
  other: { id: "other", parent: "q", message: node("assistant", "It went another way."), children: [] },
  a: { id: "a", parent: "q", message: node("assistant", ANSWERED), children: [] },
};

function node(role: string, text: string): object {
  const content = { content_type: "text", parts: [text] };
  return { id: `${role}-${text.length}`, author: { role, name: null }, create_time: 1_700_000_000.5, content };
}

function shared(id: string, { text, parent }: { readonly text: string; readonly parent: string }): object {
  const isCreatedByUser = id === "q";
  return { messageId: id, parentMessageId: parent, sender: isCreatedByUser ? "User" : "Model", text, isCreatedByUser };
}

export const TRANSCRIPTS = {
  plain: [
    { role: "user", content: ASKED },
    { role: "assistant", content: ANSWERED },
  ],
  "openai-chat": {
    model: "gpt-4.1",
    messages: [
      { role: "user", content: [{ type: "text", text: ASKED }] },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: '{"at":"pots"}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "There is one." },
      { role: "assistant", content: ANSWERED },
    ],
  },
  "openai-responses": {
    input: [
      { type: "message", role: "user", content: [{ type: "input_text", text: ASKED }] },
      { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "call_1", output: "There is one." },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: ANSWERED }] },
    ],
  },
  anthropic: {
    messages: [
      { role: "user", content: ASKED },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: { at: "pots" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "There is one." }] },
      { role: "assistant", content: [{ type: "text", text: ANSWERED }] },
    ],
  },
  gemini: {
    contents: [
      { role: "user", parts: [{ text: ASKED }] },
      { role: "model", parts: [{ functionCall: { name: "look", args: { at: "pots" } } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { found: true } } }] },
      { role: "model", parts: [{ text: ANSWERED }] },
    ],
  },
  "ai-sdk-ui": {
    messages: [
      { id: "u1", role: "user", parts: [{ type: "text", text: ASKED }] },
      {
        id: "a1",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "tool-look", toolCallId: "c1", state: "output-available", input: { at: "pots" }, output: "One." },
          { type: "text", text: ANSWERED, state: "done" },
        ],
      },
    ],
  },
  "ai-sdk-model": [
    { role: "user", content: [{ type: "text", text: ASKED }] },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: {} }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "One." } }],
    },
    { role: "assistant", content: [{ type: "text", text: ANSWERED }] },
  ],
  langchain: [
    { type: "human", data: { content: ASKED } },
    { type: "ai", data: { content: ANSWERED, tool_calls: [] } },
  ],
  chatgpt: { title: "Keys", create_time: 1_700_000_000, mapping: nodes, current_node: "a" },
  librechat: {
    conversationId: "c",
    title: "Keys",
    messages: [
      shared("q", { text: ASKED, parent: "00000000-0000-0000-0000-000000000000" }),
      shared("o", { text: "It went another way.", parent: "q" }),
      shared("a", { text: ANSWERED, parent: "q" }),
    ],
  },
} as const;
