/**
 * Grows one contestant's conversation in its own process, and reports each measurement to its parent at once. The
 * parent sets time limits and compares.
 */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { TurnMessage } from "../turn-cost/contestant.ts";
import { bytesOnDisk } from "./bytes-on-disk.ts";
import type { KeptConversation, StoreContestant, Turn } from "./contestant.ts";
import type { GrowthReport, GrowthTask, SizeFigures } from "./growth-reports.ts";
import { LAST_TURNS, MAX_MEASURED_MS, MIN_TURNS, OPENINGS, PRELOADED_TURNS } from "./growth-reports.ts";
import { measureTime, timesOf } from "./part.ts";

const task = JSON.parse(process.argv[2] ?? "{}") as GrowthTask;
const { contestant } = (await import(task.moduleUrl)) as { readonly contestant: StoreContestant };
const { name, version, note, medium, feeding } = contestant;
// The measurement must end if its parent was killed.
process.once("disconnect", () => process.exit());
await tell({ type: "introduction", introduction: { name, version, note, medium, feeding } });
const conversation = await contestant.start(task);
await (feeding === "preloaded" ? growPreloaded() : growFed());
await conversation.close();
process.disconnect();

async function growFed(): Promise<void> {
  const turns = readTurns();
  let count = 0;
  let bytesBefore = await measureBytes();
  for (const messages of task.sizes) {
    await tell({ type: "size-start", messages });
    const turnMs: number[] = [];
    for (; count < messages; count += 2) turnMs.push(await conversation.turn(await nextTurn(turns)));
    await conversation.settle?.();
    const bytes = await measureBytes();
    const added = bytes === undefined || bytesBefore === undefined ? undefined : bytes - bytesBefore;
    bytesBefore = bytes;
    const bytesPerTurn = added === undefined ? undefined : added / turnMs.length;
    await tell({ type: "size-end", messages, figures: await figuresOf(turnMs.slice(-LAST_TURNS), bytesPerTurn) });
  }
}

async function growPreloaded(): Promise<void> {
  for (const messages of task.sizes) {
    const turns = readTurns();
    const measured = Math.min(PRELOADED_TURNS, messages / 4);
    const history: TurnMessage[] = [];
    while (history.length < messages - 2 * measured) history.push(...(await nextTurn(turns)));
    await tell({ type: "size-start", messages });
    await preload(conversation, history);
    const before = await measureBytes();
    const turnMs = await measureTurns(turns, measured);
    const bytes = await measureBytes();
    const bytesPerTurn = bytes === undefined || before === undefined ? undefined : (bytes - before) / turnMs.length;
    await tell({ type: "size-end", messages, figures: await figuresOf(turnMs, bytesPerTurn) });
  }
}

async function preload(kept: KeptConversation, history: readonly TurnMessage[]): Promise<void> {
  if (kept.preload === undefined) throw new Error(`${name} cannot be preloaded with a history`);
  await kept.preload(history);
}

async function measureTurns(turns: AsyncGenerator<Turn>, most: number): Promise<readonly number[]> {
  const turnMs: number[] = [];
  let spentMs = 0;
  while (turnMs.length < most && (turnMs.length < MIN_TURNS || spentMs < MAX_MEASURED_MS)) {
    const ms = await conversation.turn(await nextTurn(turns));
    turnMs.push(ms);
    spentMs += ms;
  }
  return turnMs;
}

async function figuresOf(turnMs: readonly number[], bytesPerTurn: number | undefined): Promise<SizeFigures> {
  const openMs: number[] = [];
  let openedMessages = 0;
  let spentMs = 0;
  while (openMs.length < OPENINGS && (openMs.length < MIN_TURNS || spentMs < MAX_MEASURED_MS)) {
    const { ms, result } = await measureTime(() => conversation.open());
    await result.close?.();
    openedMessages = result.messages;
    openMs.push(ms);
    spentMs += ms;
  }
  return { turn: timesOf(turnMs), open: timesOf(openMs), openedMessages, bytesPerTurn };
}

function measureBytes(): Promise<number | undefined> {
  return bytesOnDisk(medium, task.place);
}

async function nextTurn(turns: AsyncGenerator<Turn>): Promise<Turn> {
  const { value, done } = await turns.next();
  if (done === true) throw new Error("the conversation is shorter than the sizes to measure");
  return value;
}

async function* readTurns(): AsyncGenerator<Turn> {
  const lines = createInterface({ input: createReadStream(task.conversationFile) });
  let question: TurnMessage | undefined;
  for await (const line of lines) {
    const message = JSON.parse(line) as TurnMessage;
    if (question === undefined) {
      question = message;
    } else {
      yield [question, message];
      question = undefined;
    }
  }
}

/** Waits until the report was sent, because the next turn may block the process for minutes. */
function tell(report: GrowthReport): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(report, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}
