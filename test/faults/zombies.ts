/**
 * F7: processes that are suspended in the middle of a compaction until their lease has expired and another process has
 * done their work. When they resume, the fence rejects their writes, and they report it.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openPalimpsest } from "../../src/compose.ts";
import { LEASE_MS } from "../../src/engine/state/session-lease.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import { type CompactingLine, type CompactingTask, type FailurePoint, sessionAt } from "./compacting-worker.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { SCRIPT } from "./once.ts";
import { BUDGET_TOKENS, talkOf } from "./once-worker.ts";
import { openPlace, type Place } from "./place.ts";
import { startChild } from "./start-child.ts";

const STOPPED_AT: readonly FailurePoint[] = ["before-call", "mid-stream", "after-call", "before-commit"];
/** How long to wait in addition, so that the lease of a stopped process has certainly expired. */
const MARGIN_MS = 1_000;

/** Stops all processes before it waits for their leases, so that it waits only once. */
export async function wakeZombies(
  name: string,
  place: Place,
  { rounds, onProgress }: FaultOptions,
): Promise<FaultResult> {
  await using provider = await startScriptedProvider(SCRIPT);
  const sessions = Array.from({ length: rounds }, (_, round) =>
    sessionAt(STOPPED_AT[round % STOPPED_AT.length] ?? "before-commit", round),
  );
  const store = await openPlace(place);
  const palimpsest = await openPalimpsest({ store, counter: "estimate", budgetTokens: BUDGET_TOKENS });
  for (const id of sessions) await (await palimpsest.session(id)).append(talkOf(0), { format: "palimpsest" });
  const zombies = [];
  for (const session of sessions) {
    const task: CompactingTask = { place, url: provider.url, how: "SIGSTOP", spared: [], session, concurrency: 1 };
    const zombie = startChild<CompactingLine>({ script: join(import.meta.dirname, "compacting-worker.ts"), task });
    await zombie.first("reached");
    zombies.push(zombie);
    onProgress(`${name}: ${zombies.length} of ${sessions.length} stopped`);
  }
  onProgress(`${name}: waiting for their leases`);
  await setTimeout(LEASE_MS + MARGIN_MS);
  // Code writes the summary: no model is called.
  for (const id of sessions) await (await palimpsest.session(id)).prompt();
  const violations: string[] = [];
  for (const zombie of zombies) zombie.process.kill("SIGCONT");
  for (const [index, zombie] of zombies.entries()) {
    const { code, complaint } = await zombie.ended;
    const session = sessions[index] ?? "";
    if (code !== 0 || complaint !== "") violations.push(`${session}: ended with ${code}: ${complaint.slice(0, 300)}`);
    if (zombie.lines.some(({ type }) => type === "compacted")) violations.push(`${session}: written by a zombie`);
  }
  const refused = zombies.filter(({ lines }) => lines.some(({ type }) => type === "stale")).length;
  let acknowledged = 0;
  let lost = 0;
  for (const id of sessions) {
    const entries = await store.tenant("local").readEntries(id, {});
    const stored = new Set(entries.map((entry) => entry.id));
    const records = entries.filter(({ type }) => type === "summary").length;
    if (records !== 1) violations.push(`${id}: ${records} records`);
    acknowledged += talkOf(0).length;
    lost += talkOf(0).filter((message) => !stored.has(message.id)).length;
  }
  await palimpsest.close();
  return { name, rounds, acknowledged, lost, duplicated: 0, violations, remarks: `${refused} refused as stale` };
}
