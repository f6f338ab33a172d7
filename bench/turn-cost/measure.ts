/**
 * Measures one contestant in its own process, started with a task as its argument. It reports each measurement to its
 * parent at once, so that a parent that stops it keeps the earlier ones. The parent sets time limits and compares.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { setImmediate as nextLoop } from "node:timers/promises";
import type { Contestant, ContestantSession, PromptMessage, TurnMessage } from "./contestant.ts";
import { promptText } from "./contestant.ts";
import type { FeedTotals, MeasureReport, MeasureTask, PromptSize, TurnFigures } from "./figures.ts";
import { figuresOfTurns, maxMeasuredMs, minTurns, percentile, turnsBeforeSize, turnsFromSize } from "./figures.ts";

const task = JSON.parse(process.argv[2] ?? "{}") as MeasureTask;
const { contestant } = (await import(task.moduleUrl)) as { readonly contestant: Contestant };
const { name, version, note, feeding } = contestant;
// The measurement must end if its parent was killed.
process.once("disconnect", () => process.exit());
await tell({ type: "introduction", introduction: { name, version, note, feeding } });
await tell({ type: "end", totals: await (feeding === "preloaded" ? measurePreloaded() : measureFed()) });
process.disconnect();

async function measurePreloaded(): Promise<FeedTotals> {
  for (const messages of task.sizes) {
    const conversation: TurnMessage[] = [];
    for await (const message of readConversation(messages + turnsFromSize - 1)) conversation.push(message);
    const session = await start(conversation.slice(0, messages - 1));
    await tell({ type: "size-start", messages });
    // The first measured turn is the one in which the conversation reaches the size.
    const figures = await measureTurns(session, conversation.slice(messages - 1));
    await tell({ type: "size-end", figures });
  }
  return { heapUsedBytes: measureHeap() };
}

async function measureTurns(session: ContestantSession, messages: readonly TurnMessage[]): Promise<TurnFigures> {
  const turnsMs: number[] = [];
  let spentMs = 0;
  let prompt: readonly PromptMessage[] = [];
  for (const message of messages) {
    const timed = await timeTurn(session, message);
    prompt = timed.prompt;
    turnsMs.push(timed.ms);
    spentMs += timed.ms;
    await tell({ type: "turn-end", ms: timed.ms });
    if (turnsMs.length >= minTurns && spentMs > maxMeasuredMs) break;
  }
  return figuresOfTurns(turnsMs, await measurePrompt(prompt));
}

async function measureFed(): Promise<FeedTotals> {
  const session = await start([]);
  const messages = readConversation(task.sizes.at(-1) ?? 0);
  let appendedCount = 0;
  let fedMs = 0;
  for (const size of task.sizes) {
    await tell({ type: "size-start", messages: size });
    const phase = await feed(session, { messages, count: size - appendedCount });
    appendedCount = size;
    fedMs += phase.ms;
    await tell({ type: "size-end", figures: phase.figures });
  }
  const compactions = session.compactions?.();
  return { heapUsedBytes: measureHeap(), messagesPerSecond: (appendedCount / fedMs) * 1_000, compactions };
}

async function feed(
  session: ContestantSession,
  { messages, count }: { readonly messages: AsyncGenerator<TurnMessage>; readonly count: number },
): Promise<{ readonly ms: number; readonly figures: TurnFigures }> {
  const turnsMs: number[] = [];
  let ms = 0;
  let prompt: readonly PromptMessage[] = [];
  while (turnsMs.length < count) {
    const { value: message, done } = await messages.next();
    if (done === true) throw new Error("the conversation is shorter than the sizes to measure");
    const before = performance.now();
    const timed = await timeTurn(session, message);
    // Background work runs here, so the mean includes it although no turn waited.
    await nextLoop();
    ms += performance.now() - before;
    turnsMs.push(timed.ms);
    prompt = timed.prompt;
  }
  const last = figuresOfTurns(turnsMs.slice(-turnsBeforeSize), await measurePrompt(prompt));
  return { ms, figures: { ...last, maxMs: percentile(turnsMs, 1), meanMs: ms / count } };
}

function start(history: readonly TurnMessage[]): Promise<ContestantSession> {
  const { budgetTokens, messageTokens } = task;
  return contestant.start({ budgetTokens, messageTokens, history });
}

async function timeTurn(session: ContestantSession, message: TurnMessage) {
  const before = performance.now();
  const prompt = await session.turn(message);
  return { ms: performance.now() - before, prompt };
}

async function* readConversation(messageCount: number): AsyncGenerator<TurnMessage> {
  const lines = createInterface({ input: createReadStream(task.conversationFile) });
  let read = 0;
  for await (const line of lines) {
    yield JSON.parse(line) as TurnMessage;
    read += 1;
    if (read === messageCount) return;
  }
}

/** Loads its tokenizer on first use, after turns were timed, so that it warms no cache. */
async function measurePrompt(prompt: readonly PromptMessage[]): Promise<PromptSize> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  const tokens = prompt.reduce((sum, message) => sum + countTokens(promptText(message)), 0);
  return { messages: prompt.length, tokens };
}

function measureHeap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Waits until the report was sent, because the next turn may block the process for minutes. */
function tell(report: MeasureReport): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(report, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}
