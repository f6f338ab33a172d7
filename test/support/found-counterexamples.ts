/** Shrunk counterexamples that the compaction properties once found, each with the seed of the run that found it. */
import type { Message } from "../../src/core/message/message.ts";
import { messageBuilder, textPart } from "../../src/testing/builders.ts";
import type { CompactionRun } from "./play-compactions.ts";
import type { Race } from "./race-engines.ts";

const PLAN = "We must keep the plan.";
const PLAIN_ANSWER = { type: "partly-true", places: [], invented: [] } as const;

/** A request with an image, then a turn of several rounds. */
function pictureHistory(): readonly Message[] {
  const { aUserMessage, aRound, anAssistantMessage } = messageBuilder();
  const picture = { type: "image", source: { type: "data", base64: "aW1hZ2UgMA==" }, mediaType: "image/png" } as const;
  return [
    aUserMessage("", { parts: [textPart(PLAN), picture] }),
    ...["call-0", "call-1", "call-2"].flatMap((callId) => aRound([{ callId, input: {}, output: PLAN }])),
    anAssistantMessage(PLAN),
  ];
}

/** After all files are shed, the prompt uses its whole budget to the token. */
function fullHistory(): readonly Message[] {
  const { aSystemMessage, aToolResult, aUserMessage, anAssistantMessage } = messageBuilder();
  const value = { path: PLAN, old_text: "We must keep three of the 1,204 rows:\n- one\n- two", type: "hologram" };
  const asked = "The server on port 8080 decided on €49.90 a month. We asked about the naïve résumé 🙂.";
  const file = { type: "file", source: { type: "data", base64: "ZmlsZSAw" }, mediaType: "application/pdf" } as const;
  return [
    aSystemMessage("We must keep the naïve résumé 🙂. We must keep the plan."),
    aToolResult("lost-0", "nobody asked"),
    aUserMessage(PLAN),
    aUserMessage("One more thing."),
    anAssistantMessage(PLAN),
    aUserMessage("", { parts: [textPart(asked), { type: "unknown", format: "ai-sdk-model", value }] }),
    anAssistantMessage(PLAN),
    aUserMessage("one\n&lt;/conversation-summary&gt;&#60; after"),
    anAssistantMessage("", { parts: [textPart("We could not find src/server/routes.ts."), file] }),
  ];
}

/** A result before its call, and one after another user message. */
function lateHistory(): readonly Message[] {
  const { aToolCall, aToolResult, aUserMessage, anAssistantMessage, anExchange } = messageBuilder();
  const file = { type: "file", source: { type: "data", base64: "ZmlsZSAw" }, mediaType: "application/pdf" } as const;
  return [
    aUserMessage(PLAN),
    aToolResult("call-0", { type: "parts", parts: [file, textPart(PLAN)] }),
    aToolCall("call-0", "read_file", {}),
    anAssistantMessage(PLAN),
    ...anExchange(PLAN, PLAN),
    aUserMessage("Look it up."),
    aToolCall("lost-0", "read_file", { path: "notes.md" }),
    aUserMessage("Are you still there?"),
    aToolResult("lost-0", "found"),
  ];
}

/** History summarized in the background, then an image that fits no budget by itself. */
function outgrownHistory(): readonly Message[] {
  const { aUserMessage, anAssistantMessage, anExchange } = messageBuilder();
  const picture = { type: "image", source: { type: "data", base64: "aW1hZ2UgMA==" }, mediaType: "image/png" } as const;
  const call = { type: "tool-call", callId: "call-0", tool: "draw", input: {}, byProvider: true } as const;
  const output = { type: "parts", parts: [picture] } as const;
  const drawn = { type: "tool-result", callId: "call-0", output, failed: false, byProvider: true } as const;
  const text = `${PLAN} They broke the meeting of 2024-05-03 at 14:30, and never before Friday. `.repeat(3);
  return [
    ...Array.from({ length: 5 }, () => anExchange(text, text)).flat(),
    aUserMessage(PLAN),
    anAssistantMessage("", { parts: [textPart(PLAN), call, drawn] }),
  ];
}

const EIGHT_MESSAGES: CompactionRun["policy"] = {
  gate: false,
  triggers: [{ type: "messages", maxMessages: 8 }],
  tail: { messages: 4, rounds: 1, ratio: 0.1 },
};

/** A goal of one letter, and a summary that contains that letter everywhere but starts no word with it. */
function oneLetterHistory(): readonly Message[] {
  const { aSystemMessage, aUserMessage, anAssistantMessage, aRound } = messageBuilder();
  return [
    aSystemMessage(PLAN),
    aUserMessage("e"),
    anAssistantMessage(PLAN),
    aUserMessage(PLAN),
    ...aRound([{ callId: "call-0", input: {}, output: PLAN }]),
    anAssistantMessage(PLAN),
  ];
}

export const FOUND_RUNS: readonly CompactionRun[] = [
  // The newest user message lost its image although there was time to summarize; seed 1703807006.
  { history: pictureHistory(), pieces: [4], plans: [PLAIN_ANSWER], budgetTokens: 1_104, policy: "default" },
  // An empty compaction was written and reported three times; seed 633857258.
  {
    history: fullHistory(),
    pieces: [2],
    plans: [{ type: "oversize", times: 1.2 }],
    budgetTokens: 155,
    policy: "default",
  },
  // A soft compaction made the view larger; seed -1221487471.
  { history: lateHistory(), pieces: [4], plans: [PLAIN_ANSWER], budgetTokens: 1_500, policy: EIGHT_MESSAGES },
  // A prepared summary was used although later messages did not fit; seed 997407597.
  { history: outgrownHistory(), pieces: [2], plans: [PLAIN_ANSWER], budgetTokens: 1_000, policy: "default" },
  // A restored goal was not recognized; seed 1473553034.
  {
    history: oneLetterHistory(),
    pieces: [4],
    plans: [{ type: "oversize", times: 1.2 }, { type: "oversize", times: 1.2 }, PLAIN_ANSWER],
    budgetTokens: 1_022,
    policy: "default",
  },
];

export const FOUND_RACES: readonly Race[] = [
  // An engine that had waited for the lease requested the summary that another engine had just written.
  {
    engines: 2,
    turns: 9,
    plans: [PLAIN_ANSWER],
    commands: [
      { type: "prompt", engine: 0, budgetTokens: 900 },
      { type: "pass", turns: 12 },
      { type: "prompt", engine: 1, budgetTokens: 900 },
      { type: "pass", turns: 12 },
      { type: "answer", at: 0 },
      { type: "pass", turns: 12 },
    ],
  },
];
