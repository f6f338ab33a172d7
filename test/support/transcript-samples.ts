/** Small session files of every tool, written for the tests, with the number of messages, calls and results in each. */

import type { TranscriptFormatName } from "../../src/core/message/formats/tool-formats.ts";
import { CLINE, CODEX, CODEX_BARE, GEMINI, GEMINI_LINES, OPENCODE, PI } from "./agent-files.ts";
import {
  AI_SDK,
  AIDER,
  ANTHROPIC,
  CHAT_MESSAGES,
  CHATGPT,
  CLAUDE_AI,
  COPILOT,
  COPILOT_CHAT,
  LANGCHAIN,
  LIBRECHAT,
  RESPONSES,
  TAU_BENCH,
} from "./chat-files.ts";
import { CLAUDE_RECORDS, toJsonLines } from "./claude-records.ts";

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

export const TRANSCRIPT_SAMPLES: readonly TranscriptSample[] = [
  {
    format: "claude-code",
    name: "ferry.jsonl",
    text: toJsonLines(...CLAUDE_RECORDS),
    messages: 5,
    calls: 2,
    results: 2,
  },
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
  { format: "openai-chat", name: "chat.jsonl", text: toJsonLines(...CHAT_MESSAGES), messages: 5, calls: 1, results: 1 },
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
