/**
 * A chat as a Cloudflare Worker: conversations in D1, folded by the `windowed-sql` policy, with the window as plain
 * rows. Each request opens everything and closes it after its response, because one request cannot continue the work of
 * another. It has no access control: put Cloudflare Access or your own check in front of it.
 *
 *     POST /conversations/{id}/messages   {"content": "…", "id": "…"}   → {"answer": "…", "summarised": false}
 *     GET  /conversations/{id}            → [{"message_type": "summary", …}, {"message_type": "message", …}]
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, type LanguageModel } from "ai";
// In your own project: "palimpsest", "palimpsest/stores/d1".
import { type ErrorCode, openPalimpsest, type Palimpsest, PalimpsestError, type Prompt } from "../../src/index.ts";
import { adoptRows, type D1Database, openD1Store, type WindowedStore } from "../../src/stores/d1/open-d1-store.ts";

export interface Env {
  readonly DATABASE: D1Database;
  readonly MAX_CHAT_HISTORY?: string;
  readonly CHAT_TOKEN_THRESHOLD?: string;
  readonly ENABLE_CHAT_SUMMARIZATION?: string;
  /** With a key, Anthropic answers and writes summaries; without one, Workers AI does. */
  readonly ANTHROPIC_API_KEY?: string;
  readonly ANTHROPIC_BASE_URL?: string;
  readonly ANTHROPIC_MODEL?: string;
  readonly WORKERS_AI_BASE_URL?: string;
  readonly WORKERS_AI_API_TOKEN?: string;
  readonly WORKERS_AI_MODEL?: string;
}

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

const INSTRUCTIONS = "You are a helpful assistant. Answer briefly.";
const MAX_CHAT_HISTORY = "12";
/** Set here, because the default depends on the model's window, and large windows make a chat expensive. */
const TOKEN_THRESHOLD = "6000";

// biome-ignore lint/style/noDefaultExport: a Worker is the default export of its module
export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    const [, collection, id, verb, ...rest] = new URL(request.url).pathname.split("/").map(decodeURIComponent);
    if (collection !== "conversations" || !id || rest.length > 0) return fail(404, "There is no such address.");
    try {
      if (request.method === "GET" && verb === undefined) return await readWindow(id, { env, context });
      if (request.method === "POST" && verb === "messages") return await answer(id, { request, env, context });
      return fail(405, "Use GET on a conversation, or POST on its messages.");
    } catch (error) {
      return failWith(error);
    }
  },
};

async function readWindow(id: string, { env, context }: Omit<Call, "request">): Promise<Response> {
  const store = await openStore(env);
  const rows = await store.readWindow(id, Number.parseInt(env.MAX_CHAT_HISTORY ?? MAX_CHAT_HISTORY, 10));
  context.waitUntil(store.close());
  return Response.json(
    rows.map(({ id, role, content, sources, createdAt, messageType }) => {
      return { id, role, content, sources: sources ?? null, created_at: createdAt, message_type: messageType };
    }),
  );
}

interface Call {
  readonly request: Request;
  readonly env: Env;
  readonly context: Context;
}

async function answer(id: string, { request, env, context }: Call): Promise<Response> {
  const next = await readMessage(request);
  if (next === undefined) return fail(400, 'Send {"content": "some text"}. Add an "id" to be able to send it again.');
  const store = await openStore(env);
  const model = chooseModel(env);
  const palimpsest = await openChat(store, { env, model });
  try {
    const session = await palimpsest.session(id);
    await adoptRows(session, store);
    const prompt = await session.prompt({ next, instructions: INSTRUCTIONS });
    const text = await generate(prompt, model).catch(async (error: unknown) => {
      await session.ended(prompt.id, String(error));
      console.error(`no answer in ${id}: ${String(error)}`);
    });
    if (text === undefined)
      return fail(502, "The model did not answer. Your message is stored: send it again with its id.");
    await session.append({ role: "assistant", content: text }, { promptId: prompt.id });
    const { tokens, summary, compactions } = prompt.report;
    console.log(`${id}: ${tokens} tokens, ${summary === undefined ? "no summary" : `summary ${summary.id}`}`);
    return Response.json({ answer: text, summarised: compactions.length > 0 });
  } finally {
    context.waitUntil(palimpsest.close());
  }
}

function openStore(env: Env): Promise<WindowedStore> {
  return openD1Store(env.DATABASE, { profile: "windowed-sql" });
}

interface Chat {
  readonly env: Env;
  readonly model: Exclude<LanguageModel, string>;
}

async function openChat(store: WindowedStore, { env, model }: Chat): Promise<Palimpsest> {
  const { MAX_CHAT_HISTORY, CHAT_TOKEN_THRESHOLD = TOKEN_THRESHOLD, ENABLE_CHAT_SUMMARIZATION } = env;
  const environment = { MAX_CHAT_HISTORY, CHAT_TOKEN_THRESHOLD, ENABLE_CHAT_SUMMARIZATION };
  // The policy counts words, and other counts are estimates, so no tokenizer's table is loaded.
  const counting = { policy: "windowed-sql", counter: "estimate" } as const;
  const palimpsest = await openPalimpsest({ store, model, environment, ...counting });
  palimpsest.on("compaction", ({ sessionId, reason }) => console.log(`${sessionId}: summarised, ${reason}`));
  palimpsest.on("compaction-end", ({ sessionId, outcome, reason }) => {
    if (outcome === "failed") console.error(`${sessionId}: no summary, ${reason}; the full history stays`);
  });
  return palimpsest;
}

function chooseModel(env: Env): Exclude<LanguageModel, string> {
  const { ANTHROPIC_API_KEY: apiKey, WORKERS_AI_BASE_URL: workersAi } = env;
  if (apiKey !== undefined && apiKey !== "") {
    const anthropic = createAnthropic({ apiKey, ...(env.ANTHROPIC_BASE_URL && { baseURL: env.ANTHROPIC_BASE_URL }) });
    return anthropic(env.ANTHROPIC_MODEL ?? "claude-sonnet-4-5");
  }
  if (workersAi === undefined)
    throw new Error("Set ANTHROPIC_API_KEY, or WORKERS_AI_BASE_URL and WORKERS_AI_API_TOKEN.");
  const token = env.WORKERS_AI_API_TOKEN;
  const provider = createOpenAICompatible({ name: "workers-ai", baseURL: workersAi, ...(token && { apiKey: token }) });
  return provider(env.WORKERS_AI_MODEL ?? "@cf/meta/llama-3.1-8b-instruct");
}

async function generate(prompt: Prompt, model: LanguageModel): Promise<string> {
  const { text } = await generateText({ model, ...prompt.forStreamText(), maxRetries: 1 });
  if (text.trim() === "") throw new Error("the answer is empty");
  return text;
}

async function readMessage(request: Request): Promise<{ role: "user"; content: string; id?: string } | undefined> {
  const body: unknown = await request.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || !("content" in body)) return undefined;
  const { content } = body;
  if (typeof content !== "string" || content.trim() === "") return undefined;
  return { role: "user", content, ...("id" in body && typeof body.id === "string" && { id: body.id }) };
}

const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  "message-invalid": 400,
  "message-conflict": 409,
  "store-conflict": 409,
  "does-not-fit": 413,
  "store-unavailable": 503,
};

function failWith(error: unknown): Response {
  console.error(String(error));
  if (!(error instanceof PalimpsestError)) return fail(500, "Something went wrong. Nothing was lost: try again.");
  return fail(STATUS[error.code] ?? 500, error.message);
}

function fail(status: number, error: string): Response {
  return Response.json({ error }, { status });
}
