/** `palimpsest doctor --gateway` against real upstreams. */
import { mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { newFolders } from "../support/new-folders.ts";
import { runCommand } from "../support/run-command.ts";
import { startRaw } from "./raw-upstream.ts";

const newFolder = newFolders("gateway-doctor");

async function examine(url: string, environment: Readonly<Record<string, string>> = {}) {
  const home = `${newFolder()}/home`;
  mkdirSync(home, { mode: 0o700 });
  const args = ["doctor", "--json", "--gateway", "--port", "7421", "--openai", url, "--anthropic", url];
  const { code, out } = await runCommand(args, { PALIMPSEST_HOME: home, ...environment });
  const { findings }: { findings: readonly { name: string; state: string; text: string }[] } = JSON.parse(out);
  const texts = findings.filter(({ name }) => ["gateway", "clients"].includes(name));
  return { code, out, texts: texts.map(({ state, text }) => `${state}: ${text}`) };
}

test("doctor --gateway reports upstreams that answer, and the addresses for clients", async () => {
  await using upstream = await startRaw(({ headers }, response) => {
    const isKnown = headers.authorization === "Bearer right";
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    response.end(isKnown ? '{"data":[{"id":"gpt-5.4"},{"id":"gpt-5.4-mini"}]}' : '{"error":{"message":"no key"}}');
  });
  const { host } = new URL(upstream.url);
  const right = await examine(upstream.url, { PALIMPSEST_GATEWAY_OPENAI_KEY: "right" });
  expect(right.texts).toEqual([
    `good: openai at ${host} answers with 2 models`,
    `good: openai at ${host}: PALIMPSEST_GATEWAY_OPENAI_KEY replaces the keys of clients`,
    `good: anthropic at ${host} answers, and asks for a key`,
    `good: anthropic at ${host}: clients use their own keys`,
    "good: ANTHROPIC_BASE_URL=http://127.0.0.1:7421 OPENAI_BASE_URL=http://127.0.0.1:7421/v1",
    "good: the window of each model; compactions of clients are answered by this server",
  ]);
  expect([...new Set(upstream.requests.map(({ path }) => path))]).toEqual(["/v1/models"]);
  const wrong = await examine(upstream.url, { PALIMPSEST_GATEWAY_OPENAI_KEY: "wrong" });
  expect([wrong.code, wrong.texts[0]]).toEqual([1, `bad: openai at ${host} refuses the key (401)`]);
  expect(wrong.out).not.toContain('wrong"');
});

test("doctor --gateway reports an upstream that is gone, and one that is no API", async () => {
  const gone = await examine("http://127.0.0.1:9");
  expect([gone.code, gone.texts[0]]).toEqual([
    1,
    expect.stringContaining("bad: openai at 127.0.0.1:9 cannot be reached"),
  ]);
  await using page = await startRaw((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in</html>");
  });
  expect((await examine(page.url)).texts[0]).toContain("has no list of models (status 200)");
});
