/**
 * Reads chats of the LoCoMo data set: two people over many dated sessions, questions with answers, and a model's notes.
 * Questions that an audit found faulty are dropped or corrected.
 */
import type { Message } from "../../src/core/message/message.ts";
import { type Json, listJson, listOf, objectOf, readJson } from "./read-json.ts";

export interface Question {
  readonly category: number;
  readonly question: string;
  readonly answer: string;
  /** The ids of the messages with the answer; those of the audit if it corrected them. */
  readonly evidence: readonly string[];
}

interface Sitting {
  /** As in the data: "1:56 pm on 8 May, 2023". */
  readonly date: string;
  readonly turns: readonly Turn[];
}

interface Turn {
  readonly speaker: string;
  readonly text: string;
}

export interface Chat {
  readonly name: string;
  readonly sittings: readonly Sitting[];
  readonly messages: readonly Message[];
  readonly questions: readonly Question[];
  /** A model's notes about the chat, one line each. */
  readonly observations: readonly string[];
  readonly sessionSummaries: readonly string[];
}

interface ChatData {
  readonly chats: readonly Chat[];
  readonly notes: readonly string[];
}

export function readLocomo(folder: string): ChatData | undefined {
  const files = listJson(folder).filter((file) => !file.startsWith("audit"));
  const audits = listJson(folder).filter((file) => file.startsWith("audit"));
  if (files.length === 0) return undefined;
  const audit = new Map<string, Json>();
  for (const file of audits) {
    for (const item of listOf(readJson(folder, file))) audit.set(String(item.question_id), item);
  }
  const tally: AnswerCount = { dropped: [], corrected: [] };
  const samples = files.flatMap((file) => listOf(readJson(folder, file)));
  const chats = samples.map((sample, index) => readChat(sample, { index, audit, tally }));
  return { chats, notes: describe(tally) };
}

interface AnswerCount {
  readonly dropped: string[];
  readonly corrected: string[];
}

interface ChatOptions {
  readonly index: number;
  readonly audit: ReadonlyMap<string, Json>;
  readonly tally: AnswerCount;
}

function readChat(sample: Json, { index, audit, tally }: ChatOptions): Chat {
  const sittings = readSittings(objectOf(sample.conversation));
  const questions = listOf(sample.qa).flatMap((item, place): readonly Question[] => {
    const id = `locomo_${index}_qa${place}`;
    const category = Number(item.category);
    if (category === ADVERSARIAL || item.answer === undefined) return [];
    const question = String(item.question);
    const answer = auditedAnswer(String(item.answer), { id, fault: audit.get(id), tally });
    const evidence = readEvidence(audit.get(id)?.correct_evidence ?? item.evidence);
    return answer === undefined ? [] : [{ category, question, answer, evidence }];
  });
  return {
    name: String(sample.sample_id ?? index),
    sittings,
    messages: sittings.flatMap((sitting, place) => messagesOf(sitting, place + 1)),
    questions,
    observations: readObservations(objectOf(sample.observation)),
    sessionSummaries: readBySession(objectOf(sample.session_summary)).map(String),
  };
}

/** Some entries name several messages. */
function readEvidence(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((item) => String(item).match(/D\d+:\d+/g) ?? []) : [];
}

const ADVERSARIAL = 5;

/** Faults that make an answer impossible to find; other faults only cite the wrong turn. */
const DROPPED_FAULTS: ReadonlySet<string> = new Set(["ATTRIBUTION_ERROR", "AMBIGUOUS"]);
const CORRECTED_FAULTS: ReadonlySet<string> = new Set(["HALLUCINATION", "TEMPORAL_ERROR", "INCOMPLETE"]);

interface AuditOptions {
  readonly id: string;
  readonly fault: Json | undefined;
  readonly tally: AnswerCount;
}

function auditedAnswer(answer: string, { id, fault, tally }: AuditOptions): string | undefined {
  const type = String(fault?.error_type ?? "");
  if (DROPPED_FAULTS.has(type)) {
    tally.dropped.push(id);
    return undefined;
  }
  if (!CORRECTED_FAULTS.has(type)) return answer;
  tally.corrected.push(id);
  // Some corrections have an explanation in brackets, which is not part of the answer.
  const correct = String(fault?.correct_answer ?? answer).replace(/\s*\([^)]*\)/g, "");
  return correct.trim() === "" ? answer : correct.trim();
}

function describe({ dropped, corrected }: AnswerCount): readonly string[] {
  const shorten = (ids: readonly string[]): string => ids.map((id) => id.replace("locomo_", "")).join(", ");
  return [
    `People: questions dropped by the audit (chat_question): ${shorten(dropped) || "none"}; ` +
      `given the audit's answer: ${shorten(corrected) || "none"}. Wrong citations do not matter here.`,
  ];
}

function readSittings(conversation: Json): readonly Sitting[] {
  const sittings: Sitting[] = [];
  for (let number = 1; number <= MAX_SITTINGS; number += 1) {
    const turns = conversation[`session_${number}`];
    if (!Array.isArray(turns)) continue;
    sittings.push({ date: String(conversation[`session_${number}_date_time`]), turns: listOf(turns).map(readTurn) });
  }
  return sittings;
}

const MAX_SITTINGS = 100;

/** Pictures are described in the data as text, and are used as text. */
function readTurn(turn: Json): Turn {
  const caption = turn.blip_caption;
  const text = String(turn.text);
  return {
    speaker: String(turn.speaker),
    text: caption === undefined ? text : `${text} [shows ${String(caption)}]`,
  };
}

function messagesOf({ date, turns }: Sitting, number: number): readonly Message[] {
  const saidAt = readInstant(date);
  const first = turns[0]?.speaker;
  return turns.map(({ speaker, text }, index) => ({
    id: `D${number}:${index + 1}`,
    role: speaker === first ? "user" : "assistant",
    name: speaker,
    parts: [{ type: "text", text }],
    ...(saidAt === undefined ? {} : { saidAt: saidAt + index * 1_000 }),
  }));
}

const DATE = /(\d{1,2}):(\d{2}) (am|pm) on (\d{1,2}) ([A-Z][a-z]+),? (\d{4})/;
const MONTHS = "January February March April May June July August September October November December".split(" ");

function readInstant(date: string): number | undefined {
  const found = DATE.exec(date);
  if (found === null) return undefined;
  const [, hour, minute, half, day, month = "", year] = found;
  const hours = (Number(hour) % 12) + (half === "pm" ? 12 : 0);
  return Date.UTC(Number(year), MONTHS.indexOf(month), Number(day), hours, Number(minute));
}

function readObservations(observation: Json): readonly string[] {
  return readBySession(observation).flatMap((session) =>
    Object.values(objectOf(session)).flatMap((list) =>
      Array.isArray(list) ? list.map((item: unknown) => String(Array.isArray(item) ? item[0] : item)) : [],
    ),
  );
}

/** Returns the values in the order of the sessions. */
function readBySession(values: Json): readonly unknown[] {
  return Object.entries(values)
    .map(([key, value]) => ({ number: Number(/\d+/.exec(key)?.[0] ?? 0), value }))
    .sort((left, right) => left.number - right.number)
    .map(({ value }) => value);
}
