/** Input of every part of the bench: summaries of conversations, drawn by a seed, and the size of a run. */
import type { Message } from "../../src/core/message/message.ts";
import { summarizeOffline } from "../../src/core/summary/offline/summarize-offline.ts";
import type { SummaryRecord } from "../../src/core/summary/record/record.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { Conversation } from "./conversations.ts";

/** A text about a conversation; with its record if code wrote it. */
export interface Subject {
  readonly conversation: Conversation;
  readonly writer: "code" | "model" | "human";
  readonly text: string;
  readonly record?: SummaryRecord | undefined;
  readonly budgetTokens: number;
}

export interface Subjects {
  readonly conversations: readonly Conversation[];
  readonly random: SeededRandom;
  readonly cases: number;
  draw(): Subject;
  drawWithRecord(): Subject & { readonly record: SummaryRecord };
}

export const BUDGETS = [300, 1_000, 3_000, 8_000];
const DATA = ["claude-code", "tau-bench", "locomo", "qmsum"] as const;

export function createSubjects(
  conversations: readonly Conversation[],
  { random, cases }: { readonly random: SeededRandom; readonly cases: number },
): Subjects {
  const made = new Map<string, SummaryRecord>();
  const byData = DATA.map((data) => conversations.filter((each) => each.data === data)).filter(
    (list) => list.length > 0,
  );
  const drawWithRecord = (): Subject & { readonly record: SummaryRecord } => {
    const conversation = random.pick(random.pick(byData));
    const budgetTokens = random.pick(BUDGETS);
    const key = `${conversation.data} ${conversation.name} ${budgetTokens}`;
    const record = made.get(key) ?? summarise(conversation.messages, budgetTokens);
    made.set(key, record);
    return { conversation, writer: "code", text: record.text, record, budgetTokens };
  };
  const written = conversations.flatMap((conversation) =>
    conversation.written.map(({ writer, text }) => ({ conversation, writer, text, budgetTokens: text.length })),
  );
  const draw = (): Subject => (written.length > 0 && random.next() < 0.4 ? random.pick(written) : drawWithRecord());
  return { conversations, random, cases, draw, drawWithRecord };
}

function summarise(messages: readonly Message[], budgetTokens: number): SummaryRecord {
  return summarizeOffline(messages, { budgetTokens });
}

/** Returns true if the words are in the text, and not only as a part of longer words. */
export function containsWords(text: string, words: string): boolean {
  const wanted = words.toLowerCase();
  for (let place = text.indexOf(wanted); place >= 0; place = text.indexOf(wanted, place + 1)) {
    const before = text.charAt(place - 1);
    const after = text.charAt(place + wanted.length);
    const isTimed = /\d$/.test(wanted) && /^t\d/.test(text.slice(place + wanted.length, place + wanted.length + 2));
    const isOpen = isTimed || !isNameCharacter(after, wanted.charAt(wanted.length - 1));
    if (isOpen && !isNameCharacter(before, wanted.charAt(0))) return true;
  }
  return false;
}

function isNameCharacter(beside: string, edge: string): boolean {
  return /[\p{L}\p{N}_]/u.test(beside) && /[\p{L}\p{N}_]/u.test(edge);
}

export function roundShare(part: number, whole: number): number {
  return whole === 0 ? 1 : Math.round((part / whole) * 10_000) / 10_000;
}
