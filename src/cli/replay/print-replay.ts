/** The result of a replay as tables for the terminal. */

import { type PolicyResult, totalUsd } from "../../replay/play-session.ts";
import type { ReplayPolicy, SessionReplay } from "../../replay/replay-session.ts";
import { type Advice, errorOf, type ReplaySum, shareOf } from "../../replay/sum-replays.ts";
import { alignColumns } from "../terminal/align-columns.ts";
import type { Invocation } from "../terminal/command.ts";
import { describeCount } from "../terminal/terminal-text.ts";

export interface ReplayReport {
  readonly sum: ReplaySum;
  readonly advice: Advice | undefined;
  readonly policies: readonly ReplayPolicy[];
  readonly sessions: readonly SessionReplay[];
  readonly problems: readonly string[];
}

export async function printReplay({ say }: Invocation, report: ReplayReport): Promise<void> {
  const { sum, advice, sessions } = report;
  await say(`${describeCount(sum.sessions, "session", "sessions")}, ${count(sum.requests)} requests`);
  await say("");
  for (const columns of [COST_COLUMNS, MEMORY_COLUMNS]) {
    for (const line of alignColumns(listRows(sum, columns))) await say(line);
    await say("");
  }
  for (const line of EXPLANATION) await say(line);
  if (sum.recorded !== undefined) {
    await say("");
    for (const line of describeRecorded(sum)) await say(line);
    for (const line of alignColumns(listSessionRows(sessions))) await say(`  ${line}`);
  }
  if (advice === undefined) return;
  await say("");
  await say(describeAdvice(advice));
  const chosen = report.policies.find(({ name }) => name === advice.cheapest);
  if (chosen !== undefined) await say(`  ${writeSettings(chosen)}`);
}

export const EXPLANATION = [
  "cost: input, replies and summaries. cached: the share of input tokens that the provider's cache serves. new, expired,",
  "rewritten: tokens written to the cache because they were new, after a pause that was too long for the cache, and",
  "behind a change of the past. names, commands, words: of what the next tool calls and the user's next messages mention",
  "again, the share that the prompt still contains, at every tenth request. recalled: names that only recalled passages",
  "contain. invalid: broken rules of the provider, and prompts above their budget.",
];

type Column = readonly [title: string, read: (result: PolicyResult) => string];

export const COST_COLUMNS: readonly Column[] = [
  ["cost", (result) => dollars(totalUsd(result))],
  ["cached", ({ inputTokens, readTokens }) => percent(inputTokens === 0 ? undefined : readTokens / inputTokens)],
  ["tokens", ({ inputTokens }) => count(inputTokens)],
  ["peak", ({ peakTokens }) => count(peakTokens)],
  ["folds", ({ compactions }) => count(compactions)],
  ["new", ({ writes }) => count(writes.growth)],
  ["expired", ({ writes }) => count(writes.expired)],
  ["rewritten", ({ writes }) => count(writes.rewrite)],
];

export const MEMORY_COLUMNS: readonly Column[] = [
  ["names", ({ atMarks }) => percent(shareOf(atMarks.names))],
  ["commands", ({ atMarks }) => percent(shareOf(atMarks.commands))],
  ["words", ({ atMarks }) => percent(shareOf(atMarks.words))],
  ["names after folds", ({ atCuts }) => percent(shareOf(atCuts.names))],
  ["recalled", ({ broughtBack }) => count(broughtBack)],
  ["invalid", ({ complaints, overBudget }) => count(complaints + overBudget)],
];

export function listRows({ policies }: ReplaySum, columns: readonly Column[]): readonly (readonly string[])[] {
  return [
    ["policy", ...columns.map(([title]) => title)],
    ...Object.entries(policies).map(([name, result]) => [name, ...columns.map(([, read]) => read(result))]),
  ];
}

export function describeRecorded({ recorded }: ReplaySum): readonly string[] {
  if (recorded === undefined) return [];
  const { sessions, inputUsd, outputUsd, simulatedUsd, error, statedUsd } = recorded;
  const stated = statedUsd === undefined ? "" : ` Cost stated in the files: ${dollars(statedUsd)}.`;
  return [
    `Recorded: ${dollars(inputUsd)} for the input and ${dollars(outputUsd)} for the replies of ${describeCount(sessions, "session", "sessions")}, at the price list.${stated}`,
    `Simulated cost of the same input: ${dollars(simulatedUsd)} (${signed(error)}). By session:`,
  ];
}

export function listSessionRows(sessions: readonly SessionReplay[]): readonly (readonly string[])[] {
  const rows = sessions.flatMap(({ name, model, requests, recorded }) =>
    recorded === undefined
      ? []
      : [
          [
            name,
            model,
            count(requests),
            dollars(recorded.inputUsd),
            dollars(recorded.simulatedUsd),
            signed(errorOf(recorded)),
          ],
        ],
  );
  return [["session", "model", "requests", "recorded", "simulated", "difference"], ...rows];
}

export function describeAdvice({ reference, cheapest, usd, referenceUsd }: Advice): string {
  if (cheapest === reference) return `Keep ${reference}: no other policy is cheaper and forgets as little.`;
  const saved = referenceUsd === 0 ? 0 : 1 - usd / referenceUsd;
  return `Cheapest without forgetting more than ${reference}: ${cheapest}, ${dollars(usd)} instead of ${dollars(referenceUsd)} (${percent(saved)} less). Settings:`;
}

export function writeSettings({ policy }: ReplayPolicy): string {
  return JSON.stringify(typeof policy === "string" ? { preset: policy } : policy);
}

export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 10 ? 3 : 2)}`;
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function percent(share: number | undefined): string {
  return share === undefined ? "—" : `${(share * 100).toFixed(1)} %`;
}

function signed(share: number): string {
  return `${share < 0 ? "−" : "+"}${(Math.abs(share) * 100).toFixed(1)} %`;
}
