/** A conversation that is folded by a summarizer behind a socket, which gives the answer of the test. */
import { createOpenAI } from "@ai-sdk/openai";
import type { SummaryAttempt } from "../../src/engine/context/events.ts";
import { openPalimpsest } from "../../src/index.ts";
import { startScriptedProvider } from "./scripted-provider.ts";
import { scriptedReplies as replies } from "./scripted-provider-reply.ts";

export const ANSWERING_MODEL = "gpt-4.1-mini";

export type AnswerStrategy = "brief" | "keypoints" | "handoff-simple" | "handoff-full" | "topic" | "structured";

interface FoldOptions {
  readonly strategy?: AnswerStrategy;
  readonly budgetTokens?: number;
  readonly turns?: number;
}

const TURNS = 80;
const TOOL = "TOOL: ";

interface TalkMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

/** Repeats the lines of a conversation. A line that begins with `TOOL: ` is the output of a tool. */
export function repeatTalk(lines: readonly string[], turns = TURNS): readonly TalkMessage[] {
  return Array.from({ length: turns }, (_, index) => index).flatMap((index): readonly TalkMessage[] => {
    const line = lines[index % lines.length] ?? "";
    if (!line.startsWith(TOOL)) return [{ role: index % 2 === 0 ? "user" : "assistant", content: `${index}. ${line}` }];
    const id = `call${index}`;
    const call = { id, type: "function", function: { name: "fetch_page", arguments: `{"page":${index}}` } };
    return [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: line.slice(TOOL.length) },
    ];
  });
}

export async function startAnswerStage() {
  let answer = "";
  const provider = await startScriptedProvider(() => replies.text(answer));
  return {
    close: () => provider.close(),
    async foldWith(
      text: string,
      lines: readonly string[],
      { strategy, budgetTokens = 2_000, turns }: FoldOptions = {},
    ) {
      answer = text;
      const engine = await openPalimpsest({
        counter: "estimate",
        budgetTokens,
        policy: { summary: { strategy: strategy ?? "handoff-simple" } },
        summarizer: createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k" }).chat(ANSWERING_MODEL),
      });
      const attempts: SummaryAttempt[] = [];
      engine.on("summary", (attempt) => attempts.push(attempt));
      const session = await engine.session();
      await session.append(repeatTalk(lines, turns));
      const prompt = await session.prompt();
      const record = await session.liveSummary();
      await engine.close();
      return { attempts, record, cover: textOf(prompt.messages[0]?.content) };
    },
  };
}

export function textOf(content: unknown): string {
  return Array.isArray(content) ? content.map((part) => String(Object(part).text)).join("\n") : String(content);
}

/** Returns a structured answer with this summary, and other fields. */
export function structuredAnswer(summary: string, fields: object = {}): string {
  const context = { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] };
  return JSON.stringify({ summary, keyPoints: [], context, ...fields });
}
