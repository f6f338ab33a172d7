/** Recalls passages for `fit` from the history that it is given: from messages that the result does not show. */

import type { View } from "../../core/log/view.ts";
import { createNoteMessage } from "../../core/log/view.ts";
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import { fallbackId } from "../../core/message/message-ids.ts";
import type { AssembledItem, AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import { RecallIndex } from "../../core/recall/recall-index.ts";
import { type Recollection, recallInSteps } from "../../core/recall/recall-passages.ts";
import { startCalibration } from "../../core/tokens/calibration.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import { planRecall } from "../recall/recall-for-prompt.ts";
import type { FitRun, FitSettings } from "./fit-run.ts";
import { sizeOf } from "./fit-run.ts";

export interface FitRecall {
  readonly recalled: Recollection;
  /** The block, to be placed after the newest message. */
  readonly item: AssembledItem;
}

export interface FitPromptState extends Pick<FitRun, "format" | "coverItems"> {
  readonly view: View;
  readonly assembled: AssembledPrompt;
  readonly isCompacted: boolean;
}

export async function recallForFit(
  history: readonly unknown[],
  fit: FitSettings,
  { view, assembled, isCompacted, format, coverItems }: FitPromptState,
): Promise<FitRecall | undefined> {
  const { settings, counts, limits } = fit;
  const query = planRecall({
    ...{ view, settings, counts, calibration: startCalibration(1), limitTokens: limits.limitTokens },
    ...{ tokens: sizeOf(assembled, fit), hasOpenCalls: assembled.closing().length > 0, isCompacted },
  });
  if (query === undefined) return undefined;
  const { messages } = decodeInput(history, { fallbackId, format });
  const covers = new Set(coverItems.map(({ item }) => item));
  const index = new RecallIndex();
  await runInSteps(index.addInSteps(messages.filter((_, item) => !covers.has(item)).flat()));
  const now = messages.flat().findLast(({ saidAt }) => saidAt !== undefined)?.saidAt;
  const recalled = await runInSteps(recallInSteps(index, { ...query, now }));
  if (recalled.passages.length === 0) return undefined;
  const message = createNoteMessage("recall", recalled.text);
  return { recalled, item: { section: "history", message, sources: [], tokens: recalled.tokens } };
}
