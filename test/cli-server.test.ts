/** Commands with `--server`: those that read print the same as on the server's own store. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readEngineSetup } from "../src/cli/setup/engine-setup.ts";
import { createTerminal } from "../src/cli/terminal/terminal.ts";
import { hashToken } from "../src/server/access/tokens.ts";
import { newFolders } from "./support/new-folders.ts";
import { runCommand } from "./support/run-command.ts";
import { startTestServer } from "./support/start-server.ts";

const newFolder = newFolders("cli-server");
let folder = "";
beforeEach(() => {
  folder = newFolder();
});

const terminal = createTerminal();

const nothingAsked = { positionals: [], text: () => undefined, flag: () => false, say: async () => undefined };

const TOKEN = "a-token-of-one";
const tokens = [{ hash: hashToken(TOKEN), tenantId: "one" }];

describe("--server", () => {
  test("lists, searches and exports sessions with the same output as on the server's store, and imports them", async () => {
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
      const [over, beside] = [await runCommand(args, remote), await runCommand([...args, ...here])];
      expect(over).toEqual(beside);
      expect(over.code).toBe(0);
    }
    const file = join(folder, "plans.jsonl");
    expect((await runCommand(["export", "plans", "--out", file], remote)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe((await runCommand(["export", "plans", ...here])).out);
    expect(await runCommand(["import", file, "--id", "copy"], remote)).toMatchObject({
      code: 0,
      out: expect.stringContaining("copy: "),
    });
    expect((await runCommand(["search", "harbour", "--session", "copy", "--json"], remote)).out).toContain(
      '"sessionId":"copy"',
    );
    expect((await runCommand(["import", file, "--id", "copy"], remote)).code).toBe(5);
    writeFileSync(file, JSON.stringify([{ messages }, { messages: messages.slice(1) }]));
    const taken = await runCommand(["import", file, "--json"], remote);
    expect(taken.out.match(/"messages":\d+/g)).toEqual(['"messages":30', '"messages":29', '"messages":59']);
  });

  test("shows and explains a session with the same output as on the server's store, compacts it, and undoes that", async () => {
    const store = `sqlite:${join(folder, "folded.db")}`;
    const home = { PALIMPSEST_HOME: folder };
    const { engine } = await readEngineSetup({ ...nothingAsked, terminal: { ...terminal, environment: home } });
    await using server = await startTestServer({
      store,
      tokens,
      engine,
    });
    const remote = { PALIMPSEST_TOKEN: TOKEN };
    const at = ["--server", server.url];
    const as = { authorization: `Bearer ${TOKEN}` };
    const here = ["--store", store, "--tenant", "one"];
    await server.ask("POST", "/api/sessions", { id: "plans" }, as);
    for (let part = 0; part < 3; part += 1) {
      const messages = Array.from({ length: 400 }, (_, index) => ({
        id: `m${part * 400 + index}`,
        role: index % 2 === 0 ? "user" : "assistant",
        content: `The harbour at ${index} o'clock.`,
      }));
      await server.ask("POST", "/api/sessions/plans/messages", { messages }, as);
    }
    const same = async (...args: readonly string[]) => {
      const [over, beside] = [await runCommand([...args, ...at], remote), await runCommand([...args, ...here], home)];
      expect(over).toEqual(beside);
      expect(over.code).toBe(0);
      return over.out;
    };
    expect((await same("show", "plans", "--json")).trimEnd().split("\n")).toHaveLength(1_200);
    expect(await same("show", "plans", "--last", "1100")).toMatch(/^#101 user/);
    expect(await same("show", "plans", "--message", "m7")).toContain("assistant  [m7]");
    expect(await same("show", "plans", "--view")).toContain("The harbour at 399");
    expect(JSON.parse(await same("show", "plans", "--view", "--json")).tokens).toBeGreaterThan(1_000);
    expect(await same("inspect", "plans", "--message", "m0")).toMatch(/^#1 m0: verbatim, shown/);
    const preview = JSON.parse((await runCommand(["compact", "plans", "--preview", "--json", ...at], remote)).out);
    expect(preview).toMatchObject({ type: "preview", id: "plans", record: { strategy: expect.any(String) } });
    expect(preview.after.tokens).toBeLessThan(preview.before.tokens);
    expect(preview).not.toHaveProperty("previewId");
    const folded = await runCommand(["compact", "plans", "--instructions", "Keep the hours.", ...at], remote);
    expect(folded).toMatchObject({ code: 0, out: expect.stringMatching(/^plans: \d+ → \d+ tokens /) });
    expect(await same("inspect", "plans", "--message", "m0")).toMatch(/^#1 m0: summarised, not shown/);
    expect(await same("inspect", "plans")).toMatch(/summary \S+, of \d+ messages/);
    expect(JSON.parse(await same("inspect", "plans", "--json")).summary.instructions).toBe("Keep the hours.");
    const undone = JSON.parse((await runCommand(["undo", "plans", "--json", ...at], remote)).out);
    expect(undone).toMatchObject({ type: "undone", id: "plans", undid: { kinds: ["summary"] } });
    expect(await same("inspect", "plans", "--message", "m0")).toMatch(/^#1 m0: verbatim, shown/);
    expect((await runCommand(["undo", "plans", undone.entryId, ...at], remote)).out).toMatch(/^plans: redid summary/);
  });

  test("is in the help of every command that accepts it", async () => {
    for (const name of ["chat", "sessions", "search", "show", "inspect", "compact", "undo", "export", "import"]) {
      expect((await runCommand([name, "--help"])).out).toMatch(/--server <url>[\s\S]*PALIMPSEST_TOKEN/);
    }
  });

  test("exits with a code for each kind of error", async () => {
    await using server = await startTestServer({ tokens });
    const remote = { PALIMPSEST_SERVER: server.url, PALIMPSEST_TOKEN: TOKEN };
    expect(await runCommand(["export", "nobody"], remote)).toMatchObject({
      code: 4,
      err: expect.stringContaining("session-not-found"),
    });
    expect(await runCommand(["sessions"], { PALIMPSEST_SERVER: server.url })).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Send a token.*PALIMPSEST_TOKEN/),
    });
    for (const name of ["show", "inspect", "compact", "undo"]) {
      expect((await runCommand([name, "nobody"], remote)).code).toBe(4);
      expect((await runCommand([name, "nobody", "--server", server.url, "--config", "a.json"], remote)).code).toBe(2);
      expect((await runCommand([name, "nobody", "--server", "http://127.0.0.1:1"])).code).toBe(6);
    }
    expect(await runCommand(["sessions", "--server", "nowhere"])).toMatchObject({ code: 2 });
    expect(await runCommand(["sessions", "--server", server.url, "--store", "memory:"], remote)).toMatchObject({
      code: 2,
    });
    expect(await runCommand(["sessions", "--server", "http://127.0.0.1:1"])).toMatchObject({
      code: 6,
      err: expect.stringContaining("cannot be reached"),
    });
  });
});
