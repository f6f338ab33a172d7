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
import { FairQueue, type QueuedWork, runQueued } from "../../ports/run-in-steps.ts";
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

/** Summaries that the thread has at a time, for callers and in the background. Their texts are copied. */
const MAX_CHARACTERS = 2_000_000;
const callers = new FairQueue({ maxRunning: 8, maxOwners: 12, maxWeight: MAX_CHARACTERS });
/** Fewer, because the thread divides its time among all of them. */
const background = new FairQueue({ maxRunning: 4, maxOwners: 8, maxWeight: MAX_CHARACTERS });

export async function writeByCode(task: SummaryTask, writer: CodeWriter): Promise<CodeSummary> {
  const work = createTask(task, writer);
  return (
    (await writeInThread(work, writer)) ?? runQueued(writeByCodeInSteps(work, writer.counter), describeTurn(writer))
  );
}

/** Returns undefined if there is no thread, or if it cannot write the summary. */
async function writeInThread(
  work: CodeSummaryTask,
  { context, counter, isBackground = false }: CodeWriter,
): Promise<CodeSummary | undefined> {
  const { summaryThread: thread, store } = context;
  const weight = thread === undefined ? 0 : countCharacters(work.stretch);
  if (thread === undefined || weight < MIN_THREAD_CHARACTERS) return undefined;
  return (isBackground ? background : callers).run(store, () => thread.write(work, counter.id), { weight });
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
