/** Content is identified by a SHA-256 of a file's text, of its outline, and of a message's role and parts. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openPalimpsest } from "../src/compose.ts";
import { shows } from "../src/testing/shows.ts";
import { openWorkspace } from "../src/workspace/open-workspace.ts";

const root = mkdtempSync(join(tmpdir(), "palimpsest-hashes-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

test(
  shows("C-3", "files, outlines and messages are identified by their SHA-256, and an empty file has none"),
  async () => {
    const source = "export function keepLedger(rows: number): number {\n  return rows;\n}\n";
    writeFileSync(join(root, "ledger.ts"), source);
    writeFileSync(join(root, "empty.md"), "");
    const workspace = await openWorkspace({ root });
    expect((await workspace.findFile("ledger.ts"))?.hash).toBe(sha256(source));
    expect((await workspace.findFile("empty.md"))?.hash).toBe("");
    const [outline] = await workspace.listOutlines();
    expect(outline?.path).toBe("ledger.ts");
    expect(outline?.hash).toBe(sha256(outline?.text ?? ""));
    const palimpsest = await openPalimpsest();
    const session = await palimpsest.session();
    const given = session.workspace.files;
    await given.add("given.md", "words");
    await given.add("nothing.md", "");
    expect(given.files.map(({ path, hash }) => [path, hash])).toEqual([
      ["given.md", sha256("words")],
      ["nothing.md", ""],
    ]);
    await session.append([
      { role: "user", content: "The same words." },
      { role: "assistant", content: "The same words." },
      { role: "user", content: "The same words." },
      { role: "user", content: "Other words." },
    ]);
    const hashes = (await session.entries()).flatMap((entry) => (entry.type === "message" ? [entry.hash] : []));
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[2]).toBe(hashes[0]);
    expect(new Set(hashes).size).toBe(3);
    await palimpsest.close();

    // Items of the tiers are identified by the beginning of the same hashes.
    const beside = await openPalimpsest({ workspace });
    const followed = await beside.session();
    for (const path of ["ledger.ts", "empty.md"]) await followed.workspace.files.add(path);
    await followed.append([
      { role: "user", content: "The same words." },
      { role: "assistant", content: "Other words." },
    ]);
    await followed.prompt({ next: { role: "user", content: "And now?" } });
    const entries = await followed.entries();
    const tracked = entries.flatMap((entry) => (entry.type === "request" ? (entry.tiers?.set ?? []) : []));
    const hashOf = (key: string) => tracked.find((item) => item.key === key)?.hash;
    const [message] = entries.flatMap((entry) => (entry.type === "message" ? [entry] : []));
    expect(hashOf("file:ledger.ts")).toBe(sha256(source).slice(0, 16));
    expect(hashOf("symbol:ledger.ts")).toBe(sha256(outline?.text ?? "").slice(0, 16));
    expect(hashOf("file:empty.md")).toBe("");
    expect(hashOf(`history:${message?.seq}`)).toBe(hashes[0]?.slice(0, 16));
    await beside.close();
  },
);
