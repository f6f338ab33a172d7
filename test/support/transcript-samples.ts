/** Small session files of every tool, written for the tests, with the number of messages, calls and results in each. */
import type { TranscriptFormatName } from "../../src/core/message/tool-formats.ts";

export interface TranscriptSample {
  readonly format: TranscriptFormatName;
  readonly name: string;
  readonly text: string;
  readonly messages: number;
  readonly calls: number;
  readonly results: number;
  readonly sessions?: number;
  readonly summaries?: number;
}

const lines = (...records: readonly unknown[]): string => records.map((each) => `${JSON.stringify(each)}\n`).join("");
const at = (seconds: number): string => new Date(Date.UTC(2026, 3, 5, 9, 0, seconds)).toISOString();
const ms = (seconds: number): number => Date.UTC(2026, 3, 5, 9, 0, seconds);

const uuid = (digit: number): string => `0d5c8a10-77aa-4c00-9e00-${String(digit).padStart(12, "0")}`;

/** A record of Claude Code. */
export function claudeRecord(number: number, parent: number | undefined, fields: object): object {
  return {
    parentUuid: parent === undefined ? null : uuid(parent),
    isSidechain: false,
    sessionId: "6a3e2d10-1111-4222-8333-444455556666",
    cwd: "/home/ida/ferry",
    version: "2.1.0",
    uuid: uuid(number),
    timestamp: at(number),
    ...fields,
  };
}

export const claudeUser = (content: unknown) => ({ type: "user", message: { role: "user", content } });

export function claudeAnswer(id: string, block: object, usage: object = {}) {
  const message = { id, type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [block] };
  const figures = { input_tokens: 4, cache_creation_input_tokens: 30, cache_read_input_tokens: 200, output_tokens: 9 };
  return { type: "assistant", requestId: `req_${id}`, message: { ...message, usage: { ...figures, ...usage } } };
}

export const claudeCall = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "Read", input });
export const claudeResult = (id: string, content = "ten lines") =>
  claudeUser([{ type: "tool_result", tool_use_id: id, content }]);

export const CLAUDE_RECORDS: readonly object[] = [
  claudeRecord(1, undefined, claudeUser("When does the ferry leave?")),
  claudeRecord(2, 1, claudeAnswer("msg_a", { type: "thinking", thinking: "The timetable knows.", signature: "c2ln" })),
  claudeRecord(3, 2, claudeAnswer("msg_a", claudeCall("toolu_1", { file_path: "timetable.txt" }))),
  claudeRecord(
    4,
    3,
    claudeAnswer("msg_a", claudeCall("toolu_2", { file_path: "holidays.txt" }), { output_tokens: 41 }),
  ),
  claudeRecord(5, 3, claudeResult("toolu_1")),
  claudeRecord(6, 4, claudeResult("toolu_2", "no holidays")),
  claudeRecord(7, 6, claudeAnswer("msg_b", { type: "text", text: "At 17:40." })),
];

const CODEX = lines(
  { timestamp: at(0), type: "session_meta", payload: { id: "codex-7", timestamp: at(0), cwd: "/home/ida/ferry" } },
  { timestamp: at(1), type: "turn_context", payload: { model: "gpt-5-codex", cwd: "/home/ida/ferry" } },
  {
    timestamp: at(2),
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "List the piers." }] },
  },
  { timestamp: at(2), type: "event_msg", payload: { type: "user_message", message: "List the piers." } },
  {
    timestamp: at(3),
    type: "response_item",
    payload: {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "A listing helps." }],
      encrypted_content: "QUJD",
    },
  },
  {
    timestamp: at(4),
    type: "response_item",
    payload: { type: "function_call", name: "shell", call_id: "call_1", arguments: '{"command":["ls","piers"]}' },
  },
  {
    timestamp: at(5),
    type: "event_msg",
    payload: {
      type: "token_count",
      info: { last_token_usage: { input_tokens: 900, cached_input_tokens: 700, output_tokens: 25 } },
    },
  },
  {
    timestamp: at(6),
    type: "response_item",
    payload: { type: "function_call_output", call_id: "call_1", output: "north\nsouth\n" },
  },
  {
    timestamp: at(7),
    type: "response_item",
    payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "North and south." }] },
  },
);

const CODEX_BARE = lines(
  { id: "codex-old", timestamp: at(0), instructions: null, git: { branch: "main" } },
  { record_type: "state" },
  { type: "message", role: "user", content: [{ type: "input_text", text: "Count the buoys." }] },
  { type: "function_call", name: "shell", call_id: "call_9", arguments: '{"command":["wc"]}' },
  { type: "function_call_output", call_id: "call_9", output: "12" },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "Twelve." }] },
);

const GEMINI = JSON.stringify({
  sessionId: "5f0e-gemini",
  projectHash: "ab12",
  startTime: at(0),
  messages: [
    { id: "g1", timestamp: at(1), type: "user", content: "Paint the hull." },
    {
      id: "g2",
      timestamp: at(2),
      type: "gemini",
      content: "I look first.",
      model: "gemini-2.5-pro",
      thoughts: [{ subject: "Colour", description: "Blue fits.", timestamp: at(2) }],
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
    { id: "g3", timestamp: at(3), type: "info", content: "Saved." },
    { id: "g4", timestamp: at(4), type: "gemini", content: "It is grey.", model: "gemini-2.5-pro" },
  ],
});

const GEMINI_LINES = lines(
  { sessionId: "5f0e-lines", projectHash: "ab12", startTime: at(0), kind: "main" },
  { id: "g1", timestamp: at(1), type: "user", content: [{ text: "Paint the deck." }] },
  { id: "g2", timestamp: at(2), type: "gemini", content: "I am" },
  { id: "g2", timestamp: at(2), type: "gemini", content: "I am on it.", model: "gemini-2.5-pro" },
  { $set: { lastUpdated: at(3) } },
  { id: "g3", timestamp: at(3), type: "user", content: "No, stop." },
  { $rewindTo: "g3" },
);

const OPENCODE = JSON.stringify({
  info: { id: "ses_harbour", title: "Harbour lights", directory: "/home/ida/ferry", time: { created: ms(0) } },
  messages: [
    {
      info: { id: "msg_1", role: "user", time: { created: ms(1) } },
      parts: [{ type: "text", text: "Which lights are red?" }],
    },
    {
      info: { id: "msg_2", role: "assistant", time: { created: ms(2) }, modelID: "gpt-5", providerID: "openai" },
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

const PI = lines(
  { type: "session", version: 3, id: "019e-pi", timestamp: at(0), cwd: "/home/ida/ferry" },
  {
    type: "message",
    id: "p1",
    parentId: null,
    timestamp: at(1),
    message: { role: "user", content: [{ type: "text", text: "Tie the rope." }], timestamp: ms(1) },
  },
  {
    type: "message",
    id: "p2",
    parentId: "p1",
    timestamp: at(2),
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
      timestamp: ms(2),
    },
  },
  {
    type: "message",
    id: "p3",
    parentId: "p2",
    timestamp: at(3),
    message: {
      role: "toolResult",
      toolCallId: "t1",
      toolName: "bash",
      content: [{ type: "text", text: "tied" }],
      isError: false,
      timestamp: ms(3),
    },
  },
  {
    type: "compaction",
    id: "p4",
    parentId: "p3",
    timestamp: at(4),
    summary: "The rope is tied.",
    firstKeptEntryId: "p3",
    tokensBefore: 90,
  },
  {
    type: "message",
    id: "p5",
    parentId: "p4",
    timestamp: at(5),
    message: { role: "user", content: "Thanks.", timestamp: ms(5) },
  },
);

const CLINE = JSON.stringify([
  { role: "user", content: [{ type: "text", text: "<task>\nOil the winch.\n</task>" }], ts: ms(1) },
  {
    role: "assistant",
    content: [{ type: "tool_use", id: "w1", name: "read_file", input: { path: "winch.md" } }],
    ts: ms(2),
    modelInfo: { modelId: "claude-sonnet-4-5" },
    metrics: { tokens: { prompt: 80, completion: 12, cached: 30 }, cost: 0.003 },
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "w1", content: "rusty" }], ts: ms(3) },
  { role: "assistant", content: [{ type: "text", text: "It needs oil." }], ts: ms(4) },
]);

const COPILOT = lines(
  {
    type: "session.start",
    data: { sessionId: "copilot-3", startTime: at(0), selectedModel: "gpt-5" },
    id: "e1",
    timestamp: at(0),
  },
  { type: "user.message", data: { content: "Ring the bell." }, id: "e2", timestamp: at(1) },
  {
    type: "assistant.message",
    data: {
      messageId: "m1",
      content: "",
      toolRequests: [{ toolCallId: "b1", name: "bash", arguments: { command: "ring" } }],
      outputTokens: 5,
    },
    id: "e3",
    timestamp: at(2),
  },
  {
    type: "tool.execution_start",
    data: { toolCallId: "b1", toolName: "bash", arguments: { command: "ring" } },
    id: "e4",
    timestamp: at(2),
  },
  {
    type: "tool.execution_complete",
    data: { toolCallId: "b1", success: true, result: { content: "ding" } },
    id: "e5",
    timestamp: at(3),
  },
  {
    type: "assistant.message",
    data: { messageId: "m2", content: "It rang.", toolRequests: [] },
    id: "e6",
    timestamp: at(4),
  },
);

const COPILOT_CHAT = JSON.stringify({
  requesterUsername: "ida",
  responderUsername: "GitHub Copilot",
  sessionId: "vscode-9",
  requests: [
    {
      requestId: "r1",
      timestamp: ms(1),
      modelId: "copilot/gpt-5",
      message: { text: "Rename the boat." },
      response: [
        { value: "I rename it." },
        { kind: "toolInvocationSerialized", toolId: "edit", toolCallId: "k1", pastTenseMessage: "Edited boat.ts" },
      ],
      result: {
        metadata: {
          toolCallRounds: [
            { response: "I rename it.", toolCalls: [{ id: "k1", name: "edit", arguments: '{"file":"boat.ts"}' }] },
            { response: "Done.", toolCalls: [] },
          ],
          toolCallResults: { k1: { content: [{ value: "1 edit" }] } },
        },
      },
    },
  ],
});

const AIDER = [
  "",
  "# aider chat started at 2026-04-05 09:00:00",
  "",
  "> Aider v0.86.0  ",
  "> Model: gpt-5 with diff edit format  ",
  "",
  "#### Sort the flags  ",
  "#### by colour  ",
  "",
  "Here they are, sorted.",
  "",
  "> Tokens: 1,200 sent, 80 received. Cost: $0.01 message, $0.01 session.  ",
  "",
  "#### /exit  ",
  "",
].join("\n");

const CHATGPT = JSON.stringify([
  {
    title: "Knots",
    conversation_id: "cg-1",
    create_time: ms(0) / 1_000,
    current_node: "n4b",
    mapping: {
      root: { id: "root", message: null, parent: null, children: ["n1"] },
      n1: chatGptNode("n1", "root", ["n2"], "user", "Name a knot."),
      n2: chatGptNode("n2", "n1", ["n3"], "assistant", "Bowline."),
      n3: chatGptNode("n3", "n2", ["n4a", "n4b"], "user", "Another."),
      n4a: chatGptNode("n4a", "n3", [], "assistant", "Sheet bend."),
      n4b: chatGptNode("n4b", "n3", [], "assistant", "Clove hitch."),
    },
  },
]);

function chatGptNode(id: string, parent: string, children: readonly string[], role: string, text: string) {
  const content = { content_type: "text", parts: [text] };
  const message = {
    id,
    author: { role },
    create_time: ms(1) / 1_000,
    content,
    recipient: "all",
    metadata: { model_slug: "gpt-5" },
  };
  return { id, parent, children, message };
}

const CLAUDE_AI = JSON.stringify([
  {
    uuid: "c1a0de00-0000-4000-8000-000000000001",
    name: "Sails",
    created_at: at(0),
    chat_messages: [
      {
        uuid: "s1",
        sender: "human",
        text: "How many sails?",
        content: [{ type: "text", text: "How many sails?" }],
        created_at: at(1),
      },
      {
        uuid: "s2",
        sender: "assistant",
        text: "Three.",
        content: [
          { type: "thinking", thinking: "Count them." },
          { type: "tool_use", id: "u1", name: "count", input: { what: "sails" } },
          {
            type: "tool_result",
            tool_use_id: "u1",
            name: "count",
            content: [{ type: "text", text: "3" }],
            is_error: false,
          },
          { type: "text", text: "Three." },
        ],
        created_at: at(2),
      },
    ],
  },
]);

const LIBRECHAT = JSON.stringify({
  conversationId: "lc-1",
  title: "Tides",
  messages: [
    { messageId: "l1", parentMessageId: "0", isCreatedByUser: true, text: "High tide?", createdAt: at(1) },
    {
      messageId: "l2",
      parentMessageId: "l1",
      isCreatedByUser: false,
      sender: "GPT-5",
      text: "At noon.",
      createdAt: at(2),
    },
  ],
});

const chatCall = { id: "call_a", type: "function", function: { name: "find_pier", arguments: '{"ship":"Marta"}' } };
const CHAT_MESSAGES = [
  { role: "system", content: "You run the harbour." },
  { role: "user", content: "Where is the Marta?" },
  { role: "assistant", content: null, tool_calls: [chatCall] },
  { role: "tool", tool_call_id: "call_a", content: "pier 4" },
  { role: "assistant", content: "At pier 4." },
];

const TAU_BENCH = JSON.stringify([
  { task_id: 3, trial: 0, reward: 1, traj: CHAT_MESSAGES },
  { task_id: 3, trial: 1, reward: 0, traj: CHAT_MESSAGES },
]);

const ANTHROPIC = JSON.stringify({
  model: "claude-sonnet-4-5",
  system: "You run the harbour.",
  messages: [
    { role: "user", content: "Where is the Marta?" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_x", name: "find_pier", input: { ship: "Marta" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_x", content: "pier 4" }] },
    { role: "assistant", content: [{ type: "text", text: "At pier 4." }] },
  ],
});

const RESPONSES = JSON.stringify({
  model: "gpt-5",
  input: [
    { role: "user", content: "Where is the Marta?" },
    { type: "function_call", call_id: "fc_1", name: "find_pier", arguments: '{"ship":"Marta"}' },
    { type: "function_call_output", call_id: "fc_1", output: "pier 4" },
  ],
  output: [{ type: "message", id: "msg_9", role: "assistant", content: [{ type: "output_text", text: "At pier 4." }] }],
});

const AI_SDK = JSON.stringify([
  { role: "user", content: [{ type: "text", text: "Where is the Marta?" }] },
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "t9", toolName: "find_pier", input: { ship: "Marta" } }],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "t9", toolName: "find_pier", output: { type: "text", value: "pier 4" } },
    ],
  },
]);

const LANGCHAIN = JSON.stringify([
  { type: "human", data: { content: "Where is the Marta?" } },
  { type: "ai", data: { content: "", tool_calls: [{ id: "lc1", name: "find_pier", args: { ship: "Marta" } }] } },
  { type: "tool", data: { content: "pier 4", tool_call_id: "lc1" } },
]);

export const TRANSCRIPT_SAMPLES: readonly TranscriptSample[] = [
  { format: "claude-code", name: "ferry.jsonl", text: lines(...CLAUDE_RECORDS), messages: 5, calls: 2, results: 2 },
  { format: "codex", name: "rollout-1.jsonl", text: CODEX, messages: 5, calls: 1, results: 1 },
  { format: "codex", name: "rollout-old.jsonl", text: CODEX_BARE, messages: 4, calls: 1, results: 1 },
  { format: "gemini-cli", name: "session-1.json", text: GEMINI, messages: 4, calls: 1, results: 1 },
  { format: "gemini-cli", name: "session-2.jsonl", text: GEMINI_LINES, messages: 2, calls: 0, results: 0 },
  { format: "opencode", name: "ses.json", text: OPENCODE, messages: 4, calls: 1, results: 1 },
  { format: "pi", name: "pi.jsonl", text: PI, messages: 4, calls: 1, results: 1, summaries: 1 },
  { format: "cline", name: "api_conversation_history.json", text: CLINE, messages: 4, calls: 1, results: 1 },
  { format: "copilot-cli", name: "events.jsonl", text: COPILOT, messages: 4, calls: 1, results: 1 },
  { format: "copilot-chat", name: "chat.json", text: COPILOT_CHAT, messages: 4, calls: 1, results: 1 },
  { format: "aider", name: ".aider.chat.history.md", text: AIDER, messages: 3, calls: 0, results: 0 },
  // The fork has one message of its own.
  { format: "chatgpt", name: "conversations.json", text: CHATGPT, messages: 5, calls: 0, results: 0, sessions: 2 },
  { format: "claude-ai", name: "conversations.json", text: CLAUDE_AI, messages: 4, calls: 1, results: 1 },
  { format: "librechat", name: "tides.json", text: LIBRECHAT, messages: 2, calls: 0, results: 0 },
  { format: "tau-bench", name: "airline.json", text: TAU_BENCH, messages: 10, calls: 2, results: 2, sessions: 2 },
  {
    format: "openai-chat",
    name: "chat.json",
    text: JSON.stringify({ messages: CHAT_MESSAGES }),
    messages: 5,
    calls: 1,
    results: 1,
  },
  { format: "openai-chat", name: "chat.jsonl", text: lines(...CHAT_MESSAGES), messages: 5, calls: 1, results: 1 },
  { format: "anthropic", name: "request.json", text: ANTHROPIC, messages: 5, calls: 1, results: 1 },
  { format: "openai-responses", name: "response.json", text: RESPONSES, messages: 4, calls: 1, results: 1 },
  { format: "ai-sdk-model", name: "sdk.json", text: AI_SDK, messages: 3, calls: 1, results: 1 },
  { format: "langchain", name: "chain.json", text: LANGCHAIN, messages: 3, calls: 1, results: 1 },
];

export function findSample(format: TranscriptFormatName): TranscriptSample {
  const found = TRANSCRIPT_SAMPLES.find((sample) => sample.format === format);
  if (found === undefined) throw new Error(`There is no sample of ${format}.`);
  return found;
}

export { lines as toJsonLines };
