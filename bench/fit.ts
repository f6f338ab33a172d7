/**
 * The cost of `fit` on long histories, compared with common alternatives: histories of about 64,000 tokens are reduced
 * to 8,000. It times cold calls (the first of a process), calls without a state, and calls with the previous state
 * while the history grows. It uses real logs of coding agents if available, generated ones otherwise. Contestants run
 * one after the other, each in its own process, and the table shows what each keeps, because they do different work.
 *
 * `--no-peers` runs only Palimpsest, `--no-ours` only the peers, `--quick` two histories.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Message } from "../src/core/message/message.ts";
import { countMessage } from "../src/core/tokens/count-message.ts";
import { loadCounter } from "../src/counters/load-counter.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { readSessions } from "./cost/read-sessions.ts";
import { type FirstCallFigures, measureFirstCalls } from "./fit/first-call.ts";
import type { FitFigures, FitTask } from "./fit/measure.ts";
import { writeConversation } from "./offline-speed/conversations.ts";
import { mean } from "./shared/averages.ts";
import { installPeers, loadText, machineText, makeFolder, sayAs } from "./shared/surroundings.ts";
import { mustBe } from "./store/part.ts";
import type { RequiredFigure } from "./turn-cost/judge-turn-cost.ts";

const say = sayAs("fit");
const HISTORY_TOKENS = 64_000;
const BUDGET_TOKENS = 8_000;
const QUICK_HISTORIES = 2;
const GENERATED_BYTES = 400_000;

const MAX_WARM_MS = 150;
const MAX_LARGEST_MS = 400;
const MAX_FIRST_MS = 200;
const MAX_FIRST_MB = 90;

const ours = ["fit/palimpsest-stateless.ts", "fit/palimpsest-stateful.ts"];
const peers = ["peers/fit-langchain-trim.mjs", "peers/fit-ai-sdk-prune.mjs"];

export interface FitResult extends BenchResult {
  readonly musts: readonly RequiredFigure[];
}

export async function run({ args }: BenchRequest): Promise<FitResult> {
  const withPeers = !args.includes("--no-peers");
  if (withPeers) installPeers(say);
  const { histories, source } = await chooseHistories(args.includes("--quick") ? QUICK_HISTORIES : undefined);
  const folder = makeFolder(args);
  const historiesFile = writeHistories(folder, histories);
  const figures: FitFigures[] = [];
  for (const module of [...(args.includes("--no-ours") ? [] : ours), ...(withPeers ? peers : [])]) {
    const moduleUrl = new URL(module, import.meta.url).href;
    const measured = await measureApart({ moduleUrl, historiesFile, budgetTokens: BUDGET_TOKENS });
    say(`${measured.name}: cold ${measured.coldMs.toFixed(0)} ms, warm ${mean(measured.warmMs).toFixed(1)} ms`);
    figures.push(measured);
  }
  const musts = args.includes("--no-ours") ? [] : await judge(figures, folder);
  return {
    musts,
    name: "fit",
    title: `${histories.length} ${source} of about ${HISTORY_TOKENS} tokens into ${BUDGET_TOKENS}.`,
    rows: figures.map(rowOf),
    figures: figuresOf(figures),
    notes: [
      ...musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "MISSES"}`,
      ),
      ...figures.map(({ name, version, keeps }) => `${name} (${version}) keeps ${keeps}.`),
      "Times are CPU times, including garbage collection and compilation; a busy machine makes them longer too.",
      "warm: mean over histories of the median of five calls on the same list; with a state they have no new messages.",
      "A slow contestant makes fewer calls: none starts after 5 s on one history.",
      "growing: the median of calls over the last 24 messages, one by one. continued: the share of those whose result begins with the previous result, except for its last message, so that a provider can read it from its cache.",
      "tokens: of the result, by o200k for all contestants. LangChain's summarizationMiddleware is left out: its time is that of its model.",
      `${machineText()}, load ${loadText()} at the end.`,
    ],
  };
}

function writeHistories(folder: string, histories: readonly (readonly Message[])[]): string {
  const path = join(folder, `${histories.length}-histories.jsonl`);
  writeFileSync(path, histories.map((messages) => JSON.stringify(messages)).join("\n"));
  return path;
}

async function judge(figures: readonly FitFigures[], folder: string): Promise<readonly RequiredFigure[]> {
  const stateless = figures.find(({ name }) => name.includes("no state"));
  const largest = await measureLargest(folder);
  const first: FirstCallFigures = measureFirstCalls(folder);
  const warm = stateless && mean(stateless.warmMs);
  return [
    mustBe({ text: "64k, no state, warm", value: warm, unit: " ms", atMost: MAX_WARM_MS }),
    mustBe({ text: "largest history, no state, warm", value: largest, unit: " ms", atMost: MAX_LARGEST_MS }),
    mustBe({ text: "process with a first fit", value: first.cpuMs, unit: " ms", atMost: MAX_FIRST_MS }),
    mustBe({ text: "memory of that process", value: first.rssBytes / 1e6, unit: " MB", atMost: MAX_FIRST_MB }),
  ];
}

/** Returns the time of warm calls on the longest recorded session, or undefined if none is recorded. */
async function measureLargest(folder: string): Promise<number | undefined> {
  const sessions = readSessions()?.map(({ messages }) => messages) ?? [];
  const [longest] = sessions.toSorted((left, right) => JSON.stringify(right).length - JSON.stringify(left).length);
  if (longest === undefined) return undefined;
  const historiesFile = writeHistories(folder, [longest]);
  const moduleUrl = new URL("fit/palimpsest-stateless.ts", import.meta.url).href;
  const { warmMs } = await measureApart({ moduleUrl, historiesFile, budgetTokens: BUDGET_TOKENS });
  return mean(warmMs);
}

function rowOf({ name, coldMs, warmMs, growingMs, continued, tokens }: FitFigures): BenchResult["rows"][number] {
  return {
    contestant: name,
    "cold ms": coldMs,
    "warm ms": mean(warmMs),
    "slowest warm ms": Math.max(...warmMs),
    "growing ms": growingMs,
    continued,
    tokens: Math.round(mean(tokens)),
    "most tokens": Math.max(...tokens),
  };
}

/** Computes ratios within one run, so that the load of the machine affects both sides. */
function figuresOf(figures: readonly FitFigures[]): Readonly<Record<string, number>> {
  const ours = figures.find(({ name }) => name.includes("no state"));
  const stateful = figures.find(({ name }) => name.includes("with state"));
  const trim = figures.find(({ name }) => name.startsWith("LangChain"));
  if (ours === undefined || stateful === undefined) return {};
  const own = { "64k warm, ms": mean(ours.warmMs), "with state while growing, ms": stateful.growingMs };
  if (trim === undefined) return own;
  return {
    ...own,
    "no state over trimMessages, warm": mean(ours.warmMs) / mean(trim.warmMs),
    "with state over trimMessages, growing": stateful.growingMs / trim.growingMs,
  };
}

interface ChosenHistories {
  readonly histories: readonly (readonly Message[])[];
  readonly source: string;
}

/** Takes the beginning of each history, up to the size; shorter histories are left out. */
async function chooseHistories(most: number | undefined): Promise<ChosenHistories> {
  const counter = await loadCounter("o200k");
  const recorded = readSessions();
  const generated = () => [1, 2, 3, 4].map((seed) => writeConversation("agent log", { bytes: GENERATED_BYTES, seed }));
  const all = recorded?.map(({ messages }) => messages) ?? generated();
  const histories = all.flatMap((messages) => {
    let tokens = 0;
    const end = messages.findIndex((message) => {
      tokens += countMessage(message, counter);
      return tokens >= HISTORY_TOKENS;
    });
    return end < 0 ? [] : [messages.slice(0, end + 1)];
  });
  const source = recorded === undefined ? "generated agent logs" : "real logs of coding agents";
  return { histories: histories.slice(0, most), source };
}

const MEASURE = fileURLToPath(new URL("fit/measure.ts", import.meta.url));

async function measureApart(task: FitTask): Promise<FitFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURE, JSON.stringify(task)], { maxBuffer: 1e7 });
  return JSON.parse(stdout);
}
