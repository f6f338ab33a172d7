/**
 * F4, over HTTP: appends fill a disk until they are refused with 507. Then messages and sessions can be deleted,
 * appends work again, and no acknowledged write is missing.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import { mountDisk } from "../support/small-disk.ts";
import { startTestServer } from "../support/start-server.ts";
import { type FaultOptions, type FaultResult, untestedResult } from "./fault.ts";

const DISK_BYTES = 24 * 2 ** 20;
const BALLAST_BYTES = 9_000_000;
const BALLAST_VARIES = 2_000_000;
const SESSIONS = ["a", "b", "c", "d"];
const REFUSALS = 3;
const MAX_APPENDS = 5_000;
const MAX_WORDS = 4_000;

export async function deleteWhenFull(
  kind: "jsonl" | "sqlite",
  folder: TemporaryFolder,
  options: FaultOptions,
): Promise<FaultResult> {
  const name = `${kind}, deletions`;
  const random = seededRandom(options.seed);
  const violations: string[] = [];
  let [rounds, acknowledged, lost] = [0, 0, 0];
  for (; rounds < options.rounds; rounds += 1) {
    using disk = mountDisk(folder.newPath(), DISK_BYTES);
    if (disk.reason !== undefined) return untestedResult(name, disk.reason);
    const found = await fillAndDelete(`${kind}:${join(disk.path, "chats")}`, {
      disk: disk.path,
      random,
      isEven: rounds % 2 === 0,
    });
    acknowledged += found.acknowledged;
    lost += found.lost;
    violations.push(...found.violations);
    options.onProgress(`${name}: ${rounds + 1} of ${options.rounds} disks filled`);
  }
  return { name, rounds, acknowledged, lost, duplicated: 0, violations };
}

interface FillOptions {
  readonly disk: string;
  readonly random: ReturnType<typeof seededRandom>;
  /** True if the sessions grow evenly. Otherwise the first one gets almost all messages. */
  readonly isEven: boolean;
}

async function fillAndDelete(store: string, { disk, random, isEven }: FillOptions) {
  await using server = await startTestServer({ store });
  const violations: string[] = [];
  const appendedCounts = new Map(SESSIONS.map((id) => [id, 0]));
  const say = async (id: string, words: number) => {
    const content = `${random.integer(1e9)} ${"word ".repeat(words)}`;
    const { status } = await server.ask("POST", `/api/sessions/${id}/messages`, {
      messages: { role: "user", content, id: `${id}-${(appendedCounts.get(id) ?? 0) + 1}` },
    });
    if (status === 200) appendedCounts.set(id, (appendedCounts.get(id) ?? 0) + 1);
    return status;
  };
  const expect200 = (what: string, status: number) => {
    if (status !== 200) violations.push(`${what} on a full disk: ${status}`);
  };
  for (const id of SESSIONS) {
    await server.ask("POST", "/api/sessions", { id });
    expect200("the first append", await say(id, 1));
  }
  writeFileSync(join(disk, "ballast"), Buffer.alloc(BALLAST_BYTES + random.integer(BALLAST_VARIES)));
  let refusals = 0;
  for (let index = 0; refusals < REFUSALS && index < MAX_APPENDS; index += 1) {
    const id = isEven ? (SESSIONS[index % SESSIONS.length] ?? "a") : "a";
    const status = await say(id, random.integer(MAX_WORDS));
    if (status === 507) refusals += 1;
    else if (status !== 200) violations.push(`an append answered ${status}`);
  }
  if (refusals < REFUSALS) violations.push("The disk was never full.");
  for (const id of ["a", "b"]) {
    expect200("a message deleted", (await server.ask("DELETE", `/api/sessions/${id}/messages/${id}-1`)).status);
  }
  for (const id of ["a", "b"])
    expect200("a session deleted", (await server.ask("DELETE", `/api/sessions/${id}`)).status);
  expect200("an append after deletions", await say("c", 1));
  let lost = 0;
  for (const id of ["c", "d"]) {
    const { body } = await server.ask("GET", `/api/sessions/${id}`);
    lost += Math.max(0, (appendedCounts.get(id) ?? 0) - body.messageCount);
  }
  return { acknowledged: [...appendedCounts.values()].reduce((sum, count) => sum + count, 0), lost, violations };
}
