/**
 * Generated sessions of a client that resends its list as Claude Code does: cache marks move, texts are blocks or plain,
 * fields change their order and JSON its spaces, notices come and go, requests are repeated, and the past is edited. An
 * upstream judges each request by strict rules.
 */
import type { JsonObject, JsonValue } from "../../src/core/message/json.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import { readMessageEvents } from "./read-events.ts";

export interface PlayedSession {
  readonly requests: number;
  /** Resends that were answered by another session although nothing was edited. */
  readonly lost: readonly string[];
  /** Errors that the client saw. */
  readonly failures: readonly string[];
}

const TOOLS = [{ name: "lookup", description: "Looks a topic up.", input_schema: { type: "object", properties: {} } }];
const SYSTEM = [
  { type: "text", text: "client-version: 1" },
  { type: "text", text: "Answer briefly.", cache_control: { type: "ephemeral" } },
];
/** A model that binds thinking refuses it if a notice before it is gone, with and without a gateway. */
const MODELS = [
  { model: "claude-fable-5-1", hasNotices: false },
  { model: "claude-opus-4-6", hasNotices: true },
] as const;
const SHARE_EDITED = 0.04;
const SHARE_REPEATED = 0.1;
const SHARE_STREAMED = 0.7;

export async function playSession(url: string, seed: number, turns: number): Promise<PlayedSession> {
  const random = seededRandom(seed);
  const kind = MODELS[seed % MODELS.length] ?? MODELS[0];
  const lost: string[] = [];
  const failures: string[] = [];
  let messages: JsonObject[] = [];
  let [requests, sessionId]: [number, string | null] = [0, null];
  const send = async (): Promise<readonly JsonObject[] | undefined> => {
    const stream = random.next() < SHARE_STREAMED;
    requests += 1;
    const reply = await sendList(url, { seed, body: writeList(messages, { ...kind, stream }, random) });
    if (reply.content === undefined) failures.push(reply.text);
    if (sessionId !== null && reply.sessionId !== sessionId) lost.push(`${seed}: ${sessionId} → ${reply.sessionId}`);
    sessionId = reply.sessionId;
    return reply.content;
  };
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn > 2 && random.next() < SHARE_EDITED) {
      messages = messages.slice(
        0,
        messages.findIndex(({ role }, index) => role === "assistant" && index > 0),
      );
      messages = messages.slice(0, -1);
      sessionId = null;
    }
    messages.push({ role: "user", content: `marker-${seed} question ${turn}: ${writeText(random, 60)}` });
    for (;;) {
      const isRepeated = random.next() < SHARE_REPEATED;
      if (isRepeated) {
        await send();
        sessionId = null;
      }
      const content = await send();
      // If the client keeps another reply than the stored one, a fork continues.
      if (isRepeated) sessionId = null;
      if (content === undefined) return { requests, lost, failures };
      messages.push({ role: "assistant", content });
      const calls = content.filter(({ type }) => type === "tool_use");
      if (calls.length === 0) break;
      const results = calls.map(({ id = null }) => ({
        ...{ type: "tool_result", tool_use_id: id },
        content: `marker-${seed} result: ${writeText(random, 50)}`,
      }));
      messages.push({ role: "user", content: results });
    }
  }
  return { requests, lost, failures };
}

function writeText(random: SeededRandom, words: number): string {
  return Array.from({ length: words }, () => `word${random.integer(997)}`).join(" ");
}

/** Writes the same list in another spelling with each request. */
function writeList(
  messages: readonly JsonObject[],
  { model, hasNotices, stream }: (typeof MODELS)[number] & { readonly stream: boolean },
  random: SeededRandom,
): string {
  const spelled = messages.map((message, index) => {
    const isLast = index === messages.length - 1;
    const { role = "", content } = message;
    const blocks: readonly JsonValue[] = Array.isArray(content) ? content : [{ type: "text", text: content ?? "" }];
    const marked = isLast ? blocks.map((block, at) => (at === blocks.length - 1 ? mark(block) : block)) : blocks;
    const notice = { type: "text", text: `<total_tokens>${random.integer(99_999)} tokens left</total_tokens>` };
    const noticed = isLast && hasNotices && random.next() < 0.5 ? [...marked, notice] : marked;
    const isPlain = !isLast && blocks.length === 1 && typeof content === "string" && random.next() < 0.5;
    const spelling = isPlain ? content : noticed;
    return random.next() < 0.5 ? { role, content: spelling } : { content: spelling, role };
  });
  const body = { model, max_tokens: 300, system: SYSTEM, tools: TOOLS, stream };
  const list = { ...body, thinking: { type: "adaptive" }, messages: spelled };
  return JSON.stringify(list, undefined, random.pick([0, 0, 1, 2]));
}

function mark(block: JsonValue): JsonValue {
  return { ...(block as JsonObject), cache_control: { type: "ephemeral" } };
}

interface ListReply {
  readonly sessionId: string | null;
  readonly content: readonly JsonObject[] | undefined;
  readonly text: string;
}

async function sendList(
  url: string,
  { seed, body }: { readonly seed: number; readonly body: string },
): Promise<ListReply> {
  const headers = {
    ...{ "content-type": "application/json", "x-api-key": "key", "anthropic-version": "2023-06-01" },
    "x-claude-code-session-id": `session-${seed}`,
  };
  const response = await fetch(`${url}/v1/messages?beta=true`, { method: "POST", headers, body });
  const text = await response.text();
  const sessionId = response.headers.get("x-palimpsest-session");
  if (!response.ok) return { sessionId, content: undefined, text: `${response.status}: ${text}` };
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  return { sessionId, content: isStream ? readMessageEvents(text) : JSON.parse(text).content, text };
}
