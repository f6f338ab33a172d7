/** Starts a whole server on its own socket, with the offline model by default, and a simple client. */

import { SOCKET_LIMITS } from "../../src/server/app/listen.ts";
import type { RequestLog } from "../../src/server/http/request-log.ts";
import type { ChatModel } from "../../src/server/prompts/chat-model.ts";
import type { ServerOptions } from "../../src/server/server-options.ts";
import { type RunningServer, startServer } from "../../src/server/start.ts";

import { checkAnswer } from "./check-answer.ts";

export interface TestServer extends AsyncDisposable {
  readonly server: RunningServer;
  readonly url: string;
  /** Log lines, oldest first. */
  readonly logged: readonly LoggedLine[];
  /** Sends a request with a body of JSON, and parses the response if it is JSON. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<TestResponse>;
}

export interface LoggedLine {
  readonly kind: "answered" | "audit" | "failed" | "note";
  readonly line: unknown;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response.
  readonly body: any;
}

/** On a busy machine a test may be idle for longer than the usual limits, and then use its connection again. */
const PATIENT = { ...SOCKET_LIMITS, idleMs: 600_000, headMs: 600_000 };

export async function startTestServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const logged: LoggedLine[] = [];
  const log: RequestLog = {
    answered: (line) => logged.push({ kind: "answered", line }),
    audit: (line) => logged.push({ kind: "audit", line }),
    note: (text, fields) => logged.push({ kind: "note", line: { text, ...fields } }),
    failed: (requestId, error) => logged.push({ kind: "failed", line: { requestId, error } }),
  };
  const models: readonly ChatModel[] = options.models ?? [];
  const limits = { ...options.limits, socket: options.limits?.socket ?? PATIENT };
  const server = await startServer({ store: "memory:", version: "0.0.0", log, ...options, limits, models });
  return {
    server,
    url: server.url,
    logged,
    async ask(method, path, body, headers = {}) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
      const answered = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
      if (isJson) checkAnswer({ method, path }, answered);
      return answered;
    },
    [Symbol.asyncDispose]: () => server.close({ withinMs: 1_000 }),
  };
}
