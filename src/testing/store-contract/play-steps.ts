/** Generates steps, plays them on a store through its port, and describes everything that can be read afterwards. */
import fc from "fast-check";
import type { EntryDraft } from "../../core/log/entry.ts";
import { findKeptSeqs } from "../../core/log/head.ts";
import type { Role } from "../../core/message/message.ts";
import type { AppendBatch, TenantStore } from "../../ports/store.ts";
import { messageBuilder } from "../builders.ts";
import { fractions } from "../generate-histories.ts";
import { weighted } from "../weighted.ts";
import {
  batchOf,
  clear,
  draftOf,
  headOf,
  pin,
  request,
  SESSION,
  truncate,
  type UnstampedEntry,
  viewOf,
} from "./contract-log.ts";

type Kind =
  | "say"
  | "system"
  | "reply"
  | "request"
  | "note"
  | "prompt-note"
  | "count"
  | "again"
  | PastKind
  | "undo"
  | "erase"
  | "bury"
  | "fork";
type PastKind = "truncate" | "pin" | "clear" | "once";

export interface PlayedStep {
  readonly kind: Kind;
  /** Selects the step's target, from 0 to below 1. */
  readonly at: number;
}

export function steps(): fc.Arbitrary<readonly PlayedStep[]> {
  return fc.array(
    fc.record({
      kind: weighted<Kind>([
        [10, fc.constant("say")],
        [6, fc.constantFrom("reply", "request", "note", "prompt-note", "system", "count", "again")],
        [6, fc.constantFrom("truncate", "pin", "clear", "once", "undo")],
        [1, fc.constantFrom("fork", "erase", "bury")],
      ]),
      at: fractions(),
    }),
    { maxLength: 40, size: "max" },
  );
}

const WORDS = ["Launch the rocket.", "Wait for Ana.", "ΟΔΟΣ und Größe", "100% of 文件"];

/** Returns the session of the last step: after a fork, steps continue there. */
export async function playSteps(tenant: TenantStore, planned: readonly PlayedStep[]): Promise<string> {
  const builder = messageBuilder();
  let id = SESSION;
  for (const [index, step] of planned.entries()) {
    const text = WORDS[Math.floor(step.at * WORDS.length)] ?? "";
    const say = (role: Role) => ({ ...builder.aUserMessage(text), role });
    if (step.kind === "fork") id = await playFork(tenant, { id, forkId: `f${index}` });
    else await playStep(tenant, { id, step, entryId: `x${index}`, say });
  }
  return id;
}

async function playFork(tenant: TenantStore, { id, forkId }: { readonly id: string; readonly forkId: string }) {
  const head = await headOf(tenant, id);
  const header = { id: forkId, createdAt: 0, fork: { parentId: id, atSeq: head.foldedThroughSeq } };
  await tenant.createSession(header, { ...head, epoch: 0, undoable: [], redoable: [] });
  return forkId;
}

interface Turn {
  readonly id: string;
  readonly step: PlayedStep;
  readonly entryId: string;
  readonly say: (role: Role) => Parameters<typeof draftOf>[0];
}

async function playStep(tenant: TenantStore, { id, step: { kind, at }, entryId, say }: Turn): Promise<void> {
  const head = await headOf(tenant, id);
  const promptId = head.requests.at(-1)?.promptId;
  const write = (...entries: readonly EntryDraft[]) => tenant.append(id, { entries });
  const { messages } = await viewOf(tenant, id);
  const target = messages[Math.floor(at * messages.length)];
  const past = (change: UnstampedEntry, gone: Pick<AppendBatch, "erase" | "tombstone"> = {}) =>
    tenant.append(id, { ...batchOf(head, change, entryId), ...gone });
  switch (kind) {
    case "say":
      return void (await write(draftOf(say("user"), { at: Math.floor(at * 9) })));
    case "system":
      return void (await write(draftOf(say("system"))));
    case "reply":
      return void (await write(draftOf(say("assistant"), { promptId })));
    case "note":
      return void (await write({ id: entryId, at: 0, type: "note", kind: "generation-end", text: "", promptId }));
    case "prompt-note": {
      const afterSeq = messages.at(-1)?.seq ?? head.foldedThroughSeq;
      return void (await write({ id: entryId, at: 0, type: "note", kind: "prompt", text: "It is Monday.", afterSeq }));
    }
    case "request":
      return void (await write(request(entryId, head.epoch)));
    case "again":
      return void (target && (await write(draftOf(target.message), draftOf(say("user")))));
    case "count":
      return void (target && (await tenant.addCounts(id, "b", new Map([[target.seq, target.seq]]))));
    case "once":
      return void (await past(clear(head.foldedThroughSeq, "next-generation")));
    case "undo":
      return void (await undo());
    case "truncate":
      return void (target && (await past(truncate(target.seq, at < 0.5 ? [target.seq] : []))));
    case "pin":
      return void (target && (await past(pin(target.seq))));
    case "clear":
      return void (target && (await past(clear(target.seq, "for-good"))));
    case "erase":
      return void (target && (await erase(target.message.id, target.seq)));
    case "bury":
      return void (target && (await leaveTombstone(target.message.id, target.seq)));
    case "fork":
      return;
    default:
      kind satisfies never;
  }

  async function undo(): Promise<void> {
    const newest = head.undoable.at(-1);
    if (newest !== undefined) await past({ type: "undo", undoes: newest.entryId, holdThroughCount: 0 });
  }

  /** Truncates up to a message and leaves a tombstone of it, unless the view still shows it. */
  async function leaveTombstone(messageId: string, seq: number): Promise<void> {
    const isShown = findKeptSeqs(batchOf(head, truncate(seq), entryId).head).includes(seq);
    await past(truncate(seq), { tombstone: isShown ? [] : [messageId] });
  }

  async function erase(messageId: string, seq: number): Promise<void> {
    await past({ type: "delete", messageIds: [messageId], seqs: [seq], dropsSummary: false }, { erase: [messageId] });
  }
}

export async function describeTenant(tenant: TenantStore): Promise<unknown> {
  const sessions = await tenant.listSessions({ limit: 100 });
  const each = sessions
    .toSorted((left, right) => (left.id < right.id ? -1 : 1))
    .map(async ({ id }) => ({
      session: await tenant.findSession(id),
      entries: await tenant.readEntries(id, {}),
      backwards: await tenant.readEntries(id, { newestFirst: true, limit: 5, types: ["message", "pin"] }),
      view: await tenant.readView(id),
      keys: await tenant.readMessageKeys(id),
      // The order is not part of the contract.
      forks: (await tenant.listForks(id)).toSorted(),
      hits: await tenant.search({ text: "LAUNCH", sessionId: id, limit: 5 }),
      ranked: await tenant.search({ text: "the A", sessionId: id, limit: 5, order: "relevance" }),
    }));
  const queries = ["launch", "οδοσ", "文件", "0%", "a"];
  const searches = queries.map((text) => tenant.search({ text, limit: 7 }));
  const best = ["rocket THE", "a", "of 文件"].map((text) => tenant.search({ text, limit: 7, order: "relevance" }));
  const { blobs: _, ...statistics } = await tenant.statistics();
  const hits = await Promise.all([...searches, ...best]);
  return { sessions, each: await Promise.all(each), hits, statistics };
}
