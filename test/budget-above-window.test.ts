/** A budget that is larger than the window of the named model: the window applies, and a warning says so. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { fit as fitHistory, openPalimpsest, type PromptReport } from "../src/index.ts";
import { startServer } from "../src/server/start.ts";
import { newFolders } from "./support/new-folders.ts";
import { runCommand } from "./support/run-command.ts";

const newFolder = newFolders("budget-above-window");
const next = { role: "user", content: "Hello." };
/** gpt-4 has a window of 8,192 tokens, including the reply. */
const TOO_LARGE = { model: "gpt-4", budgetTokens: 500_000 };
const WARNING = /^budgetTokens is 500000, but gpt-4 accepts at most 8192 tokens, so this prompt is limited to 6554\./;

test("fit keeps a history inside the window of the named model, and warns", async () => {
  const history = Array.from({ length: 400 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index} speaks at some length about the harbour, the tide and the ships that wait for it.`,
  }));
  const { report } = await fitHistory(history, TOO_LARGE);
  expect(report.warnings).toEqual([expect.stringMatching(WARNING)]);
  expect(report.limitTokens).toBe(6_554);
  expect(report.tokens).toBeLessThanOrEqual(6_554);
});

test("a budget up to the window is used unchanged, without a warning", async () => {
  const { report } = await fitHistory([next], { model: "gpt-4", budgetTokens: 8_192 });
  expect(report).toMatchObject({ limitTokens: 8_192, warnings: [] });
});

test("the caller's window takes precedence over the catalogue's", async () => {
  const { report } = await fitHistory([next], { ...TOO_LARGE, windowTokens: 4_000, reserveTokens: 1_000 });
  expect(report.limitTokens).toBe(3_000);
  expect(report.warnings).toEqual([
    "budgetTokens is 500000, but gpt-4 accepts at most 4000 tokens, so this prompt is limited to 3000. Make budgetTokens smaller, or leave it out.",
  ]);
});

test("a model with an unknown window uses the budget unchanged", async () => {
  const { report } = await fitHistory([next], { model: "house-model", budgetTokens: 500_000 });
  expect(report).toMatchObject({ limitTokens: 500_000, warnings: [] });
});

test.each([
  ["given to openPalimpsest", TOO_LARGE, {}],
  ["given to prompt", {}, TOO_LARGE],
  ["given to openPalimpsest, with the model given to prompt", { budgetTokens: 500_000 }, { model: "gpt-4" }],
])(
  "a session's prompt is limited to the window, and its report warns about a larger budget %s",
  async (_, opened, asked) => {
    const palimpsest = await openPalimpsest(opened);
    const received: string[] = [];
    palimpsest.on("warning", ({ text }) => void received.push(text));
    const session = await palimpsest.session("s");
    const { report } = await session.prompt({ next, ...asked });
    expect(report.limitTokens).toBe(6_554);
    expect(report.warnings).toEqual([expect.stringMatching(WARNING)]);
    expect(received).toEqual(report.warnings);
    await palimpsest.close();
  },
);

test("the server's response and its log warn about a budget above the window", async () => {
  const received: unknown[] = [];
  const nothing = () => undefined;
  const log = {
    answered: nothing,
    audit: nothing,
    failed: nothing,
    warn: (_: string, fields?: object) => void received.push(fields),
  };
  const server = await startServer({ store: "memory:", hasSocket: false, log });
  const send = async (method: string, path: string, body: unknown) => {
    const headers = { "content-type": "application/json", host: "localhost" };
    const request = new Request(`http://localhost/api${path}`, { method, headers, body: JSON.stringify(body) });
    return (await server.fetch(request)).json() as Promise<{ report: PromptReport }>;
  };
  await send("POST", "/sessions", { id: "s" });
  const { report } = await send("POST", "/sessions/s/prompts", { ...TOO_LARGE, next: [next] });
  expect(report.limitTokens).toBe(6_554);
  expect(report.warnings).toEqual([expect.stringMatching(WARNING)]);
  expect(received).toContainEqual(expect.objectContaining({ text: expect.stringMatching(WARNING) }));
  await server.close();
});

test("the worker on the command line warns about a budget above the window", async () => {
  const home = newFolder();
  const store = `sqlite:${join(home, "palimpsest.db")}`;
  const palimpsest = await openPalimpsest({ store });
  await (await palimpsest.session("s")).append(next);
  await palimpsest.close();
  const args = ["worker", "--once", "--model", "gpt-4", "--budget-tokens", "500000"];
  const { code, err } = await runCommand(args, { PALIMPSEST_HOME: home });
  expect([code, err]).toEqual([0, expect.stringMatching(/budgetTokens is 500000, but gpt-4 accepts at most 8192/)]);
});
