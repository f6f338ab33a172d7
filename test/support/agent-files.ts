/** Session files of coding agents, written for the tests. */
import { millisecondsAt, timeAt, toJsonLines } from "./claude-records.ts";

export const CODEX = toJsonLines(
  {
    timestamp: timeAt(0),
    type: "session_meta",
    payload: { id: "codex-7", timestamp: timeAt(0), cwd: "/home/ida/ferry" },
  },
  { timestamp: timeAt(1), type: "turn_context", payload: { model: "gpt-5-codex", cwd: "/home/ida/ferry" } },
  {
    timestamp: timeAt(2),
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "List the piers." }] },
  },
  { timestamp: timeAt(2), type: "event_msg", payload: { type: "user_message", message: "List the piers." } },
  {
    timestamp: timeAt(3),
    type: "response_item",
    payload: {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "A listing helps." }],
      encrypted_content: "QUJD",
    },
  },
  {
    timestamp: timeAt(4),
    type: "response_item",
    payload: { type: "function_call", name: "shell", call_id: "call_1", arguments: '{"command":["ls","piers"]}' },
  },
  {
    timestamp: timeAt(5),
    type: "event_msg",
    payload: {
      type: "token_count",
      info: { last_token_usage: { input_tokens: 900, cached_input_tokens: 700, output_tokens: 25 } },
    },
  },
  {
    timestamp: timeAt(6),
    type: "response_item",
    payload: { type: "function_call_output", call_id: "call_1", output: "north\nsouth\n" },
  },
  {
    timestamp: timeAt(7),
    type: "response_item",
    payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "North and south." }] },
  },
);

export const CODEX_BARE = toJsonLines(
  { id: "codex-old", timestamp: timeAt(0), instructions: null, git: { branch: "main" } },
  { record_type: "state" },
  { type: "message", role: "user", content: [{ type: "input_text", text: "Count the buoys." }] },
  { type: "function_call", name: "shell", call_id: "call_9", arguments: '{"command":["wc"]}' },
  { type: "function_call_output", call_id: "call_9", output: "12" },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "Twelve." }] },
);

export const GEMINI = JSON.stringify({
  sessionId: "5f0e-gemini",
  projectHash: "ab12",
  startTime: timeAt(0),
  messages: [
    { id: "g1", timestamp: timeAt(1), type: "user", content: "Paint the hull." },
    {
      id: "g2",
      timestamp: timeAt(2),
      type: "gemini",
      content: "I look first.",
      model: "gemini-2.5-pro",
      thoughts: [{ subject: "Colour", description: "Blue fits.", timestamp: timeAt(2) }],
      tokens: { input: 120, output: 14, cached: 40, thoughts: 6, tool: 0, total: 140 },
      toolCalls: [
        {
          id: "read-1",
          name: "read_file",
          args: { path: "hull.md" },
          status: "success",
          result: [{ functionResponse: { id: "read-1", name: "read_file", response: { output: "grey" } } }],
        },
      ],
    },
    { id: "g3", timestamp: timeAt(3), type: "info", content: "Saved." },
    { id: "g4", timestamp: timeAt(4), type: "gemini", content: "It is grey.", model: "gemini-2.5-pro" },
  ],
});

export const GEMINI_LINES = toJsonLines(
  { sessionId: "5f0e-lines", projectHash: "ab12", startTime: timeAt(0), kind: "main" },
  { id: "g1", timestamp: timeAt(1), type: "user", content: [{ text: "Paint the deck." }] },
  { id: "g2", timestamp: timeAt(2), type: "gemini", content: "I am" },
  { id: "g2", timestamp: timeAt(2), type: "gemini", content: "I am on it.", model: "gemini-2.5-pro" },
  { $set: { lastUpdated: timeAt(3) } },
  { id: "g3", timestamp: timeAt(3), type: "user", content: "No, stop." },
  { $rewindTo: "g3" },
);

export const OPENCODE = JSON.stringify({
  info: {
    id: "ses_harbour",
    title: "Harbour lights",
    directory: "/home/ida/ferry",
    time: { created: millisecondsAt(0) },
  },
  messages: [
    {
      info: { id: "msg_1", role: "user", time: { created: millisecondsAt(1) } },
      parts: [{ type: "text", text: "Which lights are red?" }],
    },
    {
      info: {
        id: "msg_2",
        role: "assistant",
        time: { created: millisecondsAt(2) },
        modelID: "gpt-5",
        providerID: "openai",
      },
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: "Search them." },
        {
          type: "tool",
          callID: "c1",
          tool: "grep",
          state: { status: "completed", input: { pattern: "red" }, output: "port side" },
        },
        { type: "step-finish", tokens: { input: 50, output: 8, cache: { read: 20, write: 0 } }, cost: 0.002 },
        { type: "step-start" },
        { type: "text", text: "Those on the port side." },
        { type: "step-finish", tokens: { input: 12, output: 7, cache: { read: 60, write: 0 } }, cost: 0.001 },
      ],
    },
  ],
});

export const PI = toJsonLines(
  { type: "session", version: 3, id: "019e-pi", timestamp: timeAt(0), cwd: "/home/ida/ferry" },
  {
    type: "message",
    id: "p1",
    parentId: null,
    timestamp: timeAt(1),
    message: { role: "user", content: [{ type: "text", text: "Tie the rope." }], timestamp: millisecondsAt(1) },
  },
  {
    type: "message",
    id: "p2",
    parentId: "p1",
    timestamp: timeAt(2),
    message: {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "A bowline.", thinkingSignature: "c2ln" },
        { type: "toolCall", id: "t1", name: "bash", arguments: { command: "tie" } },
      ],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-opus-4-5",
      usage: { input: 5, output: 6, cacheRead: 70, cacheWrite: 8, cost: { total: 0.01 } },
      stopReason: "toolUse",
      timestamp: millisecondsAt(2),
    },
  },
  {
    type: "message",
    id: "p3",
    parentId: "p2",
    timestamp: timeAt(3),
    message: {
      role: "toolResult",
      toolCallId: "t1",
      toolName: "bash",
      content: [{ type: "text", text: "tied" }],
      isError: false,
      timestamp: millisecondsAt(3),
    },
  },
  {
    type: "compaction",
    id: "p4",
    parentId: "p3",
    timestamp: timeAt(4),
    summary: "The rope is tied.",
    firstKeptEntryId: "p3",
    tokensBefore: 90,
  },
  {
    type: "message",
    id: "p5",
    parentId: "p4",
    timestamp: timeAt(5),
    message: { role: "user", content: "Thanks.", timestamp: millisecondsAt(5) },
  },
);

export const CLINE = JSON.stringify([
  { role: "user", content: [{ type: "text", text: "<task>\nOil the winch.\n</task>" }], ts: millisecondsAt(1) },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "w1", name: "read_file", input: { path: "winch.md" } }],
    ts: millisecondsAt(2),
    modelInfo: { modelId: "claude-sonnet-4-5" },
    metrics: { tokens: { prompt: 80, completion: 12, cached: 30 }, cost: 0.003 },
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "w1", content: "rusty" }], ts: millisecondsAt(3) },
  { role: "assistant", content: [{ type: "text", text: "It needs oil." }], ts: millisecondsAt(4) },
]);
