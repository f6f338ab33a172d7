/** Imports that do not fit into memory: what a server answers afterwards, in how much memory, and the limits. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/index.ts";
import { newFolders } from "./support/new-folders.ts";
import { startServe } from "./support/serve-process.ts";

const newFolder = newFolders("huge");

function* repeatLines(count: number): Generator<string> {
  for (let index = 0; index < count; index += 1) yield '{"role":"user","content":"hi"}\n';
}

describe("a server with a small heap", () => {
  // Read whole, these messages exhaust the heap; read in parts, they need less than 130 MB of it.
  const MESSAGES = 70_000;

  test("answers everything about a session that was imported and never folded", async () => {
    const environment = { PALIMPSEST_HOME: newFolder(), NODE_OPTIONS: "--max-old-space-size=160" };
    await using server = await startServe({ environment });
    const pieces = Array.from({ length: MESSAGES / 1_000 }, () => [...repeatLines(1_000)].join(""));
    const imported = await fetch(`${server.url}/api/sessions/import-messages`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: pieces.join(""),
    });
    const { sessionId, messages } = JSON.parse(await imported.text());
    expect(messages).toBe(MESSAGES);
    const get = (path: string) => fetch(`${server.url}/api/sessions/${sessionId}${path}`);
    for (const path of ["/view", "/plan", "/strip", "/budget", "/usage", "/messages"]) {
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    }
    const body = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const prompt = await fetch(`${server.url}/api/sessions/${sessionId}/prompts`, body);
    expect(JSON.parse(await prompt.text()).report.tokens).toBeGreaterThan(0);
    const exported = (await (await get("/export")).text()).trimEnd().split("\n");
    expect(exported.filter((line) => line.includes('"type":"message"'))).toHaveLength(MESSAGES);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("palimpsest-import-"))).toEqual([]);
  });
});

describe("a log that is too long for memory", () => {
  test("is folded in parts, each recorded, and every message is still there", async () => {
    const path = `${newFolder()}/log.db`;
    const palimpsest = await openPalimpsest({ store: `sqlite:${path}`, windowTokens: 8_000, counter: "estimate" });
    const seen: number[] = [];
    palimpsest.on("catch-up", ({ foldedThroughSeq }) => seen.push(foldedThroughSeq));
    const lines = () =>
      (function* () {
        for (let index = 0; index < 30_000; index += 1) {
          const text = index === 7 ? "We must never deploy on Fridays." : `line ${index}`;
          yield JSON.stringify({ id: `m${index}`, role: "user", content: text });
        }
      })();
    const { sessionId } = await palimpsest.importMessages(lines);
    const session = await palimpsest.session(sessionId);
    const { report } = await session.prompt();
    expect(report.tokens).toBeLessThanOrEqual(report.limitTokens);
    expect(seen.length).toBeGreaterThanOrEqual(1);
    expect(seen).toEqual(seen.toSorted((left, right) => left - right));
    const history = await session.getSummaryHistory();
    const covered = history.map(({ record }) => record.coverage);
    expect(covered.every(({ firstSeq }) => firstSeq === 1)).toBe(true);
    expect(history.at(-1)?.record.text).toContain("never deploy on Fridays");
    expect((await session.message("m29999")).parts).toEqual([{ type: "text", text: "line 29999" }]);
    expect((await session.message("m0")).parts).toEqual([{ type: "text", text: "line 0" }]);
    expect(await session.transcript()).toHaveLength(30_000);
    await palimpsest.close();
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path).length).toBeGreaterThan(0);
  });
});

describe("limits", () => {
  test("of messages in an import refuse the rest before anything is stored", async () => {
    const palimpsest = await openPalimpsest({ store: "memory:", limits: { importMessages: 10 } });
    await expect(palimpsest.importMessages([...repeatLines(11)])).rejects.toMatchObject({
      code: "limit-exceeded",
      message: expect.stringContaining("limits.importMessages"),
    });
    expect(await palimpsest.sessions()).toEqual([]);
    expect((await palimpsest.importMessages([...repeatLines(10)])).messages).toBe(10);
  });

  test("of entries in a session refuse an append, and what is stored stays", async () => {
    const palimpsest = await openPalimpsest({ store: "memory:", limits: { sessionEntries: 3 } });
    const session = await palimpsest.session("a");
    for (const content of ["one", "two", "three"]) await session.append({ role: "user", content });
    await expect(session.append({ role: "user", content: "four" })).rejects.toMatchObject({ code: "limit-exceeded" });
    expect(await session.transcript()).toHaveLength(3);
  });
});
