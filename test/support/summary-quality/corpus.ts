/** Reads the conversations of talks.ts and work.ts into messages, and what a summary of them should keep. */
import type { JsonValue } from "../../../src/core/message/json.ts";
import type { Message, Part } from "../../../src/core/message/message.ts";
import { TALKS } from "./talks.ts";
import { MONOREPO, WORK } from "./work.ts";

export const ASPECTS = ["fact", "date", "name", "words"] as const;
export type Aspect = (typeof ASPECTS)[number];

export interface ExpectedWords {
  readonly aspect: Aspect;
  readonly text: string;
}

export interface CorpusText {
  readonly name: string;
  readonly messages: readonly Message[];
  readonly expected: readonly ExpectedWords[];
  /** The only budget for its summaries, if it needs one of its own. */
  readonly budgetTokens?: number | undefined;
}

/** The size of the summary of a long session. */
const LARGE_TOKENS = 3_600;

export function readCorpus(): readonly CorpusText[] {
  const texts = Object.entries({ ...TALKS, ...WORK }).map(([name, source]) => readText(name, source));
  return [
    ...texts,
    readText("three talks in a row", Object.values(TALKS).slice(0, 3).join("")),
    { ...readText("all work in a row", [MONOREPO, ...Object.values(WORK)].join("")), budgetTokens: LARGE_TOKENS },
  ];
}

const MARK = /\[(fact|date|name|words) ([^\]]+)\]/g;
const MESSAGE_MS = 60_000;

function readText(name: string, source: string): CorpusText {
  const expected = [...source.matchAll(MARK)].map(([, aspect, text = ""]) => ({ aspect: aspect as Aspect, text }));
  const messages: Message[] = [];
  let saidAt: number | undefined;
  for (const line of source.replace(MARK, "$2").trim().split("\n")) {
    if (line.startsWith("@")) {
      saidAt = Date.parse(line.slice(1));
      continue;
    }
    const id = `m${messages.length + 1}`;
    messages.push({ ...readLine(line, messages.length), id, ...(saidAt === undefined ? {} : { saidAt }) });
    if (saidAt !== undefined) saidAt += MESSAGE_MS;
  }
  return { name, messages, expected };
}

function readLine(line: string, place: number): Pick<Message, "role" | "name" | "parts"> {
  const [, mark = "", rest = ""] = /^(C|R|E) (.*)$/.exec(line) ?? [];
  if (mark === "C") return { role: "assistant", parts: [readCall(rest, place)] };
  if (mark !== "") return { role: "tool", parts: [readResult(rest, place, mark === "E")] };
  const end = line.indexOf(": ");
  if (end < 0) throw new Error(`A line of the corpus has no speaker: ${line}`);
  const speaker = line.slice(0, end);
  const parts: readonly Part[] = [{ type: "text", text: line.slice(end + 2).replaceAll("\\n", "\n") }];
  if (speaker === "U" || speaker === "User") return { role: "user", parts };
  return speaker === "A" || speaker === "Assistant"
    ? { role: "assistant", parts }
    : { role: "user", name: speaker, parts };
}

function readCall(text: string, place: number): Part {
  const space = text.indexOf(" ");
  const input: JsonValue = JSON.parse(text.slice(space + 1));
  return { type: "tool-call", callId: `call-${place}`, tool: text.slice(0, space), input };
}

/** The result must follow its call. */
function readResult(text: string, place: number, failed: boolean): Part {
  const output = { type: "text", text: text.replaceAll("\\n", "\n") } as const;
  return { type: "tool-result", callId: `call-${place - 1}`, output, failed };
}
