/** F18: a megabyte of text of every kind, through all calls of a session, on a store in memory or in files. */
import { createHash } from "node:crypto";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import { cpuMsOf } from "../support/growth.ts";
import { LONG_TEXTS } from "../support/long-texts.ts";
import { playLongText, type TextStore } from "../support/play-long-text.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";

const BYTES = 1_000_000;
/** Limits of CPU time for one step and for one call, on a machine of usual speed. */
const MAX_STEP_MS = 50;
const MAX_MS_PER_CALL = 2_000;
/** CPU time of `hashSome` on a machine of usual speed. */
const USUAL_HASH_MS = 10;
const TRIES = 3;

export async function playLongTexts(
  store: TextStore,
  folder: TemporaryFolder,
  options: FaultOptions,
): Promise<FaultResult> {
  await playLongText("warm up ".repeat(20_000), store, folder.newPath());
  const violations: string[] = [];
  let [longestMs, maxMs] = [0, 0];
  for (const { name, build } of LONG_TEXTS) {
    const { costs, slow } = await playQuietly(build(BYTES), store, folder);
    violations.push(...slow.map((cost) => `${name}, ${cost.call}: ${describe(cost)}`));
    longestMs = Math.max(longestMs, ...costs.map((cost) => cost.longestMs));
    maxMs = Math.max(maxMs, ...costs.map((cost) => cost.totalMs));
    options.onProgress(`${store}, ${name}: ${costs.map((cost) => `${cost.call} ${describe(cost)}`).join("; ")}`);
  }
  const remarks = `longest step ${Math.round(longestMs)} ms, longest call ${Math.round(maxMs)} ms`;
  const rounds = LONG_TEXTS.length;
  return { name: store, rounds, acknowledged: rounds, lost: 0, duplicated: 0, violations, remarks };
}

/** Plays a slow text again, because other work on the machine can make a step longer. */
async function playQuietly(text: string, store: TextStore, folder: TemporaryFolder) {
  for (let left = TRIES; ; left -= 1) {
    const slowness = Math.max(1, (await cpuMsOf(hashSome)) / USUAL_HASH_MS);
    const costs = await playLongText(text, store, folder.newPath());
    const slow = costs.filter(
      (cost) => cost.longestMs > MAX_STEP_MS * slowness || cost.totalMs > MAX_MS_PER_CALL * slowness,
    );
    if (slow.length === 0 || left === 1) return { costs, slow };
  }
}

function describe({ longestMs, totalMs }: { readonly longestMs: number; readonly totalMs: number }): string {
  return `${Math.round(longestMs)}/${Math.round(totalMs)} ms`;
}

function hashSome(): string {
  return createHash("sha256").update(Buffer.alloc(16_000_000)).digest("hex");
}
