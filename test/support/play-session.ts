/**
 * Plays generated commands on a real engine and store, and tracks the state of a simple model: acknowledged and deleted
 * messages, and each session's last prompt.
 */
import { fail } from "node:assert";
import { openPalimpsest } from "../../src/compose.ts";
import { PalimpsestError } from "../../src/core/errors.ts";
import type { Message } from "../../src/core/message/message.ts";
import { createIds } from "../../src/engine/context/create-ids.ts";
import type { Prompt } from "../../src/engine/prompt/prompt.ts";
import type { Session } from "../../src/engine/session/session.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import type { Store } from "../../src/ports/store.ts";
import type { Workspace } from "../../src/ports/workspace.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { findAt, type SessionCommand } from "./generate-session-commands.ts";

export interface AcknowledgedMessage {
  readonly sessionId: string;
  /** The session that owns it; for inherited messages the parent. */
  readonly ownerId: string;
  readonly seq: number;
  readonly message: Message;
}

export function placeKey({ ownerId, seq }: AcknowledgedMessage): string {
  return `${ownerId}/${seq}`;
}

/** Result of a prompt command: a prompt, or the floor that did not fit. */
export type PromptOutcome = { readonly prompt: Prompt } | { readonly error: PalimpsestError };

export interface Play {
  readonly store: Store;
  session: Session;
  readonly acknowledged: AcknowledgedMessage[];
  /** Keyed by `placeKey`, because a fork may reuse an id of its parent for other content. */
  readonly deleted: Set<string>;
  /** The last prompt of each session, to compare with the next. */
  readonly lastPrompts: Map<string, Prompt>;
  budgetTokens: number;
  model: string | undefined;
  /** Opens the current session again, as a new process would. */
  readonly reopen: () => Promise<Session>;
}

export interface PlayOptions {
  readonly commands: readonly SessionCommand[];
  readonly budgetTokens?: number;
  readonly counter?: string;
  readonly workspace?: Workspace;
  readonly policy?: PolicyInput;
  /** Called before every command with its index. */
  readonly beforeCommand?: (index: number, play: Play) => Promise<void>;
  /** Called after every prompt command, before it becomes the last one. */
  readonly onPrompt?: (outcome: PromptOutcome, play: Play) => void | Promise<void>;
  readonly onCommand?: (command: SessionCommand, play: Play) => void | Promise<void>;
}

export async function playSession({
  commands,
  budgetTokens = 2_000,
  counter = "estimate",
  workspace,
  policy,
  beforeCommand,
  ...hooks
}: PlayOptions): Promise<Play> {
  const store = createMemoryStore();
  const clock = scriptedClock({ startMs: 1_700_000_000_000, stepMs: 7 });
  let made = 0;
  const randomHex = (digits: number) => (made++).toString(16).padStart(digits, "0");
  const open = () => openPalimpsest({ store, clock, ids: createIds({ clock, randomHex }), counter, workspace, policy });
  const session = await (await open()).session();
  const play: Play = {
    store,
    session,
    acknowledged: [],
    deleted: new Set(),
    lastPrompts: new Map(),
    budgetTokens,
    model: undefined,
    reopen: async () => (await open()).session(play.session.id),
  };
  for (const [index, command] of commands.entries()) {
    await beforeCommand?.(index, play);
    if (command.type === "reopen") play.session = await play.reopen();
    else await runCommand(command, play, hooks);
    await hooks.onCommand?.(command, play);
  }
  return play;
}

async function runCommand(command: SessionCommand, play: Play, hooks: Pick<PlayOptions, "onPrompt">): Promise<void> {
  const { session } = play;
  const known = () =>
    play.acknowledged.filter((item) => item.sessionId === session.id && !play.deleted.has(placeKey(item)));
  switch (command.type) {
    case "append":
      return append(command.messages, play);
    case "append-again": {
      const again = findAt(known(), command.at);
      if (again !== undefined) await append([again.message], play);
      return;
    }
    case "prompt":
      return askPrompt(play, hooks);
    case "pin": {
      const target = findAt(known(), command.at);
      if (target !== undefined) await session.pin(target.message.id);
      return;
    }
    case "unpin": {
      const target = findAt(known(), command.at);
      if (target !== undefined) await session.unpin(target.message.id);
      return;
    }
    case "clear":
      return session.clear();
    case "undo":
      await session.undo();
      return;
    case "redo": {
      const undone = await session.undo();
      if (undone.type === "undone") await session.undo(undone.entryId);
      return;
    }
    case "delete": {
      const target = findAt(known(), command.at);
      if (target === undefined) return;
      await session.delete(target.message.id);
      play.deleted.add(placeKey(target));
      return;
    }
    case "fork":
      return forkAt(command.at, play);
    case "change-budget":
      play.budgetTokens = command.budgetTokens;
      return;
    case "change-model":
      play.model = command.model;
      return;
    case "compact":
    case "reopen":
      return;
    default:
      fail(`unknown command ${JSON.stringify(command satisfies never)}`);
  }
}

async function append(messages: readonly Message[], play: Play): Promise<void> {
  try {
    const { messages: stored } = await play.session.append(messages, { format: "palimpsest" });
    for (const [index, { seq }] of stored.entries()) {
      const message = messages[index];
      const { id: sessionId } = play.session;
      const known = play.acknowledged.find((item) => item.sessionId === sessionId && item.seq === seq);
      const ownerId = known?.ownerId ?? sessionId;
      if (message !== undefined) play.acknowledged.push({ sessionId, ownerId, seq, message });
    }
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.code !== "message-conflict") throw error;
  }
}

async function askPrompt(play: Play, hooks: Pick<PlayOptions, "onPrompt">): Promise<void> {
  const outcome = await tryPrompt(() =>
    play.session.prompt({ budgetTokens: play.budgetTokens, model: play.model, instructions: "Be brief." }),
  );
  await hooks.onPrompt?.(outcome, play);
  if ("prompt" in outcome) play.lastPrompts.set(play.session.id, outcome.prompt);
}

export async function tryPrompt(ask: () => Promise<Prompt>): Promise<PromptOutcome> {
  try {
    return { prompt: await ask() };
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "does-not-fit") return { error };
    throw error;
  }
}

/** The fork becomes the current session and contains what it inherits. */
async function forkAt(at: number, play: Play): Promise<void> {
  const { session } = play;
  const entries = await play.store.tenant("local").readEntries(session.id, {});
  const atSeq = findAt([0, ...entries.map(({ seq }) => seq)], at) ?? 0;
  const fork = await session.fork(atSeq);
  for (const known of play.acknowledged.filter((item) => item.sessionId === session.id && item.seq <= atSeq)) {
    play.acknowledged.push({ ...known, sessionId: fork.id });
  }
  play.session = fork;
}
