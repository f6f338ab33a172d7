/**
 * Generated conversations of any size: people talking, an agent at work, and one huge message. Words are made of
 * syllables, and some are far more common than others, as in any language; there are names, numbers and paths among
 * them. The same seed gives the same conversation.
 */
import type { JsonValue } from "../../src/core/message/json.ts";
import type { Message } from "../../src/core/message/message.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";

export const CONVERSATION_KINDS = ["talk", "agent log", "one message"] as const;

export type SpeedKind = (typeof CONVERSATION_KINDS)[number];

export interface WriteOptions {
  readonly bytes: number;
  readonly seed?: number | undefined;
}

export function writeConversation(kind: SpeedKind, { bytes, seed = 1 }: WriteOptions): readonly Message[] {
  const random = seededRandom(seed);
  switch (kind) {
    case "talk":
      return grow(bytes, (turn) => talkTurn(random, turn));
    case "agent log":
      return grow(bytes, (turn) => workTurn(random, turn));
    case "one message":
      return [{ id: "m0", role: "user", parts: [{ type: "text", text: paste(random, bytes) }] }];
    default:
      return kind satisfies never;
  }
}

/** Bytes of the messages as JSON, as in a log. */
export function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((bytes, message) => bytes + Buffer.byteLength(JSON.stringify(message)), 0);
}

function grow(bytes: number, turn: (index: number) => readonly Message[]): readonly Message[] {
  const messages: Message[] = [];
  let size = 0;
  for (let index = 0; size < bytes; index += 1) {
    const added = turn(index);
    messages.push(...added);
    size += sizeOf(added);
  }
  return messages;
}

const SYLLABLES = "ba ko ri na mel tor vi sun da fe lo qua sti per mo gra ne ti hul dos ka rem pli yo".split(" ");
const LINKS = "the a of to and is in that for it with on was at by we they have not but from this be are".split(" ");
const VOCABULARY = 6_000;

/** Returns the word at this rank of the vocabulary. */
function wordAt(place: number): string {
  const base = SYLLABLES.length;
  let word = SYLLABLES[place % base] ?? "";
  for (let rest = Math.floor(place / base) + 1; rest > 0; rest = Math.floor(rest / base)) {
    word += SYLLABLES[rest % base];
  }
  return word;
}

/** Low ranks are far more common than high ones. */
function word(random: SeededRandom): string {
  return random.next() < 0.4 ? random.pick(LINKS) : wordAt(Math.floor(VOCABULARY * random.next() ** 4));
}

function path(random: SeededRandom): string {
  return `src/${wordAt(random.integer(30))}/${wordAt(random.integer(400))}-${wordAt(random.integer(40))}.ts`;
}

function randomItem(random: SeededRandom): string {
  const kind = random.integer(5);
  if (kind === 0) return path(random);
  if (kind === 1) return String(random.integer(90_000));
  if (kind === 2) return `${wordAt(random.integer(200))}_${wordAt(random.integer(200))}`;
  if (kind === 3) return `${1 + random.integer(28)} March 2024`;
  return `https://example.com/${wordAt(random.integer(900))}/${random.integer(5_000)}`;
}

function sentence(random: SeededRandom): string {
  const words = Array.from({ length: 5 + random.integer(14) }, () => word(random));
  if (random.integer(4) === 0) words.push(randomItem(random));
  const text = words.join(" ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${random.pick([".", ".", ".", "?", "!"])}`;
}

function sentences(random: SeededRandom, most: number): string {
  return Array.from({ length: 1 + random.integer(most) }, () => sentence(random)).join(" ");
}

const START = Date.UTC(2024, 2, 1, 9);
const SPEAKERS = ["Ada", "Ben", "Cem", "Dora"];

function talkTurn(random: SeededRandom, turn: number): readonly Message[] {
  const name = random.pick(SPEAKERS);
  const parts = [{ type: "text", text: sentences(random, 5) } as const];
  return [{ id: `m${turn}`, role: turn % 2 === 0 ? "user" : "assistant", name, saidAt: START + turn * 90_000, parts }];
}

/**
 * The user sends a request from time to time; in between, the agent writes a sentence, calls a tool and reads its
 * result.
 */
function workTurn(random: SeededRandom, turn: number): readonly Message[] {
  const callId = `c${turn}`;
  const saidAt = START + turn * 20_000;
  const ask: Message = { id: `u${turn}`, role: "user", saidAt, parts: [{ type: "text", text: sentences(random, 6) }] };
  const input: JsonValue =
    turn % 3 === 0 ? { command: `grep -n ${word(random)} ${path(random)}` } : { file_path: path(random) };
  const tool = turn % 3 === 0 ? "Bash" : turn % 3 === 1 ? "Read" : "Edit";
  const text = output(random);
  return [
    ...(turn % 12 === 0 ? [ask] : []),
    {
      id: `a${turn}`,
      role: "assistant",
      saidAt: saidAt + 1_000,
      parts: [
        { type: "text", text: sentences(random, 2) },
        { type: "tool-call", callId, tool, input },
      ],
    },
    {
      id: `t${turn}`,
      role: "tool",
      saidAt: saidAt + 2_000,
      parts: [{ type: "tool-result", callId, output: { type: "text", text }, failed: random.integer(9) === 0 }],
    },
  ];
}

function output(random: SeededRandom): string {
  const lines = Array.from({ length: 4 + random.integer(60) }, (_, line) => {
    if (random.integer(3) === 0) return `${path(random)}:${line + 1}: ${sentence(random)}`;
    return `${"  ".repeat(random.integer(4))}const ${word(random)} = ${word(random)}(${randomItem(random)});`;
  });
  return lines.join("\n");
}

/** Paragraphs, lists, code and a log, one after the other. */
function paste(random: SeededRandom, bytes: number): string {
  const blocks: string[] = [];
  let size = 0;
  while (size < bytes) {
    const kind = random.integer(4);
    const block =
      kind < 2 ? sentences(random, 9) : kind === 2 ? `- ${sentence(random)}\n- ${sentence(random)}` : output(random);
    blocks.push(block);
    size += block.length + 2;
  }
  return blocks.join("\n\n");
}
