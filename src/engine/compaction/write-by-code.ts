/** Writes the summary of a compaction by code: in the thread for summaries if there is one, else in steps. */
import { countCharacters } from "../../core/log/count-characters.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { SummaryTask } from "../../core/plan/staircase.ts";
import type { OfflineSummary } from "../../core/summary/offline/summarize-offline.ts";
import {
  type CodeSummary,
  type CodeSummaryTask,
  writeByCodeInSteps,
  writeOfflineInSteps,
} from "../../core/summary/offline/write-by-code.ts";
import type { Counter } from "../../core/tokens/counter.ts";
import { type QueuedWork, runQueued, takeTurn } from "../../ports/run-in-steps.ts";
import type { EngineContext } from "../context/engine-context.ts";

interface CodeWriter {
  readonly context: Pick<EngineContext, "store" | "summaryThread">;
  readonly settings: Pick<PlanSettings, "summary">;
  readonly counter: Counter;
  readonly instructions?: string | undefined;
  /** Whether no caller waits for the summary. */
  readonly isBackground?: boolean | undefined;
}

/** Copying a shorter stretch to another thread and back takes about as long as summarizing it. */
const MIN_THREAD_CHARACTERS = 4_000;

export async function writeByCode(task: SummaryTask, writer: CodeWriter): Promise<CodeSummary> {
  const { context, counter } = writer;
  const { summaryThread: thread } = context;
  const work = createTask(task, writer);
  if (thread !== undefined && countCharacters(work.stretch) >= MIN_THREAD_CHARACTERS) {
    const made = await takeTurn(describeTurn(writer), () => thread.write(work, counter.id));
    if (made !== undefined) return made;
  }
  return runQueued(writeByCodeInSteps(work, counter), describeTurn(writer));
}

function describeTurn({ context, isBackground = false }: CodeWriter): QueuedWork {
  return { owner: context.store, isBackground };
}

/** Writes lines that complete another summary, and checks nothing. */
export function writeLinesByCode(task: SummaryTask, writer: CodeWriter): Promise<OfflineSummary> {
  return runQueued(writeOfflineInSteps(createTask(task, writer), writer.counter), describeTurn(writer));
}

function createTask(task: SummaryTask, { instructions, settings }: CodeWriter): CodeSummaryTask {
  const { stretch, previous, capTokens, replacedTokens: sourceTokens } = task;
  const { headings, protectedShare } = settings.summary;
  return { stretch, previous, capTokens, sourceTokens, instructions, headings, protectedShare };
}
