import { describe, expect, test } from "vitest";
import { type CodeSummaryTask, writeByCodeInSteps } from "../../core/summary/offline/write-by-code.ts";
import { runSteps } from "../../core/tokens/count-text.ts";
import { loadCounter } from "../../counters/load-counter.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { findSummaryThread } from "./summary-thread.ts";

const { aUserMessage } = messageBuilder();

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
    const made = await Promise.all(tasks.map((task) => findSummaryThread().write(task, counter.id)));
    expect(made).toEqual(tasks.map((task) => runSteps(writeByCodeInSteps(task, counter))));
    expect(made[0]?.checked.text).toContain("cargo");
  });

  test("leaves a summary to its caller if it has no such counter, or the messages cannot be copied", async () => {
    const task = createTask("log");
    const uncopied = { ...task, instructions: (() => "") as unknown as string };
    const made = [findSummaryThread().write(task, "own@1"), findSummaryThread().write(uncopied, "o200k@1")];
    expect(await Promise.all(made)).toEqual([undefined, undefined]);
  });
});
