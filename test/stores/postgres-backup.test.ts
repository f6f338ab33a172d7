/** The backup of docs/operations.md, with PostgreSQL's own programs: a restored dump equals the original. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { describePostgres, requireOwn } from "../support/describe-postgres.ts";
import { createOwnedDatabase } from "../support/own-database.ts";
import { readSources } from "../support/read-repository.ts";
import { runCommand } from "../support/run-command.ts";

const NEEDED = ["postgres", "initdb", "pg_dump", "pg_restore", "psql"];
/** Folders that may have PostgreSQL's programs, the newest version first. */
const FOLDERS = [...globSync("/usr/lib/postgresql/*/bin").sort().reverse(), "/usr/local/bin", "/usr/bin"];
const programs = FOLDERS.find((folder) => NEEDED.every((name) => existsSync(join(folder, name))));

const TENANTS = ["anna", "ben"];
const PIXEL = Buffer.from("an image of some bytes").toString("base64");

async function fill(store: string, tenant: string): Promise<void> {
  const palimpsest = await openPalimpsest({ store, tenant, budgetTokens: 900 });
  const session = await palimpsest.session("trip");
  for (let turn = 0; turn < 30; turn += 1) {
    await session.append([
      {
        role: "user",
        content: `${tenant} asks ${turn}: when does ferry ${turn} leave? ${"It is important. ".repeat(9)}`,
      },
      { role: "assistant", content: `At ${turn % 24}:15, from pier ${turn}. Ünïcode: 海, \u0000, \ud83d\udea2.` },
    ]);
  }
  const image = { type: "image", mediaType: "image/png", source: { type: "data", base64: PIXEL } } as const;
  await session.append([{ id: "picture", role: "user", parts: [image] }], { format: "palimpsest" });
  await session.append([{ id: "secret", role: "user", content: "Deleted words." }]);
  await session.delete("secret");
  await session.pin({ note: "Ask for the harbour." });
  await session.prompt({ instructions: "Be brief." });
  await (await session.fork(20)).append([{ role: "user", content: `${tenant} goes another way.` }]);
  await palimpsest.close();
}

/** Returns every export of a tenant and the hits of a search. */
async function readLogs(store: string, tenant: string): Promise<string> {
  const palimpsest = await openPalimpsest({ store, tenant });
  const texts = [JSON.stringify(await palimpsest.search("ferry 7"))];
  for (const { id } of await palimpsest.sessions())
    for await (const line of palimpsest.exportSession(id)) texts.push(line);
  await palimpsest.close();
  return texts.join("\n");
}

/** A prompt is recorded in the log, so exports are read first. */
async function readPrompts(store: string): Promise<readonly unknown[]> {
  const palimpsest = await openPalimpsest({ store, tenant: "anna", budgetTokens: 900 });
  const prompts: unknown[] = [];
  for (const { id } of await palimpsest.sessions()) {
    const { instructions, messages } = await (await palimpsest.session(id)).prompt({ instructions: "Be brief." });
    prompts.push([id, instructions, messages]);
  }
  await palimpsest.close();
  return prompts;
}

await describePostgres(
  "a dump of PostgreSQL",
  (server) => {
    const folder = mkdtempSync(join(tmpdir(), "palimpsest-dump-"));
    afterAll(async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test("a restored dump has the same prompts, exports, row-level security and counters", async (context) => {
      requireOwn(server, context);
      if (programs === undefined) return context.skip(`needs ${NEEDED.join(", ")} of one PostgreSQL`);
      const url = await createOwnedDatabase(server);
      await (await openPostgresStore(url, { rowSecurity: true })).close();
      for (const tenant of TENANTS) await fill(url, tenant);
      const before = await Promise.all(TENANTS.map((tenant) => readLogs(url, tenant)));
      const asRoot = (address: string) => address.replace(/\/\/[^@]+@/, "//postgres@");
      const newUrl = new URL(await server.newDatabase());
      const [block = ""] =
        /pg_dump --schema.*?(?=```)/s.exec(readSources("docs/operations.md").get("docs/operations.md") ?? "") ?? [];
      const [doctor = "", ...commands] = block.trim().split("\n").reverse();
      const run = (command: string, from: string) =>
        spawnSync("sh", ["-e", "-c", command], {
          cwd: folder,
          encoding: "utf8",
          env: { PATH: `${programs}${delimiter}${process.env.PATH}`, URL: from, NEW_URL: newUrl.href },
        });
      expect(run(commands.at(-1) ?? "", url).stderr).toContain("query would be affected by row-level security policy");
      const { status, stderr } = run(commands.reverse().join("\n"), asRoot(url));
      expect([status, stderr]).toEqual([0, ""]);

      newUrl.username = new URL(url).username;
      const restored = newUrl.href;
      expect(await Promise.all(TENANTS.map((tenant) => readLogs(restored, tenant)))).toEqual(before);
      await fill(restored, "carla");
      expect(await readLogs(restored, "anna")).toBe(before[0]);
      expect(JSON.stringify(await readPrompts(restored))).toBe(JSON.stringify(await readPrompts(url)));
      const forced = "SELECT count(*)::int AS tables FROM pg_class WHERE relforcerowsecurity AND relrowsecurity";
      expect(await server.run(forced, asRoot(newUrl.href))).toEqual(await server.run(forced, asRoot(url)));
      const args = doctor
        .split(" ")
        .slice(1)
        .map((word) => (word === '"$NEW_URL"' ? newUrl.href : word));
      const found = await runCommand([...args, "--port", "0", "--home", folder]);
      expect([found.code, found.out]).toEqual([0, expect.stringContaining("ok    store")]);
      expect(readFileSync(join(folder, "chats.dump")).length).toBeGreaterThan(0);
    });
  },
  { programs },
);
