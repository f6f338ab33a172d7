/**
 * Simple ways to put files and history into one prompt: each part has a fixed place, whatever changes. They show the
 * same texts as our order, and mark the end of every part.
 */
import type { Message } from "../../src/core/message/message.ts";
import type { WorkspaceLayout } from "../../src/core/prompt/workspace/lay-out-workspace.ts";

export interface OrderInput {
  readonly instructions: string;
  /** The content shown besides the conversation, without tiers. */
  readonly layout: WorkspaceLayout | undefined;
  readonly history: readonly Message[];
}

export interface OrderedRequest {
  readonly instructions: string;
  readonly messages: readonly Message[];
  /** Index of a message; -1 is the system text. */
  readonly breakpoints: readonly number[];
}

export type FixedOrder = (input: OrderInput) => OrderedRequest;

export const FIXED_ORDERS = {
  "all in system": ({ instructions, layout, history }) => {
    const texts = (layout?.uncached ?? []).filter(({ role }) => role === "user").flatMap(textsOf);
    return join([instructions, layout?.system ?? "", ...texts], [[], splitTurn(history)[0], splitTurn(history)[1]]);
  },
  "files last": ({ instructions, layout, history }) => {
    const [before, turn] = splitTurn(history);
    const isWorking = ({ id }: Message) => id.startsWith("workspace-working");
    const shown = layout?.uncached ?? [];
    const rest = shown.filter((message) => !isWorking(message));
    return join([instructions, layout?.system ?? ""], [rest, before, [...shown.filter(isWorking), ...turn]]);
  },
  "tree and files after history": ({ instructions, layout, history }) => {
    const [before, turn] = splitTurn(history);
    return join([instructions, layout?.system ?? ""], [before, layout?.uncached ?? [], turn]);
  },
} as const satisfies Readonly<Record<string, FixedOrder>>;

/** Splits messages at the newest user message. */
function splitTurn(history: readonly Message[]): readonly [readonly Message[], readonly Message[]] {
  const start = Math.max(
    0,
    history.findLastIndex(({ role }) => role === "user"),
  );
  return [history.slice(0, start), history.slice(start)];
}

function textsOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
}

/** Each part ends with a mark, and so does the system text: four marks with three parts. */
function join(system: readonly string[], parts: readonly (readonly Message[])[]): OrderedRequest {
  const breakpoints: number[] = [-1];
  const messages: Message[] = [];
  for (const part of parts) {
    messages.push(...part);
    breakpoints.push(messages.length - 1);
  }
  return {
    instructions: system.filter((text) => text !== "").join("\n\n"),
    messages,
    breakpoints: [...new Set(breakpoints)],
  };
}
