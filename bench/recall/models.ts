/**
 * Compares summaries by a model with those by code, on chats, meetings and agents: what a model could find in the
 * prompt after the conversation was compacted under the default policy. The models are scripted and answer over HTTP:
 * the forgetful one repeats only the end of its input, the good one the sentences with the rarest words. Each is
 * measured with and without the lines that code adds to its summary.
 */
import { createOpenAI } from "@ai-sdk/openai";
import type { JsonObject } from "../../src/core/message/json.ts";
import type { Message } from "../../src/core/message/message.ts";
import { countTokens } from "../../src/core/tokens/count-tokens.ts";
import { openPalimpsest } from "../../src/index.ts";
import { type ScriptedProvider, startScriptedProvider } from "../../test/support/scripted-provider.ts";
import { textsIn } from "../chain/texts-in.ts";
import { mean } from "../shared/averages.ts";
import { printMessage } from "./agents/print-message.ts";
import { distinctWords, sentencesIn } from "./measure-words.ts";
import { type ModelTask, readModelTasks } from "./model-tasks.ts";
import type { MeasureRecall } from "./recall-part.ts";

type Manner = "forgetful" | "good";

interface Writer {
  readonly name: string;
  /** Undefined if code writes the summary. */
  readonly manner?: Manner | undefined;
  readonly addMissing: boolean;
}

const CODE: Writer = { name: "code", addMissing: true };
const WRITERS: readonly Writer[] = [
  CODE,
  { name: "forgetful model", manner: "forgetful", addMissing: true },
  { name: "forgetful model, code adds nothing", manner: "forgetful", addMissing: false },
  { name: "good model", manner: "good", addMissing: true },
  { name: "good model, code adds nothing", manner: "good", addMissing: false },
];
const MODEL = "gpt-4.1-mini";
const MAX_LOSS = 0.02;
const KINDS = ["chats", "meetings", "agents"] as const;

export const measureModels: MeasureRecall = async ({ dataFolder, quick }) => {
  const tasks = readModelTasks({ dataFolder, quick });
  if (tasks.length === 0) return undefined;
  let answer: (shown: string, maxTokens: number) => string = () => "";
  const provider = await startScriptedProvider(({ body }) => {
    const text = answer(textsIn(body.messages).join("\n"), Number(body.max_tokens ?? body.max_completion_tokens ?? 0));
    return { type: "text", text: body.response_format === undefined ? text : JSON.stringify(structured(text)) };
  });
  const shares = new Map(WRITERS.map(({ name }) => [name, KINDS.map((): number[] => [])]));
  const calls = new Map<string, number>();
  for (const task of tasks) {
    for (const writer of WRITERS) {
      answer = createAnswer(task.messages, writer.manner);
      const before = provider.requests.length;
      const prompt = await promptBy(writer, task, provider);
      calls.set(writer.name, (calls.get(writer.name) ?? 0) + provider.requests.length - before);
      shares.get(writer.name)?.[KINDS.indexOf(task.kind)]?.push(task.score(prompt));
    }
  }
  await provider.close();
  return describe(shares, calls, tasks);
};

function structured(summary: string): JsonObject {
  const context = { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] };
  return { summary, keyPoints: [], context };
}

/** Appends the messages in batches, as a host does, and returns the lines of the last prompt. */
async function promptBy(
  { manner, addMissing }: Writer,
  { messages, budgetTokens }: ModelTask,
  { url }: ScriptedProvider,
): Promise<readonly string[]> {
  const palimpsest = await openPalimpsest({
    budgetTokens,
    policy: { summary: { addMissing } },
    summarizer: manner === undefined ? "offline" : createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).chat(MODEL),
  });
  const session = await palimpsest.session();
  let lines: readonly string[] = [];
  for (let start = 0; start < messages.length; start += BATCH) {
    await session.append(messages.slice(start, start + BATCH), { format: "palimpsest" });
    const prompt = await session.prompt({ provider: "openai" });
    lines = textsIn(prompt.as("openai")).flatMap((text) => text.split("\n"));
    await session.settle();
  }
  await palimpsest.close();
  return lines;
}

const BATCH = 25;
const FORGETFUL_CHARACTERS = 600;
const MIN_CHARACTERS = 24;
/** The share of its limit that the good model uses. */
const GOOD_SHARE = 0.35;

/** Both models repeat whole sentences of their input, so that no answer is rejected as unsupported. */
function createAnswer(messages: readonly Message[], manner: Manner | undefined) {
  const sentences = [...new Set(messages.flatMap(printMessage).flatMap(sentencesIn))].filter(
    (sentence) => sentence.length >= MIN_CHARACTERS && sentence.length <= FORGETFUL_CHARACTERS,
  );
  return (shown: string, maxTokens: number): string => {
    const known = sentences.filter((sentence) => shown.includes(sentence));
    if (manner !== "good") return takeLast(known).join(" ");
    return takeRarest(known, maxTokens * GOOD_SHARE).join("\n");
  };
}

/** Takes the sentences with the rarest words for their length, in their order. */
function takeRarest(sentences: readonly string[], maxTokens: number): readonly string[] {
  const words = sentences.map(distinctWords);
  const uses = new Map<string, number>();
  for (const each of words) for (const word of each) uses.set(word, (uses.get(word) ?? 0) + 1);
  const rarity = (word: string): number => Math.log(sentences.length / (uses.get(word) ?? 1));
  const values = sentences.map((sentence, place) => {
    const sum = [...(words[place] ?? [])].reduce((total, word) => total + rarity(word), 0);
    return { place, value: sum / (sentence.length + MIN_CHARACTERS), tokens: countTokens(`${sentence}\n`) };
  });
  const taken = new Set<number>();
  let room = maxTokens;
  for (const { place, tokens } of values.sort((left, right) => right.value - left.value)) {
    if (tokens > room) break;
    room -= tokens;
    taken.add(place);
  }
  return sentences.filter((_, place) => taken.has(place));
}

function takeLast(sentences: readonly string[]): readonly string[] {
  let characters = 0;
  const start = sentences.findLastIndex((sentence) => {
    characters += sentence.length;
    return characters > FORGETFUL_CHARACTERS;
  });
  return sentences.slice(start + 1);
}

type Shares = ReadonlyMap<string, readonly (readonly number[])[]>;

function describe(shares: Shares, calls: ReadonlyMap<string, number>, tasks: readonly ModelTask[]) {
  const meanOf = (writer: string, kind: number): number => mean(shares.get(writer)?.[kind] ?? []);
  const rows = WRITERS.map(({ name }) => ({
    "summaries by": name,
    ...Object.fromEntries(KINDS.map((kind, place) => [kind, meanOf(name, place)])),
    calls: calls.get(name) ?? 0,
  }));
  const musts = KINDS.map((kind, place) => {
    const [code, forgetful, good, goodAlone] = [
      "code",
      "forgetful model",
      "good model",
      "good model, code adds nothing",
    ].map((name) => meanOf(name, place)) as [number, number, number, number];
    return `${kind}: forgetful model at least code minus ${MAX_LOSS} (${forgetful >= code - MAX_LOSS ? "holds" : "FAILS"}), good model at least the same model when code adds nothing (${good >= goodAlone ? "holds" : "FAILS"})`;
  });
  const counts = KINDS.map((kind) => `${tasks.filter((task) => task.kind === kind).length} ${kind}`).join(", ");
  return {
    rows,
    figures: Object.fromEntries(
      KINDS.flatMap((kind, place) => [
        [`models.${kind}.code`, meanOf("code", place)],
        [`models.${kind}.forgetful`, meanOf("forgetful model", place)],
        [`models.${kind}.good`, meanOf("good model", place)],
      ]),
    ),
    notes: [
      `Models: ${counts}; the last prompt under the default policy, summary and newest messages. Targets: ${musts.join("; ")}.`,
    ],
  };
}
