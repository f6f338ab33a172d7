/**
 * Sends a conversation in fixed orders. The history comes from one of our sessions without a workspace, so that all
 * orders fold the same stretches. Content besides the conversation is counted as instructions, because it takes
 * up the same space.
 */
import { FORMATS } from "../../src/core/message/formats/formats.ts";
import type { Message } from "../../src/core/message/message.ts";
import { renderPrompt } from "../../src/core/prompt/render/render-prompt.ts";
import { layOutHistory, layOutTexts, type WorkspaceLayout } from "../../src/core/prompt/workspace/lay-out-workspace.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import { WorkspaceContext } from "../../src/engine/workspace/workspace-context.ts";
import type { Conversation, WorkspaceEvent } from "./conversation.ts";
import type { FixedOrder } from "./fixed-orders.ts";
import { MemoryWorkspace } from "./memory-workspace.ts";
import { openRun, type PlayOptions } from "./play.ts";
import { type Totals, TotalsCounter } from "./totals.ts";

export async function playFixedOrders(
  conversation: Conversation,
  orders: Readonly<Record<string, FixedOrder>>,
  { lane, reader }: PlayOptions,
): Promise<ReadonlyMap<string, Totals>> {
  const run = await openRun(conversation, { lane });
  const disk = conversation.files === undefined ? undefined : new MemoryWorkspace(conversation.files);
  const workspace = new WorkspaceContext(disk);
  const racers = Object.entries(orders).map(([name, order]) => ({
    name,
    order,
    cache: lane.openCache(),
    tally: new TotalsCounter(lane.price),
  }));
  for (const step of conversation.steps) {
    for (const event of step.events) await applyEvent(event, { disk, workspace });
    const gathered = await workspace.gather();
    const layout = gathered === undefined ? undefined : layOutHistory(layOutTexts(gathered));
    const prompt = await run.ask(step, { instructions: withRoomFor(conversation.instructions, layout) });
    const input = { instructions: conversation.instructions, layout, history: historyOf(prompt) };
    const isCompacted = prompt.report.compaction !== undefined;
    const outcomes = racers.map(({ order, cache, tally }) => {
      const body = renderPrompt({ ...order(input), provider: lane.provider });
      const outcome = cache.send(reader.read(body, run.toolsText), step.timeMs);
      tally.add(outcome, { isCompacted });
      return outcome;
    });
    await run.answer(step, { prompt, outcome: outcomes[0] });
  }
  await run.close();
  return new Map(racers.map(({ name, tally }) => [name, tally.totals]));
}

interface Scene {
  readonly disk: MemoryWorkspace | undefined;
  readonly workspace: Pick<WorkspaceContext, "files" | "addLink">;
}

export async function applyEvent(event: WorkspaceEvent, { disk, workspace }: Scene): Promise<void> {
  switch (event.type) {
    case "write":
      disk?.write(event.path, event.text);
      break;
    case "delete":
      disk?.remove(event.path);
      break;
    case "choose":
      await workspace.files.add(event.path);
      break;
    case "drop":
      workspace.files.remove(event.path);
      break;
    case "link":
      await workspace.addLink(event.url, event.text);
      break;
    default:
      event satisfies never;
  }
}

function withRoomFor(instructions: string, layout: WorkspaceLayout | undefined): string {
  const shown = (layout?.uncached ?? []).flatMap(({ parts }) => parts.map((part) => ("text" in part ? part.text : "")));
  return [instructions, layout?.system ?? "", ...shown].join("\n\n");
}

function historyOf(prompt: Prompt): readonly Message[] {
  return prompt.messages.flatMap((item, index) =>
    FORMATS["ai-sdk-model"].decode(item, { path: `messages[${index}]`, fallbackId: `h${index}` }),
  );
}
