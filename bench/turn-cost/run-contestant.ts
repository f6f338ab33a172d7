/**
 * Runs one contestant in its own process and collects its reports. A size that exceeds the time limit is stopped with
 * its process, and the row says so; earlier reports stay. A contestant that fails is an error of the benchmark.
 */
import { type ChildProcess, fork } from "node:child_process";
import type { MeasureReport, TurnFigures } from "./figures.ts";
import { type ContestantInfo, type FeedTotals, figuresOfTurns, type MeasureTask } from "./figures.ts";

export interface SizeRow {
  readonly messages: number;
  readonly figures?: TurnFigures | undefined;
  /** The reason why figures are missing, or are from fewer turns than requested. */
  readonly stopped?: string | undefined;
}

export interface ContestantResult extends ContestantInfo {
  readonly budgetTokens: number;
  readonly sizes: readonly SizeRow[];
  readonly totals?: FeedTotals | undefined;
}

export interface RunOptions {
  readonly limitMs: number;
  /** Called as soon as a size is done, with the contestant's name. */
  readonly onSize: (name: string, row: SizeRow) => void;
}

export function runContestant(task: MeasureTask, options: RunOptions): Promise<ContestantResult> {
  const child = fork(new URL("./measure.ts", import.meta.url), [JSON.stringify(task)], {
    execArgv: ["--expose-gc", "--max-old-space-size=8192"],
    // Only the benchmark's own output is the result; other output is progress.
    stdio: ["ignore", 2, 2, "ipc"],
  });
  return new Promise((resolve, reject) => {
    const gathered = gatherReports(child, { task, ...options });
    child.on("message", (report) => gathered.take(report as MeasureReport));
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      const finish = () => {
        const result = gathered.end();
        if (result !== undefined) resolve(result);
        else reject(new Error(`${task.moduleUrl} ended with ${code ?? signal} before it was measured`));
      };
      // The last reports may arrive after the process has ended.
      if (child.connected) child.once("disconnect", finish);
      else finish();
    });
  });
}

function gatherReports(child: ChildProcess, options: RunOptions & { readonly task: MeasureTask }) {
  const { task, limitMs } = options;
  const sizes: SizeRow[] = [];
  let introduction: ContestantInfo | undefined;
  let totals: FeedTotals | undefined;
  let current: { readonly messages: number; readonly turnsMs: number[] } | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const add = (row: SizeRow) => {
    sizes.push(row);
    if (introduction !== undefined) options.onSize(introduction.name, row);
  };
  const stop = () => {
    isStopped = true;
    child.kill("SIGKILL");
    if (current === undefined) return;
    const { messages, turnsMs } = current;
    const after = `stopped after ${limitMs / 1_000} s`;
    const figures = turnsMs.length === 0 ? undefined : figuresOfTurns(turnsMs);
    add({ messages, figures, stopped: turnsMs.length === 0 ? `${after}, no turn finished` : after });
    for (const larger of task.sizes.filter((size) => size > messages)) {
      add({ messages: larger, stopped: `not run: ${after} at ${messages}` });
    }
  };
  const take = (report: MeasureReport) => {
    if (isStopped) return;
    switch (report.type) {
      case "introduction":
        introduction = report.introduction;
        break;
      case "size-start":
        current = { messages: report.messages, turnsMs: [] };
        timer = setTimeout(stop, limitMs);
        break;
      case "turn-end":
        current?.turnsMs.push(report.ms);
        break;
      case "size-end":
        clearTimeout(timer);
        if (current !== undefined) add({ messages: current.messages, figures: report.figures });
        break;
      case "end":
        totals = report.totals;
        break;
      default:
        report satisfies never;
    }
  };
  const end = (): ContestantResult | undefined => {
    clearTimeout(timer);
    if (introduction === undefined || sizes.length < task.sizes.length) return undefined;
    return { ...introduction, budgetTokens: task.budgetTokens, sizes, totals };
  };
  return { take, end };
}
