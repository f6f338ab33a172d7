/**
 * Summaries by a model, completed by code: through `openPalimpsest`, with a provider behind a real socket that forgets
 * most of what it is shown.
 */
import { createOpenAI } from "@ai-sdk/openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenOptions, openPalimpsest, type SummaryRecord } from "../src/index.ts";
import { type ScriptedProvider, startScriptedProvider } from "./support/scripted-provider.ts";
import { scriptedReplies as replies } from "./support/scripted-provider-reply.ts";

/** Facts without a word such as "must" or "decided". */
const FACTS = [
  "My sister Paula moved into the blue house on Mill Lane with her two dogs.",
  "The tenor of our choir plays the cello at weddings in Salzburg.",
  "Grandfather's watch came from a shop in Geneva and loses four minutes a day.",
];
const RULE = "Never call Paula before ten in the morning.";
const TOPICS = ["garden", "kitchen", "bicycle", "library", "harbor", "market", "theater", "museum"];
const FORGETFUL = "They talked about the garden and the kitchen, and the weather was mentioned as well.";

let provider: ScriptedProvider;
let answer = "";
let isProse = false;
beforeAll(async () => {
  provider = await startScriptedProvider(({ body }) =>
    body.response_format === undefined || isProse ? replies.text(answer) : replies.json(structured(answer)),
  );
});
afterAll(() => provider.close());

const structured = (summary: string) => ({
  summary,
  keyPoints: [],
  context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] },
});

function chat(turns: number): readonly { readonly role: "user" | "assistant"; readonly content: string }[] {
  return Array.from({ length: turns }, (_, turn) => {
    const topic = TOPICS[turn % TOPICS.length] ?? "garden";
    return [
      {
        role: "user" as const,
        content: `${[...FACTS, RULE][turn] ?? `We spent day ${turn} in the ${topic}.`} What about the weather?`,
      },
      { role: "assistant" as const, content: `The weather is fine for the ${topic} on day ${turn}.` },
    ];
  }).flat();
}

interface Conversation {
  readonly folds?: number;
  readonly first?: readonly object[];
  /** Appended before each later fold. */
  readonly next?: readonly object[];
}

/** Returns the record of the last fold. */
async function summarize(
  said: string,
  settings: Pick<OpenOptions, "policy"> = {},
  { folds = 1, first = chat(200), next = chat(150).slice(2 * FACTS.length + 2) }: Conversation = {},
): Promise<SummaryRecord> {
  answer = said;
  const model = createOpenAI({ baseURL: `${provider.url}/v1`, apiKey: "none" }).chat("gpt-4.1-mini");
  const palimpsest = await openPalimpsest({ ...settings, summarizer: model, budgetTokens: 6_000 });
  const records: (SummaryRecord | undefined)[] = [];
  palimpsest.on("compaction", ({ record }) => records.push(record));
  const session = await palimpsest.session();
  await session.append(first);
  for (let fold = 0; fold < folds; fold += 1) {
    await session.prompt({ provider: "openai" });
    if (fold + 1 < folds) await session.append(next);
  }
  await palimpsest.close();
  const record = records.at(-1);
  if (record === undefined) throw new Error("There is no summary.");
  return record;
}

describe("a summary by a model", () => {
  test("has the important lines that the model forgot, after the model's own text, at the cost of one call", async () => {
    const before = provider.requests.length;
    const record = await summarize(FORGETFUL);
    expect(provider.requests.length - before).toBe(1);
    expect(record.model).toBe("gpt-4.1-mini");
    expect(record.text.startsWith(FORGETFUL)).toBe(true);
    for (const name of ["Mill Lane", "Salzburg", "Geneva"]) expect(record.text).toContain(name);
    expect(record.verification?.addedLines).toBe(record.lines?.filter(({ text }) => text.startsWith("- ")).length);
    expect(record.text.endsWith((record.lines ?? []).map(({ text }) => text).join("\n"))).toBe(true);
  });

  test("does not repeat what the model's text covers", async () => {
    const record = await summarize(`${FORGETFUL} ${FACTS.join(" ")}`);
    const added = (record.lines ?? []).map(({ text }) => text).join("\n");
    for (const name of ["Mill Lane", "Salzburg", "Geneva"]) expect(added).not.toContain(name);
  });

  test("is not completed under a policy with addMissing: false", async () => {
    const record = await summarize(FORGETFUL, { policy: { summary: { addMissing: false } } });
    expect(record.lines).toBeUndefined();
    expect(record.verification).not.toHaveProperty("addedLines");
    expect(record.text).not.toContain("Salzburg");
  });

  test("has a record that says if the model answered in prose instead of JSON, and code makes its lists", async () => {
    isProse = true;
    const record = await summarize(`${FORGETFUL} Paula lives on Mill Lane now.`);
    isProse = false;
    expect(record).toMatchObject({ model: "gpt-4.1-mini", strategy: "structured", answeredWith: "prose" });
    expect(record.text).toContain("Paula lives on Mill Lane now.");
    expect(record.facets.constraints.join()).toContain("before ten in the morning");
  });

  test("keeps a fact through later folds by a model that forgets it", async () => {
    const record = await summarize(FORGETFUL, {}, { folds: 4 });
    expect(record.depth).toBeGreaterThanOrEqual(3);
    expect(record.text).toContain("Salzburg");
  });

  test("keeps what the user typed in work with tools through a later fold by a model that forgets it", async () => {
    const call = { id: "c1", type: "function", function: { name: "run", arguments: '{"command":"ls"}' } };
    const round = [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: "ok" },
    ];
    const talk = chat(100).slice(2 * FACTS.length + 2);
    const first = [...talk.slice(0, 1), ...round, ...talk.slice(1), { role: "user", content: FACTS[1] }];
    const next = chat(300).map((message) => (message.role === "user" ? { ...message, content: "OK." } : message));
    const record = await summarize(FORGETFUL, {}, { folds: 2, first: [...first, ...next], next });
    expect(record.depth).toBeGreaterThanOrEqual(1);
    expect(record.text).toMatch(new RegExp(`\nThe user said:\n(?:- .*\n)*- ${FACTS[1]}\n`));
  });
});
