/** Entries, changes and tenants for tests of stores. Every tenant has a neighbor with an equal session id and other texts. */
import { randomUUID } from "node:crypto";
import type { Entry, EntryDraft, EpochDraft, MessageDraft, MessageEntry } from "../../core/log/entry.ts";
import { foldEntries, foldEpochEntry } from "../../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import { buildView, findLiveNotes, findNotes, type View } from "../../core/log/view.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import type { AppendBatch, AppendOutcome, TenantStore } from "../../ports/store.ts";
import { messageBuilder } from "../builders.ts";
import type { StoreUnderTest } from "./store-under-test.ts";

export const SESSION = "s";
export const { aUserMessage, anAssistantMessage, aToolResult } = messageBuilder(() => `m-${randomUUID()}`);

export type UnstampedEntry<Draft = EpochDraft> = Draft extends unknown ? Omit<Draft, "id" | "at" | "epoch"> : never;

export const draftOf = (message: Message, more: Partial<MessageDraft> = {}): MessageDraft => ({
  at: 0,
  tokens: {},
  ...more,
  type: "message",
  id: message.id,
  message,
  hash: hashMessage(message),
});
export const say = (text: string, more: Partial<MessageDraft> = {}): MessageDraft => draftOf(aUserMessage(text), more);
export const note = (id: string): EntryDraft => ({ type: "note", id, at: 0, kind: "warning", text: "" });
export const request = (id: string, viewEpoch: number): EntryDraft => ({
  type: "request",
  id,
  at: 0,
  promptId: id,
  viewEpoch,
  counterId: "a",
  provider: "openai",
  countedTokens: 0,
  factor: 1,
  sections: [],
  changes: [],
});

export const NEIGHBOR_TEXT = "neighborly launch secret";

/** Creates a tenant with one session, and a neighbor with a session of the same id. */
export async function aTenant(
  { store }: StoreUnderTest,
  id = SESSION,
  name: string = randomUUID(),
): Promise<TenantStore> {
  for (const tenantId of [`${name}-neighbor`, name]) {
    await store.tenant(tenantId).createSession({ id, createdAt: 0 }, EMPTY_HEAD);
  }
  await store.tenant(`${name}-neighbor`).append(id, { entries: [say(NEIGHBOR_TEXT), note("n1"), note("n2")] });
  return store.tenant(name);
}

export const seqsOf = (entries: readonly Entry[]): readonly number[] => entries.map(({ seq }) => seq);
export const isMessage = (entry: Entry): entry is MessageEntry => entry.type === "message";
export const read = (tenant: TenantStore, id = SESSION): Promise<readonly Entry[]> => tenant.readEntries(id, {});

export async function append(tenant: TenantStore, ...entries: readonly EntryDraft[]): Promise<readonly Entry[]> {
  const outcome = await tenant.append(SESSION, { entries });
  if (outcome.type !== "appended") throw new TypeError(`Not appended: ${JSON.stringify(outcome)}`);
  return outcome.entries;
}

/** Returns the head of a session as of its newest entry. */
export async function headOf(tenant: TenantStore, id = SESSION): Promise<Head> {
  const session = await tenant.findSession(id);
  const head = session?.head ?? EMPTY_HEAD;
  return foldEntries(await tenant.readEntries(id, { afterSeq: head.foldedThroughSeq }), head);
}

/** Builds a batch that changes the past, as the engine writes it. */
export function batchOf(
  head: Head,
  change: UnstampedEntry,
  id = `e${head.epoch + 1}`,
): AppendBatch & { readonly head: Head } {
  const draft = { ...change, id, at: 0, epoch: head.epoch + 1 };
  return { entries: [draft], expect: { epoch: head.epoch }, head: foldEpochEntry(head, draft) };
}

export async function appendChange(tenant: TenantStore, past: UnstampedEntry, id = SESSION): Promise<AppendOutcome> {
  return tenant.append(id, batchOf(await headOf(tenant, id), past));
}

/** Deletes and erases messages, as a user's request does. */
export async function erase(tenant: TenantStore, messageIds: readonly string[], id = SESSION): Promise<void> {
  const found = await Promise.all(messageIds.map((messageId) => tenant.findMessage(id, messageId)));
  const seqs = found.flatMap((entry) => entry?.seq ?? []);
  const gone = { type: "delete", messageIds, seqs, dropsSummary: false } as const;
  const outcome = await tenant.append(id, { ...batchOf(await headOf(tenant, id), gone), erase: messageIds });
  if (outcome.type !== "appended") throw new TypeError(`Not erased: ${JSON.stringify(outcome)}`);
}

/** Forks a session as the engine does, with the head as of `atSeq`. */
export async function fork(tenant: TenantStore, { id, atSeq, parentId = SESSION }: ForkOptions): Promise<void> {
  const head = foldEntries(await tenant.readEntries(parentId, { throughSeq: atSeq }));
  const inherited = { ...head, epoch: 0, undoable: [], redoable: [] };
  await tenant.createSession({ id, createdAt: 0, fork: { parentId, atSeq } }, inherited);
}

interface ForkOptions {
  readonly id: string;
  readonly atSeq: number;
  readonly parentId?: string | undefined;
}

export const pinNote: UnstampedEntry = { type: "pin", target: { type: "note", text: "Ana decides." } };
export const pin = (...seqs: readonly number[]): UnstampedEntry => ({
  type: "pin",
  target: { type: "messages", messageId: "", seqs },
});
export const truncate = (lastSeq: number, keptRequests: readonly number[] = []): UnstampedEntry => ({
  type: "truncate",
  coverage: { firstSeq: 1, lastSeq, count: lastSeq },
  coveredTokens: 0,
  keptRequests,
  reason: "",
});
export const clear = (throughSeq: number, scope: "for-good" | "next-generation"): UnstampedEntry => ({
  type: "clear",
  throughSeq,
  scope,
  keepsPreamble: true,
});
export const summarize = (text: string, lastSeq: number): Extract<UnstampedEntry, { type: "summary" }> => ({
  type: "summary",
  keptRequests: [],
  record: {
    id: "sum",
    at: 0,
    depth: 0,
    coverage: { firstSeq: 1, lastSeq, count: lastSeq, chainHash: "" },
    messageIds: [],
    text,
    keyPoints: [],
    facets: {
      constraints: [],
      decisions: [],
      actionItems: [],
      unresolved: [],
      entities: [],
      participants: [],
      done: [],
    },
    strategy: "offline",
    reason: "",
    tokensBefore: 0,
    tokensAfter: 0,
  },
});

/** Builds the view as the engine does, from `readView` only. */
export async function viewOf(tenant: TenantStore, id = SESSION): Promise<View> {
  const stored = await tenant.readView(id);
  const entries = stored?.entries ?? [];
  return viewOfEntries(foldEntries(entries, stored?.head), entries);
}

export function viewOfEntries(head: Head, entries: readonly Entry[]): View {
  const notes = findLiveNotes(findNotes(entries), head);
  return { ...buildView(head, entries.filter(isMessage), { count: () => 1 }), notes };
}
