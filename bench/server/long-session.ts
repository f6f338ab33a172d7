/**
 * One session of a hundred thousand messages without a summary, compared with one of a thousand: how long each request
 * takes, and how long it blocks other clients. Each is sent to a server that has just started on a new copy of the
 * store, so that nothing is cached.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fillStore } from "../store/fill-store.ts";
import { mustBe, roundFigure, type StorePart } from "../store/part.ts";
import { type ServerRequest, toMegabytes } from "./part.ts";
import { type StartedProcess, startServer } from "./start-process.ts";

const SHORT = 1_000;
const LONG = { quick: 10_000, usual: 100_000, long: 100_000 } as const;
const MAX_BLOCK_MS = 50;
const SESSION = "long";
const TICKS_MS = 50;

interface TimedRequest {
  readonly path: string;
  readonly body?: unknown;
}

interface Case {
  readonly name: string;
  /** Requests sent before, which are not measured. */
  readonly before?: readonly TimedRequest[] | undefined;
  readonly asked: TimedRequest;
}

const session = (path: string, body?: unknown): TimedRequest => ({ path: `/api/sessions/${SESSION}/${path}`, body });
const chat = (body: object): TimedRequest => ({ path: "/api/chat", body: { id: SESSION, ...body } });
const say = (id: string): TimedRequest =>
  chat({ message: { id, role: "user", parts: [{ type: "text", text: "What was said of the first one?" }] } });

const CHINESE_CHARACTERS = 340_000;
const LIST_MESSAGES = 1_000;

const CASES: readonly Case[] = [
  { name: "budget, first", asked: session("budget") },
  { name: "strip, first", asked: session("strip?buckets=200") },
  { name: "plan, first", asked: session("plan") },
  { name: "view, first", asked: session("view") },
  { name: "turn, first", asked: say("first") },
  { name: "turn, second", before: [say("first")], asked: say("second") },
  { name: "budget after a turn", before: [say("first")], asked: session("budget") },
  { name: "strip after a turn", before: [say("first")], asked: session("strip?buckets=200") },
  { name: "regenerate after a turn", before: [say("first")], asked: chat({ trigger: "regenerate-message" }) },
  { name: "sync that forks", asked: session("sync", { messages: [{ id: "another", role: "user", content: "No." }] }) },
  {
    name: "append 1 MB of Chinese",
    asked: session("messages", { messages: [{ role: "user", content: chinese(CHINESE_CHARACTERS) }] }),
  },
  { name: "append a list of 3.9 MB", asked: session("messages", { messages: list(LIST_MESSAGES) }) },
];

interface CaseFigures {
  readonly ms: number;
  readonly blockMs: number;
  readonly blockCpuMs: number;
  readonly rssBytes: number;
}

export async function measureLongSession(request: ServerRequest): Promise<StorePart> {
  const long = LONG[request.size];
  const folder = join(request.folder, "long-session");
  mkdirSync(folder);
  const files = { short: join(folder, "short.db"), long: join(folder, "long.db") };
  // The newest session is read when a server starts, so it must not be a measured one.
  const other = { id: "newest", messages: 2 };
  await fillStore({ path: files.short, sessions: [{ id: SESSION, messages: SHORT }, other], say: request.say });
  await fillStore({ path: files.long, sessions: [{ id: SESSION, messages: long }, other], say: request.say });
  const rows: StorePart["rows"][number][] = [];
  const blocks: { readonly name: string; readonly ms: number }[] = [];
  for (const each of CASES) {
    const [few, many] = [await measure(each, files.short), await measure(each, files.long)];
    const held = `blocked ${many.blockMs.toFixed(0)}, computing ${many.blockCpuMs.toFixed(0)}`;
    request.say(`${each.name}: ${few.ms.toFixed(0)} and ${many.ms.toFixed(0)} ms, ${held}`);
    rows.push(rowOf({ name: each.name, long, few, many }));
    blocks.push({ name: each.name, ms: many.blockCpuMs });
  }
  const worst = blocks.reduce((left, right) => (right.ms > left.ms ? right : left));
  const text = `long session: longest computation without a yield at ${long} messages`;
  return {
    rows,
    musts: [mustBe({ text, value: worst.ms, unit: " ms", atMost: MAX_BLOCK_MS, beside: worst.name })],
    notes: [
      `long session: each case on a server that has just started, once; blockMs is the longest delay of a timer of 10 ms while it was answered, blockCpuMs the most that the main thread computed between two of its ticks, which the must limits; ratio is the time at ${long} messages to that at ${SHORT}`,
    ],
  };
}

interface Row {
  readonly name: string;
  readonly long: number;
  readonly few: CaseFigures;
  readonly many: CaseFigures;
}

function rowOf({ name, long, few, many }: Row): StorePart["rows"][number] {
  return {
    part: "long-session",
    case: name,
    messages: long,
    ms: roundFigure(many.ms),
    blockMs: roundFigure(many.blockMs),
    blockCpuMs: roundFigure(many.blockCpuMs),
    msAtFew: roundFigure(few.ms),
    blockMsAtFew: roundFigure(few.blockMs),
    ratio: roundFigure(many.ms / few.ms),
    rssEndMb: toMegabytes(many.rssBytes),
  };
}

async function measure({ before = [], asked }: Case, filled: string): Promise<CaseFigures> {
  const path = `${filled}.copy`;
  copyFileSync(filled, path);
  const server = await startServer({ store: `sqlite:${path}`, home: `${filled}.home` });
  try {
    // Loading the server's own code in the first request is not counted.
    await ask(server, { path: "/api/sessions" });
    for (const each of before) await ask(server, each);
    await server.readFigures();
    // After a reset, the timer counts only from its second tick.
    await pause(TICKS_MS);
    const startedAt = performance.now();
    await ask(server, asked);
    const ms = performance.now() - startedAt;
    const { loopMaxMs, loopMaxCpuMs, rssBytes } = await server.readFigures();
    return { ms, blockMs: loopMaxMs, blockCpuMs: loopMaxCpuMs, rssBytes };
  } finally {
    await server.end();
  }
}

async function ask({ url }: StartedProcess, { path, body }: TimedRequest): Promise<void> {
  const headers = { "content-type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, sent);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
}

function chinese(characters: number): string {
  const first = 0x4e00;
  const signs = 3_000;
  const sign = (_: unknown, index: number) => String.fromCharCode(first + ((index * 7_919) % signs));
  return Array.from({ length: characters }, sign).join("");
}

function list(messages: number): readonly object[] {
  return Array.from({ length: messages }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index}. ${"It is heavy and blue, and it went to the shelf. ".repeat(80)}`,
  }));
}
