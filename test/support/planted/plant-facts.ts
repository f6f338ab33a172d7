/**
 * A generated conversation with facts planted between its turns: callers' errands, tables from tools, and some users
 * who mention one of the facts. It is known which message contains which fact.
 */
import type { Message } from "../../../src/core/message/message.ts";
import { type SeededRandom, seededRandom } from "../../../src/testing/seeded-random.ts";
import { ERRAND_TALKS } from "../errand-talks.ts";
import { generateTaskDialogue } from "../generate-task-dialogues.ts";
import type { PlantedFact } from "./english-facts.ts";

export interface PlantedConversation {
  readonly messages: readonly Message[];
  /** The id of the answering message, by question. */
  readonly answers: ReadonlyMap<string, string>;
}

export interface PlantOptions {
  readonly seed: number;
  /** Messages around the facts; generated errands by default. */
  readonly filler?: readonly string[] | undefined;
  readonly fillerTurns: number;
}

const SHARE_WITH_TABLE = 0.05;

export function plantFacts(facts: readonly PlantedFact[], options: PlantOptions): PlantedConversation {
  const random = seededRandom(options.seed);
  const filler = fillerTexts(random, options);
  const messages: Message[] = [];
  const answers = new Map<string, string>();
  const say = (role: "user" | "assistant", text: string): string => {
    const id = `m${messages.length + 1}`;
    messages.push({ id, role, parts: [{ type: "text", text }] });
    return id;
  };
  const step = Math.ceil(filler.length / (facts.length + 1));
  for (const [place, text] of filler.entries()) {
    const [fact, question] = (place % step === step - 1 ? facts[Math.floor(place / step)] : undefined) ?? [];
    if (fact !== undefined && question !== undefined) answers.set(question, say("user", fact));
    say(place % 2 === 0 ? "user" : "assistant", text);
    if (random.next() < SHARE_WITH_TABLE) messages.push(...tableRound(random, messages.length));
  }
  return { messages, answers };
}

function fillerTexts(random: SeededRandom, { filler, fillerTurns }: PlantOptions): readonly string[] {
  const texts: string[] = [];
  while (texts.length < fillerTurns) {
    if (filler !== undefined) texts.push(...random.shuffle(filler));
    else texts.push(...generateTaskDialogue(random).turns.map(({ text }) => text), ...random.pick(ERRAND_TALKS));
  }
  return texts.slice(0, fillerTurns);
}

function tableRound(random: SeededRandom, count: number): readonly Message[] {
  const callId = `call-${count}`;
  const rows = Array.from(
    { length: 12 },
    () => `${random.pick(["York", "Ely", "Leeds", "Norwich"])} | ${random.integer(900)} | ${random.integer(24)}:15`,
  );
  return [
    {
      id: `m${count + 1}`,
      role: "assistant",
      parts: [{ type: "tool-call", callId, tool: "timetable", input: { page: random.integer(9) } }],
    },
    {
      id: `m${count + 2}`,
      role: "tool",
      parts: [{ type: "tool-result", callId, output: { type: "text", text: rows.join("\n") }, failed: false }],
    },
  ];
}
