/**
 * Grows one contestant's conversation in its own process and collects its reports. A size that exceeds the time limit
 * is stopped with its process, and its row says so; earlier reports stay. A contestant that fails is an error of the
 * benchmark.
 */
import { type ChildProcess, fork } from "node:child_process";
import type { GrownSize, Growth, GrowthReport, GrowthTask, StoreContestantInfo } from "./growth-reports.ts";

export interface GrowthOptions {
  /** Time limit for one size. */
  readonly limitMs: number;
  readonly onSize: (name: string, size: GrownSize) => void;
}

export async function runGrowth(task: GrowthTask, options: GrowthOptions): Promise<Growth> {
  const child = fork(new URL("./grow.ts", import.meta.url), [JSON.stringify(task)], {
    execArgv: ["--max-old-space-size=8192", "--disable-warning=ExperimentalWarning"],
    // Only the benchmark's own output is the result; other output is progress.
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const gathering = gather(child, { ...options, task });
  child.on("message", (report) => gathering.take(report as GrowthReport));
  const ended = await new Promise<string>((resolve, reject) => {
    child.on("error", reject);
    // The last reports may arrive after the process has ended.
    child.on("exit", (code, signal) => {
      const end = () => resolve(String(code ?? signal));
      if (child.connected) child.once("disconnect", end);
      else end();
    });
  });
  const growth = gathering.end();
  if (growth === undefined) throw new Error(`${task.moduleUrl} ended with ${ended} before it was measured`);
  return growth;
}

function gather(child: ChildProcess, options: GrowthOptions & { readonly task: GrowthTask }) {
  const { task, limitMs, onSize } = options;
  const sizes: GrownSize[] = [];
  let introduction: StoreContestantInfo | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const add = (size: GrownSize) => {
    sizes.push(size);
    onSize(introduction?.name ?? task.moduleUrl, size);
  };
  const stop = (messages: number) => {
    isStopped = true;
    child.kill("SIGKILL");
    add({ messages, missingReason: `stopped after ${limitMs / 1_000} s` });
    for (const larger of task.sizes.filter((size) => size > messages)) {
      add({ messages: larger, missingReason: `not run: stopped at ${messages}` });
    }
  };
  const take = (report: GrowthReport) => {
    if (isStopped) return;
    switch (report.type) {
      case "introduction":
        introduction = report.introduction;
        break;
      case "size-start":
        timer = setTimeout(stop, limitMs, report.messages);
        break;
      case "size-end":
        clearTimeout(timer);
        add({ messages: report.messages, figures: report.figures });
        break;
      default:
        report satisfies never;
    }
  };
  const end = (): Growth | undefined => {
    clearTimeout(timer);
    if (introduction === undefined || sizes.length < task.sizes.length) return undefined;
    return { ...introduction, budgetTokens: task.budgetTokens, sizes };
  };
  return { take, end };
}
