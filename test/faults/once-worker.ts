/**
 * One of several processes that see the same triggers: it sends the same messages as the others to a shared session
 * until the session is too long, appends a line to a shared journal, and requests a prompt. It reports what was
 * acknowledged, and at the end its summarizer's requests and their outcomes. A failing store is retried.
 */
import { writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { createOpenAI } from "@ai-sdk/openai";
import { openPalimpsest } from "../../src/compose.ts";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import { longTalk } from "../support/long-talk.ts";
import { openPlace, type Place } from "./place.ts";

export interface OnceTask {
  readonly place: Place;
  /** Address of the summarizer. */
  readonly url: string;
  readonly name: string;
  readonly sessions: number;
  readonly triggers: number;
}

export interface OnceTotals {
  /** Requests to the summarizer, counted here. */
  readonly calls: number;
  /** Written compactions with a summary by the model. */
  readonly records: number;
  /** Useless answers, and requests that failed or were canceled. */
  readonly rejected: number;
  /** Good answers that arrived too late, because another process had changed the past or had the lease. */
  readonly lost: number;
  /** Summaries by code, because the breaker stopped calls to the model. */
  readonly unasked: number;
}

export type OnceLine =
  | { readonly type: "ready" }
  /** Everything was acknowledged: the common messages, its own line, and the prompt. */
  | { readonly type: "done"; readonly trigger: number; readonly tokens: number }
  | { readonly type: "totals"; readonly totals: OnceTotals; readonly failures: number };

export const JOURNAL = "journal";
export const TURNS = 9;
export const BUDGET_TOKENS = 900;
export const sessionOf = (trigger: number, sessions: number): string => `shared-${trigger % sessions}`;
export const talkOf = (trigger: number) => longTalk({ turns: TURNS, from: trigger * TURNS });
export const lineOf = (name: string, trigger: number): string => `${name} saw trigger ${trigger}`;

const MAX_TRIES = 200;
const PAUSE_MS = 50;

async function main({ place, url, name, sessions, triggers }: OnceTask): Promise<void> {
  const store = await openPlace(place);
  const summarizer = createOpenAI({ baseURL: `${url}/v1`, apiKey: "test-key" }).chat("gpt-4.1-mini");
  const palimpsest = await openPalimpsest({ store, summarizer, counter: "estimate", budgetTokens: BUDGET_TOKENS });
  const readTotals = countSummaries(palimpsest);
  let failures = 0;
  const insist = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof PalimpsestError && error.retryable) || tries === MAX_TRIES) throw error;
        failures += 1;
        await setTimeout(PAUSE_MS);
      }
    }
  };
  const journal = await insist(() => palimpsest.session(JOURNAL));
  tell({ type: "ready" });
  for (let trigger = 0; trigger < triggers; trigger += 1) {
    const session = await insist(() => palimpsest.session(sessionOf(trigger, sessions)));
    await insist(() => session.append(talkOf(trigger), { format: "palimpsest" }));
    const line = { id: `${name}-${trigger}`, role: "user", content: lineOf(name, trigger) };
    await insist(() => journal.append([line]));
    const { report } = await insist(() => session.prompt());
    tell({ type: "done", trigger, tokens: report.tokens });
  }
  await palimpsest.close();
  tell({ type: "totals", totals: readTotals(), failures });
}

function countSummaries(palimpsest: Palimpsest): () => OnceTotals {
  const totals = { calls: 0, records: 0, rejected: 0, lost: 0, unasked: 0 };
  palimpsest.on("summary", ({ calls, outcome }) => {
    totals.calls += calls;
    if (calls === 0) totals.unasked += 1;
    if (outcome !== "accepted") totals.rejected += calls;
  });
  palimpsest.on("compaction", ({ record, attempts }) => {
    if (record !== undefined && attempts.some(({ outcome }) => outcome === "accepted")) totals.records += 1;
  });
  palimpsest.on("compaction-end", ({ attempts }) => {
    totals.lost += attempts.filter(({ outcome }) => outcome === "accepted").length;
  });
  return () => ({ ...totals });
}

function tell(line: OnceLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? ""));
