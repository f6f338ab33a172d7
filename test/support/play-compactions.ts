/**
 * Plays a history into a session in portions, creates a prompt after each, and reports what every step did: sizes
 * before and after, entries written, and summarizer requests and answers.
 */
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Entry } from "../../src/core/log/entry.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { EngineEvents } from "../../src/engine/context/events.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { type AnswerPlan, type PlannedSummarizer, plannedSummarizer } from "./generate-answers.ts";
import { openEngine } from "./open-engine.ts";

export interface CompactionRun {
  readonly history: readonly Message[];
  /** Messages of each portion, in a cycle. */
  readonly pieces: readonly number[];
  readonly plans: readonly AnswerPlan[];
  readonly budgetTokens: number;
  readonly policy: PolicyInput;
}

type Compaction = EngineEvents["compaction"];

export interface CompactionStep {
  readonly session: Session;
  readonly budgetTokens: number;
  /** Tokens of the prompt without a limit. */
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  readonly entriesBefore: readonly Entry[];
  readonly entriesAfter: readonly Entry[];
  readonly prompt: Prompt | PalimpsestError;
  readonly compactions: readonly Compaction[];
  readonly starts: readonly EngineEvents["compaction-start"][];
  readonly ends: readonly EngineEvents["compaction-end"][];
  readonly attempts: readonly EngineEvents["summary"][];
  readonly asked: PlannedSummarizer["asked"];
}

const UNLIMITED = 100_000_000;

export async function playCompactions(
  run: CompactionRun,
  onStep: (step: CompactionStep) => void | Promise<void>,
): Promise<void> {
  const { history, pieces, plans, budgetTokens, policy } = run;
  const store = createMemoryStore();
  const summarizer = plannedSummarizer(plans);
  const { engine, of } = openEngine({ store, summarizer, policy, budgetTokens });
  const session = await engine.session();
  const read = () => store.tenant("local").readEntries(session.id, {});
  const size = async () => {
    const { report } = await session.prompt({ preview: true, budgetTokens: UNLIMITED });
    return report.tokens - (report.recalled?.tokens ?? 0);
  };
  let appended = 0;
  for (let step = 0; appended < history.length; step += 1) {
    const count = Math.max(1, pieces[step % Math.max(1, pieces.length)] ?? 1);
    await session.append(history.slice(appended, appended + count), { format: "palimpsest" });
    appended += count;
    const marks = [of("compaction"), of("compaction-start"), of("compaction-end"), of("summary")].map((l) => l.length);
    const askedBefore = summarizer.asked.length;
    const [sizeBefore, entriesBefore] = [await size(), await read()];
    const prompt = await session.prompt().catch((error: unknown) => {
      if (error instanceof PalimpsestError && error.code === "does-not-fit") return error;
      throw error;
    });
    await session.settle();
    const [sizeAfter, entriesAfter] = [await size(), await read()];
    await onStep({
      session,
      budgetTokens,
      sizeBefore,
      sizeAfter,
      entriesBefore,
      entriesAfter,
      prompt,
      compactions: of("compaction").slice(marks[0]),
      starts: of("compaction-start").slice(marks[1]),
      ends: of("compaction-end").slice(marks[2]),
      attempts: of("summary").slice(marks[3]),
      asked: summarizer.asked.slice(askedBefore),
    });
  }
}
