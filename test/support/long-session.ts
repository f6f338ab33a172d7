/** A session of any length, written in bulk over HTTP, with distinct lines and rare words. */
import type { TestServer } from "./start-server.ts";

export interface LongSession {
  readonly id: string;
  readonly messages: number;
  /** Seqs of messages that contain the word `heron`. */
  readonly herons?: readonly number[] | undefined;
}

/** The server's limit for one request. */
const BATCH = 500;

export async function writeLongSession({ ask }: TestServer, session: LongSession): Promise<void> {
  const { id, messages, herons = [] } = session;
  require(await ask("POST", "/api/sessions", { id, title: `A talk of ${messages} messages` }));
  const places = new Set(herons);
  for (let first = 1; first <= messages; first += BATCH) {
    const count = Math.min(BATCH, messages - first + 1);
    const batch = Array.from({ length: count }, (_, index) => lineOf(first + index, places.has(first + index)));
    require(await ask("POST", `/api/sessions/${id}/messages`, { messages: batch }));
  }
}

function lineOf(place: number, hasHeron: boolean): object {
  const rest = "Somebody has looked at it and written that down. ".repeat(place % 5);
  const heron = hasHeron ? " A heron sits on it." : "";
  const content = `Line ${place}: crate ${4_000 + place} stands in shed ${place % 7}.${heron} ${rest}`.trim();
  return { id: `m${place}`, role: place % 2 === 1 ? "user" : "assistant", content };
}

function require({ status, body }: { readonly status: number; readonly body: unknown }): void {
  if (status !== 200) throw new Error(`The session was not written: ${status} ${JSON.stringify(body)}`);
}
