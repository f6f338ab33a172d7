/**
 * Conversations and texts about them: recorded work, customers and an agent, friends over months, meetings, with the
 * summaries of people and models that the data has. Long work is cut into stretches, because a case is one verification
 * of one stretch.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FORMATS } from "../../src/core/message/formats/formats.ts";
import type { Message, Role } from "../../src/core/message/message.ts";
import { parseSession } from "../cost/read-sessions.ts";

export interface WrittenText {
  readonly writer: "model" | "human";
  /** The kind of text in that data set. */
  readonly label: string;
  readonly text: string;
}

export interface Conversation {
  readonly data: "claude-code" | "tau-bench" | "locomo" | "qmsum";
  readonly name: string;
  readonly messages: readonly Message[];
  readonly written: readonly WrittenText[];
  /** Everything in the conversation, with calls, results and times, as a reader would see it. */
  readonly sourceText: string;
}

export function readConversations(dataFolder: string, quick: boolean): readonly Conversation[] {
  const take = quick ? 6 : Number.POSITIVE_INFINITY;
  return [
    ...readWork(join(dataFolder, "claude-code"), take),
    ...readCustomers(join(dataFolder, "tau-bench"), take * 2),
    ...readFriends(join(dataFolder, "locomo")),
    ...readMeetings(join(dataFolder, "qmsum", "val"), take),
  ];
}

const STRETCH_CHARACTERS = 60_000;
const MIN_MESSAGES = 8;

function readWork(folder: string, take: number): readonly Conversation[] {
  return filesOf(folder, ".jsonl")
    .slice(0, take)
    .flatMap((file) => {
      const { name, messages, compactions } = parseSession(readFileSync(join(folder, file), "utf8"), file.slice(0, 8));
      const written = compactions.flatMap(({ index, summary }) => {
        const text = (summary?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
        return text === ""
          ? []
          : [aConversation("claude-code", `${name} to ${index}`, messages.slice(0, index), [text])];
      });
      return [...cutStretches(messages, name), ...written];
    });
}

function cutStretches(messages: readonly Message[], name: string): readonly Conversation[] {
  const stretches: Conversation[] = [];
  let stretch: Message[] = [];
  let characters = 0;
  for (const [index, message] of messages.entries()) {
    const length = JSON.stringify(message.parts).length;
    const isNext = message.role !== "tool" && characters + length > STRETCH_CHARACTERS;
    if (isNext || index === messages.length - 1) {
      if (stretch.length >= MIN_MESSAGES) stretches.push(aConversation("claude-code", `${name} at ${index}`, stretch));
      stretch = [];
      characters = 0;
    }
    stretch.push(message);
    characters += length;
  }
  return stretches;
}

function aConversation(
  data: Conversation["data"],
  name: string,
  messages: readonly Message[],
  summaries: readonly string[] = [],
): Conversation {
  const written = summaries.map((text) => ({ writer: "model" as const, label: "own compaction", text }));
  return { data, name, messages, written, sourceText: textOf(messages) };
}

function readCustomers(folder: string, take: number): readonly Conversation[] {
  return filesOf(folder, ".json").flatMap((file) => {
    const trajectories = listOf(JSON.parse(readFileSync(join(folder, file), "utf8")));
    return trajectories.slice(0, take).map((trajectory, number) => {
      const items = listOf(objectOf(trajectory).traj).filter((item) => objectOf(item).role !== "system");
      const messages = items.flatMap((item, index) =>
        FORMATS["openai-chat"].decode(item, { path: `traj[${index}]`, fallbackId: `m${index}` }),
      );
      return aConversation("tau-bench", `${file} ${number}`, messages);
    });
  });
}

function readFriends(folder: string): readonly Conversation[] {
  return filesOf(folder, ".json")
    .filter((file) => !file.startsWith("audit"))
    .flatMap((file) => listOf(JSON.parse(readFileSync(join(folder, file), "utf8"))).map(readChat));
}

function readChat(value: unknown, number: number): Conversation {
  const { conversation, observation, session_summary, qa } = objectOf(value);
  const chat = objectOf(conversation);
  const messages: Message[] = [];
  for (let sitting = 1; chat[`session_${sitting}`] !== undefined; sitting += 1) {
    const saidAt = parseSitting(String(chat[`session_${sitting}_date_time`] ?? ""));
    for (const turn of listOf(chat[`session_${sitting}`])) {
      const { speaker, text, dia_id: id, blip_caption: caption } = objectOf(turn);
      const role: Role = speaker === chat.speaker_a ? "user" : "assistant";
      const shown = typeof caption === "string" ? ` [shares a picture: ${caption}]` : "";
      const parts = [{ type: "text" as const, text: `${String(text)}${shown}` }];
      messages.push({
        id: String(id),
        role,
        name: String(speaker),
        parts,
        ...(saidAt === undefined ? {} : { saidAt }),
      });
    }
  }
  const observed = Object.values(objectOf(observation)).map((sitting) =>
    Object.values(objectOf(sitting))
      .flatMap((list) => listOf(list).map((item) => String(listOf(item)[0])))
      .join("\n"),
  );
  const written = [
    ...observed.map((text) => ({ writer: "model" as const, label: "observation", text })),
    ...Object.values(objectOf(session_summary)).map((text) => ({
      writer: "model" as const,
      label: "session summary",
      text: String(text),
    })),
    ...listOf(qa).flatMap(readAnswer),
  ];
  return { data: "locomo", name: `chat ${number}`, messages, written, sourceText: textOf(messages) };
}

/** A question with its answer is a statement about the chat. The last kind of question has no answer there. */
function readAnswer(item: unknown): readonly WrittenText[] {
  const { question, answer, category } = objectOf(item);
  if (answer === undefined || category === UNANSWERABLE) return [];
  const text = `${String(question).replace(/\?\s*$/, "")}: ${String(answer)}`;
  return [{ writer: "human", label: "question with answer", text }];
}

const UNANSWERABLE = 5;

/** Parses a time such as "1:56 pm on 8 May, 2023". */
function parseSitting(text: string): number | undefined {
  const match = /^(\d{1,2}):(\d{2}) ([ap]m) on (\d{1,2} \w+), (\d{4})$/.exec(text.trim());
  if (match === null) return undefined;
  const [, hours, minutes, half, day, year] = match;
  const midnight = Date.parse(`${day} ${year} 00:00:00 UTC`);
  const hour = (Number(hours) % 12) + (half === "pm" ? 12 : 0);
  return Number.isNaN(midnight) ? undefined : midnight + (hour * 60 + Number(minutes)) * 60_000;
}

function readMeetings(folder: string, take: number): readonly Conversation[] {
  return filesOf(folder, ".json")
    .slice(0, take)
    .map((file) => {
      const meeting = objectOf(JSON.parse(readFileSync(join(folder, file), "utf8")));
      const messages = listOf(meeting.meeting_transcripts).map((turn, index): Message => {
        const { speaker, content } = objectOf(turn);
        const parts = [{ type: "text" as const, text: String(content) }];
        return { id: `t${index}`, role: "user", name: String(speaker), parts };
      });
      const answers = (list: unknown, label: string): readonly WrittenText[] =>
        listOf(list).map((query) => ({ writer: "human", label, text: String(objectOf(query).answer) }));
      const written = [
        ...answers(meeting.specific_query_list, "answer"),
        ...answers(meeting.general_query_list, "answer"),
      ];
      return { data: "qmsum", name: file, messages, written, sourceText: textOf(messages) };
    });
}

/** Returns each message with its time, its name and its text; other parts as their keys and values. */
function textOf(messages: readonly Message[]): string {
  return messages
    .map((message) => {
      const words = message.parts.map((part) => (part.type === "text" ? part.text : leavesOf(part))).join("\n");
      return `${whenOf(message.saidAt)} ${message.name ?? ""}: ${words}`;
    })
    .join("\n");
}

function whenOf(saidAt: number | undefined): string {
  if (saidAt === undefined) return "";
  const date = new Date(saidAt);
  const day = date.getUTCDate();
  const month = MONTHS[date.getUTCMonth()] ?? "";
  const year = date.getUTCFullYear();
  const iso = date.toISOString();
  return `${iso.slice(0, 16).replace("T", " ")} ${day} ${month} ${year}, ${month} ${day}, ${year}`;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");

function leavesOf(value: unknown): string {
  const leaves: string[] = [];
  const open: unknown[] = [value];
  for (let item = open.pop(); item !== undefined || open.length > 0; item = open.pop()) {
    if (typeof item === "string" || typeof item === "number") leaves.push(String(item));
    else if (typeof item === "object" && item !== null) {
      for (const [key, field] of Object.entries(item)) {
        leaves.push(key);
        open.push(field ?? "");
      }
    }
  }
  return leaves.join("\n");
}

function filesOf(folder: string, ending: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .toSorted();
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
