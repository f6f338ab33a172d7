/**
 * A summarizer that fails is visible to the operator of a server: in its log at the default level and in its metrics.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createClient } from "../../src/client/create-client.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { type ScriptedReply, scriptedReplies } from "../support/scripted-provider-reply.ts";
import { startServe } from "../support/serve-process.ts";
import { until } from "../support/start-chat.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-summary-failures-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const messages = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 ? "assistant" : "user",
  content: `Station ${index + 1} of the guide takes ${index + 2} minutes. ${"Visitors walk on to the next room. ".repeat(10)}`,
}));

const WARN = 40;

const failing: readonly (readonly [string, string, ScriptedReply, object])[] = [
  ["rolling-chat", "a server error", scriptedReplies.serverError(), { code: "transport", reason: "HTTP 500" }],
  ["default", "a wrong key", scriptedReplies.unauthorised(), { code: "validation", reason: "HTTP 401" }],
  ["default", "a blank answer", scriptedReplies.empty(), { code: "validation", reason: "blank" }],
];

test.each(failing)(
  "under the policy %s, a summary that fails with %s is logged as a warning and counted in the metrics",
  async (preset, _, reply, expected) => {
    await using provider = await startScriptedProvider(() => reply);
    const home = mkdtempSync(join(folder, "home-"));
    writeFileSync(join(home, "palimpsest.config.json"), JSON.stringify({ preset }));
    const environment = {
      PALIMPSEST_BASE_URL: `${provider.url}/v1`,
      PALIMPSEST_MODEL: "small",
      PALIMPSEST_API_KEY: "none",
      PALIMPSEST_WINDOW_TOKENS: "4096",
    };
    await using server = await startServe({ args: ["--home", home], environment });
    const client = createClient({ url: server.url });
    const params = { id: "guide" };
    await client.createSession({ body: params });
    await client.appendMessages({ params, body: { messages } });
    await client.makePrompt({ params, body: {} });
    await until(() => server.logged().some(({ msg }) => msg === "summary failed"));
    const lines = server.logged().filter(({ msg }) => msg === "summary failed" || msg === "warning");
    const { code, reason } = expected as { readonly code: string; readonly reason: string };
    const line = { level: WARN, msg: "summary failed", sessionId: "guide", model: "small", code };
    for (const each of lines) expect(each).toMatchObject({ ...line, reason: expect.stringContaining(reason) });
    const page = await (await fetch(`${server.url}/metrics`)).text();
    const count = new RegExp(
      `^palimpsest_summarizer_failures_total\\{code="${code}",model="small"\\} (\\d+)$`,
      "m",
    ).exec(page);
    expect(Number(count?.[1])).toBe(server.logged().filter(({ msg }) => msg === "summary failed").length);
  },
);
