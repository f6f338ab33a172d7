/**
 * An import that does not fit into memory, into a separate server: every surface answers afterwards, the process stays
 * small, and a second client is answered meanwhile.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { Readable } from "node:stream";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import { startCli } from "../support/start-cli.ts";
import type { FaultOptions, Tally } from "./fault.ts";

/** How many megabytes more than the idle server the process may use. */
const MAX_MEGABYTES = 300;
const MESSAGES_PER_ROUND = 1_000;
const LINE = '{"role":"user","content":"hi"}\n';
const PATHS = ["view", "plan", "strip", "budget", "usage", "messages", "entries", "export"];

/** A round is a thousand messages. */
export async function importHugeSession(
  folder: TemporaryFolder,
  { rounds, onProgress }: Pick<FaultOptions, "rounds" | "onProgress">,
): Promise<Tally> {
  const count = rounds * MESSAGES_PER_ROUND;
  const { child, out } = startCli(["serve", "--port", "0", "--json", "--home", folder.newPath()]);
  const violations: string[] = [];
  try {
    while (!out().includes("\n")) await pause(50);
    const { url }: { readonly url: string } = JSON.parse(out());
    await pause(1_000);
    const idle = readMegabytes(child.pid);
    const watch = watchServer(url, child.pid);
    const ask = createAsker(url, violations, onProgress);
    const imported = await ask("import", "/api/sessions/import-messages", {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: repeatLines(rounds),
    });
    const { sessionId = "", messages = 0 } = JSON.parse(imported.text || "{}");
    if (messages !== count) violations.push(`${messages} of ${count} messages were imported`);
    const session = `/api/sessions/${sessionId}`;
    for (const path of PATHS) await ask(path, `${session}/${path}`);
    const json = { "content-type": "application/json" };
    await ask("prompts", `${session}/prompts`, { method: "POST", headers: json, body: [Buffer.from("{}")] });
    await ask("delete", session, { method: "DELETE" });
    const { megabytes, longestMs } = watch.stop();
    const above = Math.round(megabytes - idle);
    if (above > MAX_MEGABYTES) violations.push(`${above} MB above the idle server, ${MAX_MEGABYTES} are allowed`);
    const remarks = `${above} MB above the idle server; another client waited ${Math.round(longestMs)} ms at most`;
    return { name: "huge import", rounds, acknowledged: messages, lost: 0, duplicated: 0, violations, remarks };
  } finally {
    child.kill("SIGKILL");
  }
}

function* repeatLines(rounds: number): Generator<Buffer> {
  const piece = Buffer.from(LINE.repeat(MESSAGES_PER_ROUND));
  for (let round = 0; round < rounds; round += 1) yield piece;
}

interface SentRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Iterable<Buffer>;
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

/** Measures the server's memory, and how long another client waits for its list of sessions. */
function watchServer(url: string, pid: number | undefined) {
  let [isOver, megabytes, longestMs] = [false, 0, 0];
  void (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await fetch(`${url}/api/sessions?limit=1`).then(
        (answer) => answer.text(),
        () => undefined,
      );
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      megabytes = Math.max(megabytes, readMegabytes(pid));
      await pause(50);
    }
  })();
  return {
    stop() {
      isOver = true;
      return { megabytes, longestMs };
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
