/**
 * The clients of a storm. Each repeats its step until the storm has ended, whatever the server does in the meantime.
 */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import { PIXEL } from "../support/pixel.ts";
import { startCli } from "../support/start-cli.ts";
import type { StormLedger } from "./storm-ledger.ts";

export interface Storm {
  readonly port: number;
  readonly home: string;
  readonly ledger: StormLedger;
  readonly random: SeededRandom;
  /** Tokens of the roles in use. */
  readonly tokens: Readonly<Record<"owner" | "reader" | "stranger", string>>;
  isOver(): boolean;
  /** How often the server was started. */
  lives(): number;
  /** How long the server that runs now has waited for a processor. */
  readRunDelayMs(): number;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Empty if the body is not a JSON object. */
  readonly body: AnswerBody;
}

interface AnswerBody {
  readonly error?: { readonly code: string } | undefined;
  readonly sessionId?: string | undefined;
  readonly messageCount?: number | undefined;
  readonly reference?: string | undefined;
  readonly report?: { readonly tokens: number } | undefined;
  readonly entries?: readonly { readonly id: string; readonly seq: number }[] | undefined;
}

export interface RequestOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly type?: string | undefined;
  readonly withinMs?: number | undefined;
}

/** A session that exists before the storm starts. */
export const IMAGE_SESSION = "images";
const TIMEOUT_MS = 60_000;
const RETRY_MS = 100;
const BUDGET_TOKENS = 4_000;
const MESSAGES_PER_SESSION = 80;
const IMPORTED_MESSAGES = 26_000;
const OVERSIZE_BYTES = 6_000_000;
const IDLE_CONNECTIONS = 50;
const IDLE_MS = 30_000;
/** Limit for an idle connection, apart from the time in which the server waited for a processor. */
const MAX_IDLE_MS = 20_000;
const TURN_MS = 15_000;
const FOLLOWS_MS = 5_000;
/** Answers of a server that is busy, full, starting or shutting down: the client tries again. */
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 503, 507]);

/** Sends one request. Undefined means that the connection failed, and that the outcome is unknown. */
export async function sendRequest(
  storm: Storm,
  line: string,
  options: RequestOptions = {},
): Promise<Answer | undefined> {
  const [method = "GET", path = "/"] = line.split(" ");
  const { token = storm.tokens.owner, body, type = "application/json", withinMs = TIMEOUT_MS } = options;
  const isText = typeof body === "string" || body instanceof Uint8Array;
  try {
    const response = await fetch(`http://127.0.0.1:${storm.port}${path}`, {
      method,
      headers: {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": type }),
      },
      ...(body === undefined ? {} : { body: isText ? (body as string) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(withinMs),
    });
    const text = await response.text();
    return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : {} };
  } catch {
    storm.ledger.count("connections lost or refused");
    return undefined;
  }
}

/** Repeats a request until the server accepts it or finally refuses it. Undefined when the storm has ended. */
export async function askUntilAccepted(
  storm: Storm,
  line: string,
  options: RequestOptions = {},
): Promise<Answer | undefined> {
  while (!storm.isOver()) {
    const answer = await sendRequest(storm, line, options);
    if (answer !== undefined && !RETRIED_STATUSES.has(answer.status)) return answer;
    if (answer !== undefined) storm.ledger.count(`answers ${answer.status} ${answer.body.error?.code}`);
    await pause(RETRY_MS);
  }
  return undefined;
}

function expectStatus({ ledger }: Storm, line: string, answer: Answer | undefined, ...statuses: number[]): boolean {
  if (answer === undefined) return false;
  if (statuses.includes(answer.status)) return true;
  ledger.reportViolation(`${line}: ${answer.status} ${answer.text.slice(0, 300)}`);
  return false;
}

function words({ random }: Storm, most: number): string {
  return Array.from({ length: 1 + random.integer(most) }, () => `word${random.integer(5_000)}`).join(" ");
}

/** Appends to its own sessions, and requests a prompt after every fourth message. */
export async function writeMessages(storm: Storm, name: string): Promise<void> {
  for (let part = 0; !storm.isOver(); part += 1) {
    const session = `${name}.${part}`;
    const created = await askUntilAccepted(storm, "POST /api/sessions", { body: { id: session } });
    if (!expectStatus(storm, "create", created, 200, 201, 409)) return;
    for (let turn = 0; turn < MESSAGES_PER_SESSION && !storm.isOver(); turn += 1) await append(storm, session, turn);
  }
}

async function append(storm: Storm, session: string, turn: number): Promise<void> {
  const id = `${session}-${turn}`;
  const messages = [{ id, role: turn % 2 === 0 ? "user" : "assistant", content: words(storm, 300) }];
  storm.ledger.sent.add(id);
  const answer = await askUntilAccepted(storm, `POST /api/sessions/${session}/messages`, { body: { messages } });
  if (!expectStatus(storm, "append", answer, 200)) return;
  storm.ledger.acknowledge(session, id);
  storm.ledger.count("appends");
  if (turn % 4 !== 2) return;
  const prompt = await askUntilAccepted(storm, `POST /api/sessions/${session}/prompts`, {
    body: { budgetTokens: BUDGET_TOKENS },
  });
  if (!expectStatus(storm, "prompt", prompt, 200)) return;
  storm.ledger.count("prompts");
  const tokens = prompt?.body.report?.tokens ?? Number.POSITIVE_INFINITY;
  if (tokens > BUDGET_TOKENS) storm.ledger.reportViolation(`${session}: a prompt of ${tokens} tokens`);
}

/** Chats with the provider. Each user message is stored once its answer has started. */
export async function sendChatTurns(storm: Storm, name: string): Promise<void> {
  for (let turn = 0; !storm.isOver(); turn += 1) {
    const id = `${name}-${turn}`;
    const message = { id, role: "user", parts: [{ type: "text", text: words(storm, 200) }] };
    storm.ledger.sent.add(id);
    const body = { id: name, message, trigger: "submit-message" };
    const answer = await askUntilAccepted(storm, "POST /api/chat", { body, withinMs: TURN_MS });
    if (answer?.status === 409) {
      await sendRequest(storm, `DELETE /api/chat/${name}/stream`);
      await pause(RETRY_MS);
      continue;
    }
    if (!expectStatus(storm, "chat", answer, 200)) continue;
    const isAnswered = answer?.text.includes('"text-delta"') === true;
    storm.ledger.count(isAnswered ? "turns answered" : "turns ended with a reason");
    if (isAnswered) storm.ledger.acknowledge(name, id);
    else if (!/"type":"(error|abort)"/.test(answer?.text ?? ""))
      storm.ledger.reportViolation(`${id}: neither an answer nor a reason: ${answer?.text}`);
  }
}

/** Imports more messages than are folded at once, reads them, and deletes them. */
export async function importAndDelete(storm: Storm): Promise<void> {
  const body = '{"role":"user","content":"hi"}\n'.repeat(IMPORTED_MESSAGES);
  while (!storm.isOver()) {
    const line = "POST /api/sessions/import";
    const imported = await askUntilAccepted(storm, line, { body, type: "application/x-ndjson" });
    if (!expectStatus(storm, "import", imported, 200, 201)) continue;
    storm.ledger.count("messages imported", IMPORTED_MESSAGES);
    const { sessionId = "" } = imported?.body ?? {};
    const session = `/api/sessions/${sessionId}`;
    for (const path of ["view", "strip", "budget"]) {
      expectStatus(storm, path, await askUntilAccepted(storm, `GET ${session}/${path}`), 200);
    }
    const { body: stored } = (await askUntilAccepted(storm, `GET ${session}`)) ?? {};
    if (stored !== undefined && stored.messageCount !== IMPORTED_MESSAGES) {
      storm.ledger.reportViolation(`${stored.messageCount} of ${IMPORTED_MESSAGES} imported messages are stored`);
    }
    await deleteSession(storm, sessionId);
  }
}

/** A deletion whose answer was lost may have succeeded, so the next one may find nothing. */
export async function deleteSession(storm: Storm, session: string): Promise<void> {
  const line = `DELETE /api/sessions/${session}`;
  if (!expectStatus(storm, line, await askUntilAccepted(storm, line), 200, 404)) return;
  storm.ledger.forget(session);
  storm.ledger.count("sessions deleted");
  const again = await sendRequest(storm, `GET /api/sessions/${session}`);
  if (again?.status === 200) storm.ledger.reportViolation(`${session} is there after its deletion`);
}

/** Uploads images with unique markers, sends them in messages, and deletes every second one. */
export async function showImages(storm: Storm): Promise<void> {
  const session = IMAGE_SESSION;
  for (let turn = 0; !storm.isOver(); turn += 1) {
    const marker = `storm-image-${storm.random.integer(1e9)}-${turn}`;
    const body = new Uint8Array(Buffer.concat([Buffer.from(PIXEL, "base64"), Buffer.from(marker)]));
    const put = await askUntilAccepted(storm, `PUT /api/sessions/${session}/images`, { body, type: "image/png" });
    if (!expectStatus(storm, "upload", put, 200, 201)) continue;
    const id = `${session}-${turn}`;
    storm.ledger.sent.add(id);
    const content = [{ type: "file", mediaType: "image/png", url: put?.body.reference }];
    const messages = [{ id, role: "user", parts: content }];
    const answer = await askUntilAccepted(storm, `POST /api/sessions/${session}/messages`, { body: { messages } });
    // An upload in the memory of a killed server is lost, and the response says so.
    if (answer?.status === 400 || !expectStatus(storm, "image", answer, 200)) continue;
    storm.ledger.count("images stored");
    if (turn % 2 === 0) {
      storm.ledger.acknowledge(session, id);
      continue;
    }
    const gone = await askUntilAccepted(storm, `DELETE /api/sessions/${session}/messages/${id}`);
    if (!expectStatus(storm, "delete an image", gone, 200, 404)) continue;
    storm.ledger.erased.add(marker);
    storm.ledger.count("images deleted");
    await pause(RETRY_MS);
  }
}

/**
 * Sends requests that must be refused: bodies that are too large, insufficient roles, other tenants, forged ids, no
 * token.
 */
export async function sendForbiddenRequests(storm: Storm): Promise<void> {
  const { owner, reader, stranger } = storm.tokens;
  const message = { messages: [{ role: "user", content: "forged" }] };
  const target = `/api/sessions/${IMAGE_SESSION}`;
  const tries: readonly (readonly [string, RequestOptions, number])[] = [
    [`POST ${target}/messages`, { body: "x".repeat(OVERSIZE_BYTES), token: owner }, 413],
    [`POST ${target}/messages`, { body: message, token: reader }, 403],
    [`DELETE ${target}`, { token: reader }, 403],
    [`GET ${target}/messages`, { token: stranger }, 404],
    [`DELETE ${target}`, { token: stranger }, 404],
    [`GET ${target}/messages`, { token: "" }, 401],
    [`POST ${target}/messages`, { body: { messages: [{ ...message.messages[0], id: ".." }] } }, 400],
    [`POST ${target}/messages`, { body: { messages: [{ ...message.messages[0], id: "x".repeat(201) }] } }, 400],
    [`POST ${target}/messages`, { body: '{"messages": [' }, 400],
  ];
  while (!storm.isOver()) {
    for (const [line, options, status] of tries) {
      const answer = await sendRequest(storm, line, options);
      if (answer === undefined || RETRIED_STATUSES.has(answer.status)) continue;
      if (expectStatus(storm, `intruder: ${line}`, answer, status)) storm.ledger.count("intrusions refused");
    }
    await pause(RETRY_MS * 5);
  }
}

/** Opens connections that send nothing. The server closes them. */
export async function openIdleConnections(storm: Storm): Promise<void> {
  while (!storm.isOver()) {
    const delayMs = storm.readRunDelayMs();
    const closed = await Promise.all(Array.from({ length: IDLE_CONNECTIONS }, () => waitForClose(storm.port)));
    storm.ledger.count("idle connections closed", closed.filter(Boolean).length);
    const openMs = IDLE_MS - Math.max(0, storm.readRunDelayMs() - delayMs);
    if (closed.includes(false) && openMs > MAX_IDLE_MS)
      storm.ledger.reportViolation(`an idle connection was open for ${Math.round(openMs)} ms`);
    await pause(RETRY_MS * 10);
  }
}

function waitForClose(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const timer = setTimeout(() => {
      socket.destroy();
      resolve(false);
    }, IDLE_MS);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(true);
    });
    socket.resume();
  });
}

/** Adds and removes a token. The server follows the file without a restart. */
export async function changeTokens(storm: Storm): Promise<void> {
  const cli = async (...args: string[]) => {
    const { out } = await startCli(["token", ...args, "--home", storm.home, "--json"]).ended;
    return JSON.parse(out || "{}");
  };
  while (!storm.isOver()) {
    const { id, token } = await cli("add", "--tenant", "guest", "--role", "read");
    await expectSoon(storm, { token, status: 200, what: "an added token" });
    await cli("remove", id);
    await expectSoon(storm, { token, status: 401, what: "a removed token" });
    storm.ledger.count("tokens added and removed");
    await pause(RETRY_MS * 20);
  }
}

interface ExpectedAnswer {
  readonly token: string;
  readonly status: number;
  readonly what: string;
}

async function expectSoon(storm: Storm, { token, status, what }: ExpectedAnswer): Promise<void> {
  const life = storm.lives();
  const startedAt = performance.now();
  for (;;) {
    const answer = await sendRequest(storm, "GET /api/sessions?limit=1", { token });
    if (answer?.status === status || storm.isOver() || storm.lives() !== life) return;
    // A server that does not answer cannot show that it follows the file.
    if (answer !== undefined && !RETRIED_STATUSES.has(answer.status) && performance.now() - startedAt > FOLLOWS_MS) {
      return storm.ledger.reportViolation(`${what} answered ${answer.status} after ${FOLLOWS_MS} ms`);
    }
    await pause(RETRY_MS);
  }
}
