/** Drives the staircase: lets the event loop turn while it rests, and brings it the answers that it asks for. */

import type { Message } from "../../core/message/message.ts";
import type { BoundaryAnswer, Staircase, SummaryAnswer, SummaryTask } from "../../core/plan/staircase.ts";
import { yieldToEventLoop } from "../context/breathe.ts";

export interface Answers {
  readonly writeSummary: (task: SummaryTask) => Promise<SummaryAnswer>;
  readonly findBoundary: (messages: readonly Message[]) => Promise<BoundaryAnswer>;
}

export async function driveStaircase<Result>(staircase: Staircase<Result>, answers: Answers): Promise<Result> {
  for (;;) {
    const step = staircase.next();
    if (step.done === true) return step.value;
    if (step.value?.type === "summary") step.value.reply(await answers.writeSummary(step.value.task));
    else if (step.value?.type === "boundary") step.value.reply(await answers.findBoundary(step.value.messages));
    await yieldToEventLoop();
  }
}
