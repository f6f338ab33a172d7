import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { type CodeSummaryTask, writeByCodeInSteps } from "../../core/summary/offline/write-by-code.ts";
import { runSteps } from "../../core/tokens/count-text.ts";
import { loadCounter } from "../../counters/load-counter.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { WorkerSummaries } from "./summary-thread.ts";

const { aUserMessage } = messageBuilder();
const thread = new WorkerSummaries();

function createTask(subject: string): CodeSummaryTask {
  const stretch = Array.from({ length: 80 }, (_, index) =>
    aUserMessage(`Please never delete the ${subject} of ship ${index}. It lies at pier ${index * 7}.`),
  );
  return {
    stretch,
    previous: undefined,
    capTokens: 400,
    sourceTokens: undefined,
    instructions: undefined,
    headings: "english",
    protectedShare: 0.5,
  };
}

describe("the thread for summaries", () => {
  test("writes the same summaries as the main thread, several at a time", async () => {
    const counter = await loadCounter("o200k");
    const tasks = ["cargo", "crew"].map(createTask);
    const made = await Promise.all(tasks.map((task) => thread.write(task, counter.id)));
    expect(made).toEqual(tasks.map((task) => runSteps(writeByCodeInSteps(task, counter))));
    expect(made[0]?.checked.text).toContain("cargo");
  });

  test("leaves summaries to their callers if it hangs, and is started again for the next one", async () => {
    let starts = 0;
    const startWorker = () => {
      starts += 1;
      return new Worker(new URL("data:text/javascript,for (;;);"));
    };
    const hung = new WorkerSummaries({ startWorker, maxAnswerMs: 20 });
    const tasks = ["cargo", "crew"].map(createTask);
    expect(await Promise.all(tasks.map((task) => hung.write(task, "o200k@1")))).toEqual([undefined, undefined]);
    expect([starts, await hung.write(createTask("log"), "o200k@1"), starts]).toEqual([1, undefined, 2]);
  });

  test("leaves a summary to its caller if it has no such counter, or the messages cannot be copied", async () => {
    const task = createTask("log");
    const uncopied = { ...task, instructions: (() => "") as unknown as string };
    const made = [thread.write(task, "own@1"), thread.write(uncopied, "o200k@1")];
    expect(await Promise.all(made)).toEqual([undefined, undefined]);
  });
});
