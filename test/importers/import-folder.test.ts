/** `palimpsest import` of a folder: killed in the middle and repeated, it loses nothing and stores nothing twice. */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPalimpsest } from "../../src/index.ts";
import { claudeAnswer, claudeCall, claudeResult, claudeUser, toJsonLines } from "../support/claude-records.ts";
import { newFolders } from "../support/new-folders.ts";
import { runCommand } from "../support/run-command.ts";
import { startCli } from "../support/start-cli.ts";

const newFolder = newFolders("import-folder");
const SESSIONS = 8;
const ROUNDS = 40;

/** A session whose responses are in pieces, between their results. */
function writeSession(number: number): string {
  const records: object[] = [];
  let parentUuid: string | null = null;
  const push = (fields: object) => {
    const uuid = `${String(number).padStart(8, "0")}-aaaa-4aaa-8aaa-${String(records.length).padStart(12, "0")}`;
    records.push({
      parentUuid,
      isSidechain: false,
      sessionId: `s${number}`,
      uuid,
      timestamp: new Date(records.length).toISOString(),
      ...fields,
    });
    parentUuid = uuid;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const [id, call] = [`m${number}-${round}`, `t${number}-${round}`];
    push(claudeUser(`Question ${round} of session ${number}: ${"where is the crate? ".repeat(20)}`));
    push(claudeAnswer(id, { type: "text", text: `Answer ${round}.` }));
    push(claudeAnswer(id, claudeCall(call)));
    push(claudeResult(call, "in the shed ".repeat(40)));
  }
  return toJsonLines(...records);
}

async function readAll(store: string): Promise<unknown> {
  const palimpsest = await openPalimpsest({ store });
  const listed = (await palimpsest.sessions({ limit: 100 })).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const read = await Promise.all(
    listed.map(async ({ id, createdAt }) => ({
      id,
      createdAt,
      messages: await (await palimpsest.load(id)).transcript(),
    })),
  );
  await palimpsest.close();
  return read;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

test("an import of a folder that is killed and repeated stores every message once", async () => {
  const folder = newFolder();
  const logs = join(folder, "logs");
  mkdirSync(logs);
  for (let number = 0; number < SESSIONS; number += 1)
    writeFileSync(join(logs, `${number}.jsonl`), writeSession(number));
  const [killed, whole] = [join(folder, "killed.db"), join(folder, "whole.db")];
  expect((await runCommand(["import", logs], { PALIMPSEST_STORE: `sqlite:${whole}` })).code).toBe(0);
  const expected = await readAll(`sqlite:${whole}`);
  // Each run is killed a little later than the one before.
  for (const bytes of [100_000, 300_000]) {
    const run = startCli(["import", logs], { environment: { PALIMPSEST_STORE: `sqlite:${killed}` } });
    let isEnded = false;
    void run.ended.then(() => (isEnded = true));
    await expect.poll(() => isEnded || sizeOf(killed) + sizeOf(`${killed}-wal`) > bytes, { interval: 5 }).toBe(true);
    run.child.kill("SIGKILL");
    await run.ended;
  }
  expect(await readAll(`sqlite:${killed}`)).not.toEqual(expected);
  const again = await runCommand(["import", logs], { PALIMPSEST_STORE: `sqlite:${killed}` });
  expect([again.code, again.err]).toEqual([0, expect.not.stringContaining("skipped")]);
  expect(await readAll(`sqlite:${killed}`)).toEqual(expected);
  const last = await runCommand(["import", logs], { PALIMPSEST_STORE: `sqlite:${killed}` });
  expect(last.out).toMatch(/claude-code +8 +8 +960 +0 +320 +320 +0/);
});
