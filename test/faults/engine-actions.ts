/**
 * All operations of two engines on one store, as plain data, and an actor that runs them and records acknowledgements.
 * Positions are fractions of the current list, so that each operation is valid in every state.
 */
import fc from "fast-check";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { Palimpsest } from "../../src/engine/palimpsest.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { fractions } from "../../src/testing/generate-histories.ts";
import { weighted } from "../../src/testing/weighted.ts";
import { type WriterLine, wordsOf } from "../stores/writer-task.ts";
import { findAt } from "../support/generate-session-commands.ts";

export interface EngineAction {
  readonly type: ActionType;
  readonly engine: 0 | 1;
  /** Selects a session and one of its messages. */
  readonly where: number;
  readonly at: number;
}

type ActionType =
  | "append"
  | "append-again"
  | "prompt"
  | "compact"
  | "pin"
  | "unpin"
  | "undo"
  | "clear"
  | "delete"
  | "fork"
  | "lose-leases";

const OFTEN: readonly (readonly [number, ActionType])[] = [
  [10, "append"],
  [2, "append-again"],
  [8, "prompt"],
  [3, "compact"],
  [2, "pin"],
  [1, "unpin"],
  [3, "undo"],
  [1, "clear"],
  [2, "delete"],
  [2, "fork"],
  [1, "lose-leases"],
];

export function generateEngineActions(): fc.Arbitrary<EngineAction> {
  return fc.record(
    {
      type: weighted(OFTEN.map(([weight, type]) => [weight, fc.constant(type)] as const)),
      engine: fc.constantFrom(0, 1),
      where: fractions(),
      at: fractions(),
    },
    { noNullPrototype: true },
  );
}

const BUDGETS = [700, 1_100, 1_500] as const;
const MAX_MESSAGES = 6;

/** Expected refusals: a budget that is too small, a removed session, and a writer that lost every race. */
const ANSWERS: ReadonlySet<string> = new Set(["does-not-fit", "message-not-found", "store-conflict"]);

export interface Actor {
  readonly engines: readonly [Palimpsest, Palimpsest];
  readonly tenant: TenantStore;
  /** Started and acknowledged operations, in order. */
  readonly reports: WriterLine[];
  /** Existing sessions; the first one exists from the start. */
  readonly sessions: string[];
  readonly loseLeases: () => void;
  /** Keeps handles alive, because a session without a handle loses its last prompt. */
  readonly held: Set<Session>;
}

/** Runs one operation; `turn` makes its ids unique. Returns values that can be compared between stores. */
export async function runAction(actor: Actor, action: EngineAction, turn: number): Promise<unknown> {
  if (action.type === "lose-leases") return actor.loseLeases();
  const session = await actor.engines[action.engine].session(findAt(actor.sessions, action.where));
  actor.held.add(session);
  try {
    return await perform(actor, { action, session, turn });
  } catch (error) {
    if (!(error instanceof PalimpsestError && ANSWERS.has(error.code))) throw error;
    return { failed: error.code };
  }
}

interface Scene {
  readonly action: EngineAction;
  readonly session: Session;
  readonly turn: number;
}

async function perform(actor: Actor, scene: Scene): Promise<unknown> {
  const { action, session } = scene;
  switch (action.type) {
    case "append":
      return say(actor, session, newMessages(scene));
    case "append-again":
      return resendMessage(actor, scene);
    case "prompt":
      return ask(session, action);
    case "compact":
      return (await session.compact()).type;
    case "pin":
    case "unpin":
    case "delete":
      return changeMessage(actor, scene, action.type);
    case "undo":
      return (await session.undo()).type;
    case "clear":
      return session.clear();
    case "fork":
      return fork(actor, scene);
    case "lose-leases":
      return undefined;
    default:
      return action.type satisfies never;
  }
}

function newMessages({ action, turn }: Scene): readonly Message[] {
  const count = 1 + Math.floor(action.at * MAX_MESSAGES);
  return Array.from({ length: count }, (_, index) => {
    const id = `m${turn}/${index}/${count}`;
    const text = `${wordsOf(id)} Service ${turn} listens on port ${4_000 + turn}. ${"It was decided long ago. ".repeat(6)}`;
    return { id, role: index % 2 === 0 ? "user" : "assistant", parts: [{ type: "text", text }] };
  });
}

async function say(actor: Actor, session: Session, messages: readonly Message[]): Promise<unknown> {
  const { messages: stored } = await session.append(messages, { format: "palimpsest" });
  const [ids, seqs] = [stored.map(({ id }) => id), stored.map(({ seq }) => seq)];
  actor.reports.push({ type: "appended", session: session.id, ids, seqs });
  return seqs;
}

async function resendMessage(actor: Actor, { session, action }: Scene): Promise<unknown> {
  const known = findAt(await actor.tenant.readEntries(session.id, { types: ["message"] }), action.at);
  if (known?.type !== "message" || known.erased === true) return undefined;
  try {
    await session.append([known.message], { format: "palimpsest" });
  } catch (error) {
    // Deleted in the meantime, so the message can no longer be identified.
    if (!(error instanceof PalimpsestError && error.code === "message-conflict")) throw error;
  }
  return known.id;
}

async function ask(session: Session, { at }: EngineAction): Promise<unknown> {
  const prompt = await session.prompt({ budgetTokens: findAt(BUDGETS, at), instructions: "Be brief." });
  return [prompt.instructions, prompt.messages, prompt.report.tokens, prompt.report.epoch];
}

async function changeMessage(
  actor: Actor,
  { session, action }: Scene,
  how: "pin" | "unpin" | "delete",
): Promise<unknown> {
  const target = findAt(await actor.tenant.readEntries(session.id, { types: ["message"] }), action.at);
  if (target === undefined) return undefined;
  if (how === "pin") return (await session.pin(target.id)).type;
  if (how === "unpin") return session.unpin(target.id);
  actor.reports.push({ type: "erasing", session: session.id, ids: [target.id] });
  const { sessionIds } = await session.delete(target.id);
  actor.reports.push({ type: "erased", session: session.id, ids: [target.id] });
  return sessionIds.length;
}

async function fork(actor: Actor, { session, action }: Scene): Promise<unknown> {
  const lastSeq = (await actor.tenant.findSession(session.id))?.lastSeq ?? 0;
  const atSeq = Math.floor(action.at * (lastSeq + 1));
  const made = await session.fork(atSeq);
  actor.held.add(made);
  actor.reports.push({ type: "forked", session: made.id, parent: session.id, atSeq });
  actor.sessions.push(made.id);
  return atSeq;
}
