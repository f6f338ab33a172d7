/** Plays a conversation and its workspace through our engine. The policy determines the order of each prompt. */
import type { OpenOptions } from "../../src/compose.ts";
import type { SectionChange } from "../../src/core/log/entry.ts";
import type { Conversation } from "./conversation.ts";
import { MemoryWorkspace } from "./memory-workspace.ts";
import { openRun, type PlayOptions } from "./play.ts";
import { applyEvent } from "./play-fixed.ts";
import { type Totals, TotalsCounter } from "./totals.ts";

export interface OurOptions extends PlayOptions {
  readonly policy?: OpenOptions["policy"];
  /** Called for every request, to report what moved. */
  readonly onRequest?: ((request: OurRequest) => void) | undefined;
}

export interface OurRequest {
  readonly step: number;
  readonly promptTokens: number;
  readonly readTokens: number;
  readonly changes: readonly SectionChange[];
}

export async function playOurs(
  conversation: Conversation,
  { lane, reader, policy, onRequest }: OurOptions,
): Promise<Totals> {
  const disk = conversation.files === undefined ? undefined : new MemoryWorkspace(conversation.files);
  const run = await openRun(conversation, { lane, policy, workspace: disk });
  const { workspace } = run.session;
  const cache = lane.openCache();
  const tally = new TotalsCounter(lane.price);
  for (const [index, step] of conversation.steps.entries()) {
    for (const event of step.events) await applyEvent(event, { disk, workspace });
    const prompt = await run.ask(step, { instructions: conversation.instructions });
    const outcome = cache.send(reader.read(prompt.as(lane.provider), run.toolsText), step.timeMs);
    tally.add(outcome, { isCompacted: prompt.report.compaction !== undefined });
    const { plainTokens, readTokens, writeTokens } = outcome;
    const promptTokens = plainTokens + readTokens + writeTokens;
    onRequest?.({ step: index, promptTokens, readTokens, changes: prompt.report.changes });
    await run.answer(step, { prompt, outcome });
  }
  await run.close();
  return tally.totals;
}
