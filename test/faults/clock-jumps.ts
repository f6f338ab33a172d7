/**
 * F11: the clock of the machine jumps a day ahead and a day back between the turns of a conversation. Order is by seq
 * and not by time, leases use the store's own clock, and prompts are the same as without the jumps.
 */
import { openPalimpsest } from "../../src/compose.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Store } from "../../src/ports/store.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { checkWritten } from "../stores/check-written.ts";
import { type WriterLine, wordsOf } from "../stores/writer-task.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { withNewTenants } from "./open-stores.ts";

const DAY_MS = 86_400_000;
const TURNS = 12;
const LEASE_MS = 60_000;
const SESSION = "jumpy";
/**
 * A policy that compacts only when the prompt is full: after a day a provider's cache is cold, which would allow more
 * compactions.
 */
const TIMELESS = { triggers: [], background: false } as const;

export async function jumpClock(name: string, store: Store, options: FaultOptions): Promise<FaultResult> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const tally = { acknowledged: 0, lost: 0, duplicated: 0 };
  const violations: string[] = [];
  let rounds = 0;
  for (; rounds < options.rounds && performance.now() < until; rounds += 1) {
    const clock = scriptedClock({ startMs: 1_700_000_000_000, stepMs: 1 });
    const leap = () => clock.advance((random.integer(3) - 1) * DAY_MS);
    const [jumpy, steady] = [withNewTenants(store), withNewTenants(store)];
    const { prompts, reports } = await talk(jumpy, clock, leap);
    const expected = await talk(steady, scriptedClock({ startMs: 1_700_000_000_000, stepMs: 1 }), () => undefined);
    if (JSON.stringify(prompts) !== JSON.stringify(expected.prompts))
      violations.push("The prompts differ from those without jumps.");
    violations.push(...(await findDisorder(jumpy, leap)));
    const findings = await checkWritten(jumpy.tenant("local"), reports);
    violations.push(...findings.violations);
    tally.acknowledged += findings.acknowledged;
    tally.lost += findings.lost.length;
    tally.duplicated += findings.duplicated.length;
    options.onProgress(`${name}: ${rounds + 1} of ${options.rounds}`);
  }
  return { name, rounds, ...tally, violations };
}

async function talk(store: Store, clock: Clock, leap: () => void) {
  const palimpsest = await openPalimpsest({ store, clock, counter: "estimate", budgetTokens: 900, policy: TIMELESS });
  const session = await palimpsest.session(SESSION);
  const prompts: unknown[] = [];
  const reports: WriterLine[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    leap();
    const ids = [`t${turn}/0/2`, `t${turn}/1/2`];
    const messages = ids.map((id, index) => ({
      id,
      role: index === 0 ? "user" : "assistant",
      parts: [{ type: "text", text: `${wordsOf(id)} ${"It was decided long ago. ".repeat(12)}` }],
    }));
    const appended = await session.append(messages, { format: "palimpsest" });
    reports.push({ type: "appended", session: SESSION, ids, seqs: appended.messages.map(({ seq }) => seq) });
    leap();
    const { messages: shown, report } = await session.prompt();
    prompts.push([shown, report.tokens, report.compactions.length]);
  }
  await session.settle();
  return { prompts, reports };
}

async function findDisorder(store: Store, leap: () => void): Promise<readonly string[]> {
  const tenant = store.tenant("local");
  const violations: string[] = [];
  const ids = (await tenant.readEntries(SESSION, { types: ["message"] })).map(({ id }) => id);
  const expected = Array.from({ length: TURNS }, (_, turn) => [`t${turn}/0/2`, `t${turn}/1/2`]).flat();
  if (ids.join() !== expected.join()) violations.push("Messages are in another order.");
  const hits = await tenant.search({ text: "words of t", limit: 2 * TURNS, sessionId: SESSION });
  const found = hits.map(({ messageId }) => messageId);
  if (found.join() !== expected.toReversed().join()) violations.push("A search does not give the newest first.");
  const lease = await tenant.lease(SESSION, LEASE_MS);
  leap();
  if (lease === undefined || (await tenant.lease(SESSION, LEASE_MS)) !== undefined)
    violations.push("A lease was lost.");
  if (lease !== undefined && !(await tenant.renew(SESSION, lease, LEASE_MS)))
    violations.push("A lease was not renewed.");
  return violations;
}
