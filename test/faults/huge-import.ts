/**
 * Imports that do not fit into memory, into a separate server: every surface answers afterwards, the process stays
 * small, no step is long, and a second client is answered in the meantime.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import { type StartedProcess, startServer } from "../../bench/server/start-process.ts";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

/** How many megabytes more than the idle server the process may use. */
const MAX_MEGABYTES = 300;
/** CPU time of the server between two turns of its event loop. */
const MAX_STEP_MS = 50;
const PIECE_MESSAGES = 100;
const PATHS = ["view", "plan", "strip", "budget", "usage", "messages", "entries", "export"];
const JSON_TYPE = { "content-type": "application/json" };
const LONG_CHARACTERS = 1_500;
const LONG_TEXT = "The crate is heavy and blue, and it leaves for Lyon. ".repeat(29).slice(0, LONG_CHARACTERS);
const SESSIONS = 6;
const SESSION_MESSAGES = 19_000;
const RETRY_MS = 1_000;

type HugeOptions = Pick<FaultOptions, "rounds" | "onProgress">;

/** A round is a thousand messages. */
export function importHugeSession(folder: TemporaryFolder, { rounds, onProgress }: HugeOptions): Promise<FaultResult> {
  return withServer({ name: "huge import", rounds, folder, onProgress }, async (server) => {
    const count = await server.importMessages("short", rounds * 1_000, "hi");
    await askEverything(server, "short");
    return count;
  });
}

/** A round is a hundred messages, because an import may have a gigabyte. */
export function importLongMessages(folder: TemporaryFolder, { rounds, onProgress }: HugeOptions): Promise<FaultResult> {
  return withServer({ name: "huge import, long messages", rounds, folder, onProgress }, async (server) => {
    const count = await server.importMessages("long", rounds * 100, LONG_TEXT);
    await askEverything(server, "long");
    return count;
  });
}

/** Several sessions of up to 19,000 messages are read for the first time, all at once. */
export function readSessionsAtOnce(folder: TemporaryFolder, { rounds, onProgress }: HugeOptions): Promise<FaultResult> {
  return withServer({ name: "sessions at once", rounds, folder, onProgress }, async (server) => {
    const ids = Array.from({ length: SESSIONS }, (_, index) => `session-${index}`);
    let count = 0;
    for (const id of ids) {
      count += await server.importMessages(id, Math.min(rounds * 100, SESSION_MESSAGES), LONG_TEXT);
    }
    const askAll = async (id: string) => {
      await Promise.all(
        ["view", "plan", "budget", "strip"].map((path) => server.ask(path, `/api/sessions/${id}/${path}`)),
      );
      await server.ask("prompts", `/api/sessions/${id}/prompts`, { method: "POST", headers: JSON_TYPE, body: ["{}"] });
    };
    await Promise.all(ids.map(askAll));
    return count;
  });
}

async function askEverything(server: AskedServer, id: string): Promise<void> {
  const session = `/api/sessions/${id}`;
  for (const path of PATHS) await server.ask(path, `${session}/${path}`);
  await server.ask("prompts", `${session}/prompts`, { method: "POST", headers: JSON_TYPE, body: ["{}"] });
  await server.ask("delete", session, { method: "DELETE" });
}

interface AskedServer {
  readonly ask: SendRequest;
  /** Returns the number of imported messages. */
  importMessages(id: string, count: number, text: string): Promise<number>;
}

interface ServerRun extends HugeOptions {
  readonly name: string;
  readonly folder: TemporaryFolder;
}

/** Runs work on a server of its own. The work returns the number of messages that it has imported. */
async function withServer(
  { name, rounds, folder, onProgress }: ServerRun,
  work: (server: AskedServer) => Promise<number>,
): Promise<FaultResult> {
  const server = await startServer({ store: `sqlite:${folder.newPath()}`, home: folder.newPath() });
  const violations: string[] = [];
  try {
    await pause(1_000);
    const idle = (await server.readFigures()).rssBytes;
    await warmUp(server.url);
    await server.readFigures();
    const watch = watchServer(server);
    const ask = createAsker(server.url, violations, onProgress);
    const importMessages = async (id: string, count: number, text: string): Promise<number> => {
      const headers = { "content-type": "application/x-ndjson" };
      const sent = { method: "POST", headers, body: repeatLines(count, text) };
      const { text: answer } = await ask("import", `/api/sessions/import?id=${id}`, sent);
      const { messages = 0 } = JSON.parse(answer || "{}");
      if (messages !== count) violations.push(`${messages} of ${count} messages were imported`);
      return messages;
    };
    const acknowledged = await work({ ask, importMessages });
    const { bytes, longestMs, stepMs } = await watch.stop();
    const above = Math.round((bytes - idle) / 2 ** 20);
    if (above > MAX_MEGABYTES) violations.push(`${above} MB above the idle server, ${MAX_MEGABYTES} are allowed`);
    if (stepMs > MAX_STEP_MS) violations.push(`a step took ${Math.round(stepMs)} ms, ${MAX_STEP_MS} are allowed`);
    const waited = `another client waited ${Math.round(longestMs)} ms at most`;
    const remarks = `${above} MB above the idle server; longest step ${Math.round(stepMs)} ms of CPU time; ${waited}`;
    return { name, rounds, acknowledged, lost: 0, duplicated: 0, violations, remarks };
  } finally {
    await server.end();
  }
}

/** Folds a short session, because the first fold of a process loads modules and compiles patterns. */
async function warmUp(url: string): Promise<void> {
  const lines = [...repeatLines(100, LONG_TEXT)].join("");
  const sent = { method: "POST", headers: { "content-type": "application/x-ndjson" }, body: [lines] };
  await send(`${url}/api/sessions/import?id=warm-up`, sent);
  await send(`${url}/api/sessions/warm-up/view`, {});
  await send(`${url}/api/sessions/warm-up`, { method: "DELETE" });
}

function* repeatLines(count: number, text: string): Generator<string> {
  for (let start = 0; start < count; start += PIECE_MESSAGES) {
    const length = Math.min(PIECE_MESSAGES, count - start);
    const lines = Array.from({ length }, (_, index) => JSON.stringify(messageAt(start + index, text)));
    yield `${lines.join("\n")}\n`;
  }
}

function messageAt(index: number, text: string): object {
  if (text.length < LONG_CHARACTERS) return { role: "user", content: text };
  return { role: index % 2 === 0 ? "user" : "assistant", content: `${index}. ${text}` };
}

interface SentRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Iterable<string>;
}

type SendRequest = (name: string, path: string, sent?: SentRequest) => Promise<{ readonly text: string }>;

/** Returns a function that sends a request, and repeats it while the server answers that it is catching up. */
function createAsker(url: string, violations: string[], onProgress: (text: string) => void): SendRequest {
  const ask: SendRequest = async (name, path, sent = {}) => {
    const { status, start, bytes } = await send(`${url}${path}`, sent).catch((error: unknown) => {
      violations.push(`${name}: ${String(error)}`);
      return { status: 200, start: "", bytes: 0 };
    });
    if (status === 503 && start.includes('"catching-up"')) {
      onProgress(`${name}: ${start.slice(0, 200)}`);
      await pause(RETRY_MS);
      return ask(name, path, sent);
    }
    if (status !== 200) violations.push(`${name}: ${status} ${start.slice(0, 200)}`);
    onProgress(`${name}: ${status}, ${bytes} bytes`);
    return { text: start };
  };
  return ask;
}

/** Returns the status, the start and the length of an answer. Unlike `fetch` it waits longer than five minutes. */
async function send(url: string, { method = "GET", headers = {}, body = [] }: SentRequest) {
  const sent = request(url, { method, headers });
  Readable.from(body).pipe(sent);
  const [response]: [IncomingMessage] = (await once(sent, "response")) as never;
  let [start, bytes] = ["", 0];
  for await (const chunk of response) {
    bytes += chunk.length;
    if (start.length < 1_000) start += String(chunk);
  }
  return { status: response.statusCode ?? 0, start, bytes };
}

/** Measures the server's memory and its longest step, and how long another client waits for its list of sessions. */
function watchServer(server: StartedProcess) {
  let [isOver, bytes, longestMs, stepMs] = [false, 0, 0, 0];
  const watching = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await fetch(`${server.url}/api/sessions?limit=1`).then(
        (answer) => answer.text(),
        () => undefined,
      );
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      const figures = await server.readFigures();
      bytes = Math.max(bytes, figures.rssBytes);
      stepMs = Math.max(stepMs, figures.loopMaxCpuMs);
      await pause(50);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      return { bytes, longestMs, stepMs };
    },
  };
}

/** Returns the memory of a process, or 0 if the system does not report it. */
export function readMegabytes(pid: number | undefined): number {
  try {
    const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    return 0;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
