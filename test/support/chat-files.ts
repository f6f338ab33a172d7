/** Session files of chats, and lists of messages, written for the tests. */
import { millisecondsAt, timeAt, toJsonLines } from "./claude-records.ts";

export const COPILOT = toJsonLines(
  {
    type: "session.start",
    data: { sessionId: "copilot-3", startTime: timeAt(0), selectedModel: "gpt-5" },
    id: "e1",
    timestamp: timeAt(0),
  },
  { type: "user.message", data: { content: "Ring the bell." }, id: "e2", timestamp: timeAt(1) },
  {
    type: "assistant.message",
    data: {
      messageId: "m1",
      content: "",
      toolRequests: [{ toolCallId: "b1", name: "bash", arguments: { command: "ring" } }],
      outputTokens: 5,
    },
    id: "e3",
    timestamp: timeAt(2),
  },
  {
    type: "tool.execution_start",
    data: { toolCallId: "b1", toolName: "bash", arguments: { command: "ring" } },
    id: "e4",
    timestamp: timeAt(2),
  },
  {
    type: "tool.execution_complete",
    data: { toolCallId: "b1", success: true, result: { content: "ding" } },
    id: "e5",
    timestamp: timeAt(3),
  },
  {
    type: "assistant.message",
    data: { messageId: "m2", content: "It rang.", toolRequests: [] },
    id: "e6",
    timestamp: timeAt(4),
  },
);

export const COPILOT_CHAT = JSON.stringify({
  requesterUsername: "ida",
  responderUsername: "GitHub Copilot",
  sessionId: "vscode-9",
  requests: [
    {
      requestId: "r1",
      timestamp: millisecondsAt(1),
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

export const AIDER = [
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

export const CHATGPT = JSON.stringify([
  {
    title: "Knots",
    conversation_id: "cg-1",
    create_time: millisecondsAt(0) / 1_000,
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
    create_time: millisecondsAt(1) / 1_000,
    content,
    recipient: "all",
    metadata: { model_slug: "gpt-5" },
  };
  return { id, parent, children, message };
}

export const CLAUDE_AI = JSON.stringify([
  {
    uuid: "c1a0de00-0000-4000-8000-000000000001",
    name: "Sails",
    created_at: timeAt(0),
    chat_messages: [
      {
        uuid: "s1",
        sender: "human",
        text: "How many sails?",
        content: [{ type: "text", text: "How many sails?" }],
        created_at: timeAt(1),
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
        created_at: timeAt(2),
      },
    ],
  },
]);

export const LIBRECHAT = JSON.stringify({
  conversationId: "lc-1",
  title: "Tides",
  messages: [
    { messageId: "l1", parentMessageId: "0", isCreatedByUser: true, text: "High tide?", createdAt: timeAt(1) },
    {
      messageId: "l2",
      parentMessageId: "l1",
      isCreatedByUser: false,
      sender: "GPT-5",
      text: "At noon.",
      createdAt: timeAt(2),
    },
  ],
});

const chatCall = { id: "call_a", type: "function", function: { name: "find_pier", arguments: '{"ship":"Marta"}' } };
export const CHAT_MESSAGES = [
  { role: "system", content: "You run the harbour." },
  { role: "user", content: "Where is the Marta?" },
  { role: "assistant", content: null, tool_calls: [chatCall] },
  { role: "tool", tool_call_id: "call_a", content: "pier 4" },
  { role: "assistant", content: "At pier 4." },
];

export const TAU_BENCH = JSON.stringify([
  { task_id: 3, trial: 0, reward: 1, traj: CHAT_MESSAGES },
  { task_id: 3, trial: 1, reward: 0, traj: CHAT_MESSAGES },
]);

export const ANTHROPIC = JSON.stringify({
  model: "claude-sonnet-4-5",
  system: "You run the harbour.",
  messages: [
    { role: "user", content: "Where is the Marta?" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_x", name: "find_pier", input: { ship: "Marta" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_x", content: "pier 4" }] },
    { role: "assistant", content: [{ type: "text", text: "At pier 4." }] },
  ],
});

export const RESPONSES = JSON.stringify({
  model: "gpt-5",
  input: [
    { role: "user", content: "Where is the Marta?" },
    { type: "function_call", call_id: "fc_1", name: "find_pier", arguments: '{"ship":"Marta"}' },
    { type: "function_call_output", call_id: "fc_1", output: "pier 4" },
  ],
  output: [{ type: "message", id: "msg_9", role: "assistant", content: [{ type: "output_text", text: "At pier 4." }] }],
});

export const AI_SDK = JSON.stringify([
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

export const LANGCHAIN = JSON.stringify([
  { type: "human", data: { content: "Where is the Marta?" } },
  { type: "ai", data: { content: "", tool_calls: [{ id: "lc1", name: "find_pier", args: { ship: "Marta" } }] } },
  { type: "tool", data: { content: "pier 4", tool_call_id: "lc1" } },
]);
