/** Recall with an embedding model: rankings by words and by meaning are fused. If the model fails, only words count. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json as readJson } from "node:stream/consumers";
import { createOpenAI } from "@ai-sdk/openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPalimpsest, type Palimpsest } from "../src/index.ts";
import { CLOCK_WITHOUT_PAUSES } from "./support/skip-pauses.ts";

const ACCOUNT = "The bank near the station opened an account for my sister.";
const RIVER = "The bank near the station was full of reeds and herons.";
const QUESTION = "What did I say about the bank near the station, and about savings?";
/** The axes of the scripted vectors, by words that belong to them. */
const AXES = [/account|savings|loan/, /reeds|herons|river/, /./];

const requests: { readonly input: readonly string[] }[] = [];
let answer: "vectors" | "error" | "nothing" | "short" = "vectors";

/** Answers `POST /v1/embeddings` like OpenAI: up to 2,048 texts that are not empty, and one vector for each. */
const server = createServer(async (request, response) => {
  const body = (await readJson(request)) as { readonly model?: unknown; readonly input: string | readonly string[] };
  const input: readonly string[] = [body.input].flat();
  const isValid =
    request.url === "/v1/embeddings" &&
    typeof body.model === "string" &&
    input.length > 0 &&
    input.length <= 2_048 &&
    input.every((text) => typeof text === "string" && text !== "");
  requests.push({ input });
  if (answer === "nothing") return;
  const status = isValid ? (answer === "error" ? 500 : 200) : 400;
  const counted = answer === "short" ? input.slice(1) : input;
  const data = counted.map((text, index) => ({
    object: "embedding",
    index,
    embedding: AXES.map((axis) => (axis.test(text) ? 1 : 0)),
  }));
  response.writeHead(status, { "content-type": "application/json" });
  const usage = { prompt_tokens: input.length, total_tokens: input.length };
  response.end(
    JSON.stringify(
      status === 200 ? { object: "list", model: body.model, data, usage } : { error: { message: "Not now." } },
    ),
  );
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

function findModel() {
  const { port } = server.address() as AddressInfo;
  return createOpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none" }).embedding("text-embedding-3-small");
}

async function openTalk(options: Parameters<typeof openPalimpsest>[0] = {}): Promise<Palimpsest> {
  const palimpsest = await openPalimpsest({ budgetTokens: 3_000, counter: "estimate", ...options });
  const session = await palimpsest.session("talk");
  await session.append([
    { id: "account", role: "user", content: ACCOUNT },
    { role: "assistant", content: "Noted." },
    ...Array.from({ length: 8 }, (_, day) => [
      { role: "user", content: `On day ${day} I painted the fence.` },
      { role: "assistant", content: "It looks good." },
    ]).flat(),
    { id: "river", role: "user", content: RIVER },
    { role: "assistant", content: "A nice walk." },
  ]);
  return palimpsest;
}

async function recallFirst(palimpsest: Palimpsest): Promise<readonly string[]> {
  const { passages } = await (await palimpsest.load("talk")).recall(QUESTION, { limit: 1 });
  return passages.map(({ messageId }) => messageId);
}

describe("recall with an embedding model of the AI SDK", () => {
  test("prefers the message that means the same among messages with the same words", async () => {
    answer = "vectors";
    expect(await recallFirst(await openTalk())).toEqual(["river"]);
    const palimpsest = await openTalk({ embedder: findModel() });
    expect(await recallFirst(palimpsest)).toEqual(["account"]);
    const { passages } = await palimpsest.recall(QUESTION, { limit: 1 });
    expect(passages.map(({ messageId }) => messageId)).toEqual(["account"]);
  });

  test("applies to prompts, too, and quotes the same in a preview", async () => {
    answer = "vectors";
    const recall = { enabled: true, maxTokens: 60, smallTokens: 60 };
    const palimpsest = await openTalk({ embedder: findModel(), budgetTokens: 1_500, policy: { recall } });
    const session = await palimpsest.load("talk");
    await session.append(
      Array.from({ length: 40 }, (_, index) => [
        { role: "user", content: `On day ${index} I mowed the lawn and cut the hedge behind the house.` },
        { role: "assistant", content: "It grows fast." },
      ]).flat(),
    );
    await session.prompt();
    const next = { role: "user", content: QUESTION } as const;
    const preview = await session.prompt({ next, preview: true });
    const { report } = await session.prompt({ next });
    expect(report.recalled?.passages.map(({ messageId }) => messageId)).toEqual(["account"]);
    expect(preview.report.recalled?.text).toBe(report.recalled?.text);
  });

  test("sends each text once, and no secrets", async () => {
    answer = "vectors";
    const palimpsest = await openTalk({ embedder: findModel() });
    const session = await palimpsest.load("talk");
    const secret = `sk-proj-Qm7${"wZ4tLx9KbV2nRc8"}${"Yd6pHs3FgJ5"}`;
    await session.append({ role: "user", content: `The bank near the station has the key ${secret} of my savings.` });
    requests.length = 0;
    await session.recall(QUESTION);
    const sent = requests.flatMap(({ input }) => input);
    expect(sent).toContain(QUESTION);
    expect(sent.join("\n")).toContain("[secret:");
    expect(sent.join("\n")).not.toContain(secret);
    await session.recall(QUESTION);
    expect(requests.flatMap(({ input }) => input)).toEqual(sent);
  });

  test.each([
    ["fails", "error", /Recall compared words only: /],
    ["returns too few vectors", "short", /Recall compared words only: /],
    ["does not answer in time", "nothing", /did not answer within 2000 ms/],
  ] as const)("compares words only if the model %s, and warns", async (_, how, warning) => {
    answer = how;
    const palimpsest = await openTalk({ embedder: findModel(), clock: CLOCK_WITHOUT_PAUSES });
    const warnings: string[] = [];
    palimpsest.on("warning", ({ text }) => warnings.push(text));
    expect(await recallFirst(palimpsest)).toEqual(["river"]);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });
});

describe("the option embedder", () => {
  test("accepts an embedder of the caller's own", async () => {
    const embed = async (texts: readonly string[]) =>
      texts.map((text) => AXES.map((axis) => (axis.test(text) ? 1 : 0)));
    expect(await recallFirst(await openTalk({ embedder: { embed } }))).toEqual(["account"]);
  });

  test("rejects a language model", async () => {
    const model = createOpenAI({ apiKey: "none" }).chat("gpt-4.1-mini");
    const options = { embedder: model } as unknown as Parameters<typeof openPalimpsest>[0];
    await expect(openPalimpsest(options)).rejects.toThrow(
      /embedder: .*an embedding model of the AI SDK, or an Embedder/,
    );
  });
});
