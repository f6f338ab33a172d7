/** A fold that is running when its server shuts down is canceled without a trace, and the next server runs it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { startServe } from "../support/serve-process.ts";
import { until } from "../support/start-chat.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-fold-at-end-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const messages = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 ? "assistant" : "user",
  content: `Station ${index + 1} of the guide takes ${index + 2} minutes. ${"Visitors walk on to the next room. ".repeat(10)}`,
}));
const SUMMARY = "The guide has forty stations; station 1 takes 2 minutes, and visitors walk on to the next room.";

async function start(environment: Readonly<Record<string, string>>) {
  const served = await startServe({ args: ["--home", folder], environment });
  return { served, client: createClient({ url: served.url }) };
}

test("a due compaction is canceled when the server ends, and runs when the session is next opened", async () => {
  let isHanging = true;
  await using provider = await startScriptedProvider(() =>
    isHanging ? scriptedReplies.hang() : scriptedReplies.text(SUMMARY),
  );
  writeFileSync(join(folder, "palimpsest.config.json"), JSON.stringify({ preset: "rolling-chat" }));
  const environment = {
    PALIMPSEST_BASE_URL: `${provider.url}/v1`,
    PALIMPSEST_MODEL: "small",
    PALIMPSEST_API_KEY: "none",
    PALIMPSEST_WINDOW_TOKENS: "8192",
  };
  const params = { id: "guide" };
  const first = await start(environment);
  await first.client.createSession({ body: params });
  await first.client.appendMessages({ params, body: { messages } });
  await until(() => provider.requests.length > 0);
  const startedAt = performance.now();
  expect(await first.served.end()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  isHanging = false;
  const second = await start(environment);
  // No prompt is requested: opening the session starts the canceled compaction.
  await until(async () => (await second.client.listSummaries({ params })).summaries.length > 0);
  const { summaries } = await second.client.listSummaries({ params });
  expect(summaries).toMatchObject([{ isLive: true, record: { depth: 0, model: "small" } }]);
  expect(summaries[0]?.record.text).toContain("forty stations");
  expect(await second.served.end()).toBe(0);
});
