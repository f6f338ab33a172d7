/** Commands over a server that runs: what they print is what they print over its store. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runCli } from "../src/cli/run-cli.ts";
import { createTerminal } from "../src/cli/terminal.ts";
import { hashToken } from "../src/server/tokens.ts";
import { startTestServer } from "./support/start-server.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-cli-server-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const terminal = createTerminal();

async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCli(args, {
    ...terminal,
    print: async (line) => void out.push(`${line}\n`),
    note: (line) => void err.push(`${line}\n`),
    environment,
  });
  return { code, out: out.join(""), err: err.join("") };
}

const TOKEN = "a-token-of-one";
const tokens = [{ hash: hashToken(TOKEN), tenantId: "one" }];

describe("--server", () => {
  test("lists, finds, exports and imports what the server keeps, as over its store", async () => {
    const store = `sqlite:${join(folder, "chats.db")}`;
    await using server = await startTestServer({ store, tokens });
    const remote = { PALIMPSEST_SERVER: server.url, PALIMPSEST_TOKEN: TOKEN };
    const here = ["--store", store, "--tenant", "one"];
    const as = { authorization: `Bearer ${TOKEN}` };
    for (const id of ["plans", "other"]) await server.ask("POST", "/api/sessions", { id, title: id }, as);
    const messages = Array.from({ length: 30 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `The harbour, ${index}.`,
    }));
    await server.ask("POST", "/api/sessions/plans/messages", { messages }, as);
    for (const args of [
      ["sessions"],
      ["sessions", "--json", "--limit", "1"],
      ["search", "HARBOUR", "--role", "user", "--limit", "3"],
      ["search", "harbour", "--session", "plans", "--order", "relevance", "--json"],
      ["search", "nothing of this"],
      ["export", "plans"],
    ]) {
      const [over, beside] = [await run(args, remote), await run([...args, ...here])];
      expect(over).toEqual(beside);
      expect(over.code).toBe(0);
    }
    const file = join(folder, "plans.jsonl");
    expect((await run(["export", "plans", "--out", file], remote)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe((await run(["export", "plans", ...here])).out);
    expect(await run(["import", file, "--id", "copy"], remote)).toMatchObject({
      code: 0,
      out: expect.stringContaining("copy: "),
    });
    expect((await run(["search", "harbour", "--session", "copy", "--json"], remote)).out).toContain(
      '"sessionId":"copy"',
    );
    expect((await run(["import", file, "--id", "copy"], remote)).code).toBe(5);
  });

  test("ends with the codes that every command ends with", async () => {
    await using server = await startTestServer({ tokens });
    const remote = { PALIMPSEST_SERVER: server.url, PALIMPSEST_TOKEN: TOKEN };
    expect(await run(["export", "nobody"], remote)).toMatchObject({
      code: 4,
      err: expect.stringContaining("session-not-found"),
    });
    expect(await run(["sessions"], { PALIMPSEST_SERVER: server.url })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Send a token.*PALIMPSEST_TOKEN/),
    });
    expect(await run(["sessions", "--server", "nowhere"])).toMatchObject({ code: 2 });
    expect(await run(["sessions", "--server", server.url, "--store", "memory:"], remote)).toMatchObject({ code: 2 });
    expect(await run(["sessions", "--server", "http://127.0.0.1:1"])).toMatchObject({
      code: 6,
      err: expect.stringContaining("cannot be reached"),
    });
  });
});
