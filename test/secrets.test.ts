/**
 * No secret of a conversation, and none that a provider quotes in an error, leaves the log: not in a summarizer's
 * input, not in a record, not in an event, not in an error. Every secret here is made up.
 */

import { createOpenAI } from "@ai-sdk/openai";
import { describe, expect, test } from "vitest";
import type { OpenOptions } from "../src/compose.ts";
import { openPalimpsest } from "../src/index.ts";
import type { SummaryOutcome, SummaryRequest } from "../src/ports/summarizer.ts";
import { emptyOrigin } from "../src/summarizers/guard-summarizer.ts";
import { startScriptedProvider } from "./support/scripted-provider.ts";

const PASSWORD = ["S3cret", "Pass99x"].join("");
const TOKEN = ["q9Xw2Lm8Zt4Rv6Yb", "1Nc3Kd5Hf7Jg0Ps2Ua4Ei6O"].join("");
const VENDOR_KEY = ["sk", "-proj-", "Zq8Wm3Lx9Tn2Vb7Rc5Yd1Kf6Hj4Gs0Pa"].join("");

const LOGIN = [
  { role: "user", content: "Please log in first" },
  {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "c0", toolName: "login", input: { username: "ana", password: PASSWORD } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c0",
        toolName: "login",
        output: { type: "json", value: { token_type: "bearer", access_token: TOKEN } },
      },
    ],
  },
  { role: "assistant", content: "Logged in." },
];
/** The origin of a summary that a model wrote from a transcript. */
const ORIGIN = { ...emptyOrigin("own"), model: "own-model", request: "transcript" as const };
const TALK = Array.from({ length: 60 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Part ${index} reads the queue and writes line ${index * 3} to out_${index}.log, because the operator asked for it.`,
}));
const GOOD = {
  type: "summary",
  text: "Part after part reads the queue and writes lines to a log.",
  origin: emptyOrigin("own"),
} as const;

/** Everything that was emitted or stored while a conversation was folded, except unchanged messages. */
async function foldWith(options: Pick<OpenOptions, "summarizer">, notes: readonly string[] = []): Promise<string> {
  const palimpsest = await openPalimpsest({ budgetTokens: 2_000, ...options });
  const summaryText: unknown[] = [];
  for (const name of ["summary", "warning", "compaction-start", "compaction-end"] as const) {
    palimpsest.on(name, (event) => summaryText.push(event));
  }
  palimpsest.on("compaction", ({ messages, ...event }) => summaryText.push(event));
  const session = await palimpsest.session("s");
  await session.append([...LOGIN, ...notes.map((content) => ({ role: "user", content })), ...TALK]);
  await session.prompt();
  await session.settle();
  const records = await session.getSummaryHistory();
  await palimpsest.close();
  expect(records.length).toBeGreaterThan(0);
  return JSON.stringify([summaryText, records]);
}

describe("secrets", () => {
  test("reach neither a custom summarizer nor the events of its work", async () => {
    const asked: SummaryRequest[] = [];
    const summarize = async (request: SummaryRequest): Promise<SummaryOutcome> => {
      asked.push(request);
      return GOOD;
    };
    const summaryText = await foldWith({ summarizer: { name: "own", estimateCost: () => 0, summarize } });
    const given = JSON.stringify(asked.map(({ stretch }) => stretch));
    expect(given).toMatch(/\[secret:password:[0-9a-f]{6}\]/);
    for (const secret of [PASSWORD, TOKEN]) {
      expect(given).not.toContain(secret);
      expect(summaryText).not.toContain(secret);
    }
  });

  test("reach neither a summarizer nor a summary if they are card numbers, in quotation marks, or after an unusual label", async () => {
    const card = ["4012 8888", " 8888 1881"].join("");
    const phrase = ["corr", "horse"].join(" ");
    const notes = [
      `password: password: ${PASSWORD}`,
      `pw: ${PASSWORD}`,
      `pass: ${PASSWORD}`,
      `PASSWORD = "${phrase}"`,
      `pwd→${PASSWORD}`,
      `Das Passwort ist „${phrase}“`,
      `密码→${PASSWORD}`,
      `Charge my card ${card}, until 12/30.`,
    ];
    const asked: SummaryRequest[] = [];
    const summarize = async (request: SummaryRequest): Promise<SummaryOutcome> => {
      asked.push(request);
      return { ...GOOD, text: `${GOOD.text} ${notes.join(" ")}` };
    };
    const summaryText = await foldWith({ summarizer: { name: "own", estimateCost: () => 0, summarize } }, notes);
    const given = JSON.stringify(asked.map(({ stretch }) => stretch));
    expect(given.match(/\[secret:password:/g)?.length).toBeGreaterThanOrEqual(8);
    expect(given).toContain("[secret:card-number:");
    for (const secret of [PASSWORD, phrase, card])
      expect([given.includes(secret), summaryText.includes(secret)]).toEqual([false, false]);
  });

  test("stay out of the text and the facets of a summary by code", async () => {
    const summaryText = await foldWith({ summarizer: "offline" });
    for (const secret of [PASSWORD, TOKEN]) expect(summaryText).not.toContain(secret);
  });

  test.each([
    [
      "the reason of a failure",
      async () => ({ ...GOOD, type: "failed", kind: "transport", reason: `401 ${VENDOR_KEY}` }),
    ],
    ["the start of a useless answer", async () => ({ ...GOOD, type: "failed", reason: "no", rawStart: VENDOR_KEY })],
    ["the thrown error", () => Promise.reject(new Error(`no access with ${VENDOR_KEY}`))],
  ])("are removed from %s", async (_, summarize) => {
    const summaryText = await foldWith({
      summarizer: { name: "own", estimateCost: () => 0, summarize: summarize as never },
    });
    expect(summaryText).toContain("[secret:openai-key:");
    expect(summaryText).not.toContain(VENDOR_KEY);
  });

  test("that a provider quotes in its error are not reported", async () => {
    await using provider = await startScriptedProvider(() => ({
      type: "raw",
      status: 401,
      body: JSON.stringify({ error: { message: `Incorrect API key provided: ${VENDOR_KEY}.`, type: "auth" } }),
    }));
    const model = createOpenAI({ apiKey: "k", baseURL: `${provider.url}/v1` }).chat("gpt-4.1-mini");
    const summaryText = await foldWith({ summarizer: model });
    expect(summaryText).toContain("Incorrect API key provided");
    expect(summaryText).not.toContain(VENDOR_KEY);
  });

  test("are removed from an error that is thrown because no summary was written", async () => {
    const summarize = () => Promise.reject(new Error(`no access with ${VENDOR_KEY}`));
    const palimpsest = await openPalimpsest({
      budgetTokens: 2_000,
      policy: { summary: { abortOnFailure: true, onFailure: "keep" } },
      summarizer: { name: "own", estimateCost: () => 0, summarize },
    });
    const session = await palimpsest.session("s");
    await session.append([...LOGIN, ...TALK]);
    const error: unknown = await session.prompt().catch((reason: unknown) => reason);
    await palimpsest.close();
    expect(String(error)).toContain("[secret:openai-key:");
    expect(JSON.stringify([String(error), error])).not.toContain(VENDOR_KEY);
  });

  test.each([
    ["in the messages that a summary covers", undefined],
    ["in the instructions that a summary was written with", `Keep the line numbers, and never the key ${VENDOR_KEY}.`],
  ])("%s do not prevent reuse of the summary after an undo, and no second call is made", async (_, instructions) => {
    let calls = 0;
    const summarize = async (): Promise<SummaryOutcome> => {
      calls += 1;
      const text = TALK.slice(0, 8)
        .map(({ content }) => content)
        .join(" ");
      return { type: "summary", text, origin: ORIGIN };
    };
    const palimpsest = await openPalimpsest({
      budgetTokens: 4_000,
      summarizer: { name: "own", estimateCost: () => 0, summarize },
    });
    const session = await palimpsest.session("s");
    await session.append([...LOGIN, ...TALK]);
    expect(await session.compact({ instructions })).toMatchObject({ type: "compacted" });
    const first = await session.liveSummary();
    expect(first?.model).toBe("own-model");
    const before = calls;
    await session.undo();
    expect(await session.compact({ instructions })).toMatchObject({ type: "compacted" });
    expect(calls).toBe(before);
    expect((await session.liveSummary())?.text).toBe(first?.text);
    await palimpsest.close();
  });
});
