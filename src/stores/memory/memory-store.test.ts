import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, EntryDraft, EpochDraft, MessageDraft, MessageEntry } from "../../core/log/entry.ts";
import { foldEntries, foldEpochEntry } from "../../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head, viewFloorSeq } from "../../core/log/head.ts";
import { buildView } from "../../core/log/view.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message, Role } from "../../core/message/message.ts";
import type { SummaryRecord } from "../../core/summary/record.ts";
import type { AppendBatch, AppendOutcome, SearchQuery, TenantStore } from "../../ports/store.ts";
import { messageBuilder, textPart } from "../../testing/builders.ts";
import { fractions } from "../../testing/generate-histories.ts";
import { propertyRuns } from "../../testing/property-runs.ts";
import { scriptedClock } from "../../testing/scripted-clock.ts";
import { weighted } from "../../testing/weighted.ts";
import { createMemoryStore } from "./memory-store.ts";

const { aUserMessage, aToolResult } = messageBuilder();
type Unstamped<Draft = EpochDraft> = Draft extends unknown ? Omit<Draft, "id" | "at" | "epoch"> : never;

const draftOf = (message: Message, more: Partial<MessageDraft> = {}): MessageDraft => ({
  at: 0,
  tokens: {},
  ...more,
  type: "message",
  id: message.id,
  message,
  hash: hashMessage(message),
});
const say = (text: string, more: Partial<MessageDraft> = {}): MessageDraft => draftOf(aUserMessage(text), more);
const note = (id: string): EntryDraft => ({ type: "note", id, at: 0, kind: "warning", text: "" });

/** A tenant with one session, `s`. */
async function aTenant(id = "s"): Promise<TenantStore> {
  const tenant = createMemoryStore().tenant("local");
  await tenant.createSession({ id, createdAt: 0 }, EMPTY_HEAD);
  return tenant;
}

const seqsOf = (entries: readonly Entry[]): readonly number[] => entries.map(({ seq }) => seq);
const read = (tenant: TenantStore, id = "s"): Promise<readonly Entry[]> => tenant.readEntries(id, {});

async function append(tenant: TenantStore, ...entries: readonly EntryDraft[]): Promise<readonly Entry[]> {
  const outcome = await tenant.append("s", { entries });
  if (outcome.type !== "appended") throw new TypeError(`Not appended: ${JSON.stringify(outcome)}`);
  return outcome.entries;
}

/** The head of a session as of its newest entry. */
async function headOf(tenant: TenantStore, id = "s"): Promise<Head> {
  const session = await tenant.findSession(id);
  const head = session?.head ?? EMPTY_HEAD;
  return foldEntries(await tenant.readEntries(id, { afterSeq: head.foldedThroughSeq }), head);
}

/** A batch that changes the past on a head, as an engine would write it. */
function batchOf(head: Head, change: Unstamped, id = `e${head.epoch + 1}`): AppendBatch & { readonly head: Head } {
  const draft = { ...change, id, at: 0, epoch: head.epoch + 1 };
  return { entries: [draft], expect: { epoch: head.epoch }, head: foldEpochEntry(head, draft) };
}

async function change(tenant: TenantStore, past: Unstamped, id = "s"): Promise<AppendOutcome> {
  return tenant.append(id, batchOf(await headOf(tenant, id), past));
}

const pinNote: Unstamped = { type: "pin", target: { type: "note", text: "Ana decides." } };
const truncate = (lastSeq: number, keptRequests: readonly number[] = []): Unstamped => ({
  type: "truncate",
  coverage: { firstSeq: 1, lastSeq, count: lastSeq },
  coveredTokens: 0,
  keptRequests,
  reason: "",
});
const clear = (throughSeq: number, scope: "for-good" | "next-generation"): Unstamped => ({
  type: "clear",
  throughSeq,
  scope,
  keepsPreamble: true,
});

describe("append", () => {
  test("gives gap-free seqs from 1 on, over batches and kinds of entries", async () => {
    const tenant = await aTenant();
    expect(seqsOf(await append(tenant, say("One."), note("n1")))).toEqual([1, 2]);
    expect(seqsOf(await append(tenant, say("Two.")))).toEqual([3]);
    expect(seqsOf(await read(tenant))).toEqual([1, 2, 3]);
    expect(await tenant.findSession("s")).toMatchObject({ lastSeq: 3 });
  });

  test("answers a message that is stored already as it was stored, and gives it no seq", async () => {
    const tenant = await aTenant();
    const said = say("Hello.", { at: 7 });
    const [first] = await append(tenant, said);
    expect(await append(tenant, { ...said, at: 99 }, say("Next."))).toEqual([
      first,
      expect.objectContaining({ seq: 2 }),
    ]);
    expect((await read(tenant)).length).toBe(2);
  });

  test("treats two entries of one batch with one id alike", async () => {
    const tenant = await aTenant();
    const said = say("Hello.");
    expect(seqsOf(await append(tenant, said, say("Between."), said))).toEqual([1, 2, 1]);
    const other = draftOf(aUserMessage("Hello?", { id: "m-twice" }));
    const same = draftOf(aUserMessage("Hello!", { id: "m-twice" }));
    expect(await tenant.append("s", { entries: [other, same] })).toEqual({ type: "conflict", entryId: "m-twice" });
    expect((await read(tenant)).length).toBe(2);
  });

  test("writes nothing of a batch with a conflict in its middle", async () => {
    const tenant = await aTenant();
    const said = say("Hello.");
    const stored = await append(tenant, said);
    const other = draftOf(aUserMessage("Something else.", { id: said.id }));
    const outcome = await tenant.append("s", { entries: [say("Before."), other, say("After.")] });
    expect(outcome).toEqual({ type: "conflict", entryId: said.id });
    expect(await read(tenant)).toEqual(stored);
    expect((await tenant.listSessions({ limit: 1 }))[0]).toMatchObject({ messageCount: 1 });
    expect(seqsOf(await append(tenant, say("Later.")))).toEqual([2]);
  });

  test("refuses a message under the id of another kind of entry, and other entries twice", async () => {
    const tenant = await aTenant();
    await append(tenant, note("n1"));
    const taken = draftOf(aUserMessage("Hello.", { id: "n1" }));
    expect(await tenant.append("s", { entries: [taken] })).toEqual({ type: "conflict", entryId: "n1" });
    expect(await tenant.append("s", { entries: [note("n1")] })).toEqual({ type: "conflict", entryId: "n1" });
  });

  test("makes one row of a hundred parallel appends of one id", async () => {
    const tenant = await aTenant();
    const said = say("Hello.");
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => tenant.append("s", { entries: [said] })));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect((await read(tenant)).length).toBe(1);
  });

  test("loses none of a hundred parallel appends of different ids", async () => {
    const tenant = await aTenant();
    await Promise.all(Array.from({ length: 100 }, (_, index) => append(tenant, say(`Message ${index}.`))));
    expect(seqsOf(await read(tenant))).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  test("gives values back as they were given: NUL, lone surrogates and __proto__ included", async () => {
    const tenant = await aTenant();
    const input = Object.fromEntries([["__proto__", "\ud83d"]]);
    const parts = [textPart("a\u0000b\ude00"), { type: "tool-call", callId: "a", tool: "t", input } as const];
    const said = aUserMessage("", { parts });
    await append(tenant, draftOf(said));
    const found = await tenant.findMessage("s", said.id);
    expect(JSON.stringify(found?.message.parts)).toBe(JSON.stringify(parts));
  });

  test("fails for a session that does not exist", async () => {
    const tenant = await aTenant();
    await expect(tenant.append("nowhere", { entries: [say("Hello.")] })).rejects.toMatchObject({
      code: "session-not-found",
    });
  });
});

describe("a change of the past", () => {
  test("is written with its head", async () => {
    const tenant = await aTenant();
    await append(tenant, say("Hello."));
    const batch = batchOf(await headOf(tenant), pinNote);
    expect(await tenant.append("s", batch)).toMatchObject({ type: "appended", lastSeq: 2 });
    expect((await tenant.findSession("s"))?.head).toEqual(batch.head);
  });

  test("is stale when somebody else has moved the epoch, and nothing is written", async () => {
    const tenant = await aTenant();
    const before = await headOf(tenant);
    await change(tenant, pinNote);
    const late = batchOf(before, pinNote, "late");
    expect(await tenant.append("s", { ...late, entries: [say("Hello."), ...late.entries] })).toEqual({
      type: "stale",
      epoch: 1,
    });
    expect((await read(tenant)).length).toBe(1);
    expect((await tenant.findSession("s"))?.head.epoch).toBe(1);
  });

  test("is stale without an expectation", async () => {
    const tenant = await aTenant();
    const { expect: _, ...blind } = batchOf(await headOf(tenant), pinNote);
    expect(await tenant.append("s", blind)).toEqual({ type: "stale", epoch: 0 });
  });

  test("composes with messages that came meanwhile", async () => {
    const tenant = await aTenant();
    await append(tenant, say("One."));
    const batch = batchOf(await headOf(tenant), truncate(1));
    await append(tenant, say("Two."));
    expect(await tenant.append("s", batch)).toMatchObject({ type: "appended", lastSeq: 3 });
    expect(await headOf(tenant)).toEqual(foldEntries(await read(tenant)));
  });

  test("of one of a hundred writers at once wins, the others are stale", async () => {
    const tenant = await aTenant();
    const head = await headOf(tenant);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => tenant.append("s", batchOf(head, pinNote, `w${index}`))),
    );
    expect(outcomes.filter(({ type }) => type === "appended").length).toBe(1);
    expect(outcomes.filter(({ type }) => type === "stale").length).toBe(99);
  });

  test("under a lease that was granted anew since is stale", async () => {
    const clock = scriptedClock({ startMs: 0 });
    const tenant = createMemoryStore({ monotonicNow: clock.now }).tenant("local");
    await tenant.createSession({ id: "s", createdAt: 0 }, EMPTY_HEAD);
    const zombie = await tenant.lease("s", 1_000);
    clock.advance(1_001);
    const holder = await tenant.lease("s", 1_000);
    const batch = batchOf(await headOf(tenant), pinNote);
    const under = (fence: number | undefined) => tenant.append("s", { ...batch, expect: { epoch: 0, fence } });
    expect(await under(zombie?.fence)).toEqual({ type: "stale", epoch: 0 });
    expect(await under(holder?.fence)).toMatchObject({ type: "appended" });
  });

  test("does not stand in the way of messages: they carry no expectation", async () => {
    const tenant = await aTenant();
    await change(tenant, pinNote);
    await tenant.lease("s", 60_000);
    expect(seqsOf(await append(tenant, say("Hello.")))).toEqual([2]);
  });
});

describe("leases", () => {
  const leasing = async () => {
    const clock = scriptedClock({ startMs: 5_000 });
    const tenant = createMemoryStore({ monotonicNow: clock.now }).tenant("local");
    await tenant.createSession({ id: "s", createdAt: 0 }, EMPTY_HEAD);
    return { clock, tenant };
  };

  test("are granted to one at a time, by the store's own clock", async () => {
    const { clock, tenant } = await leasing();
    expect(await tenant.lease("s", 1_000)).toBeDefined();
    clock.advance(999);
    expect(await tenant.lease("s", 1_000)).toBeUndefined();
    clock.advance(1);
    expect(await tenant.lease("s", 1_000)).toBeDefined();
  });

  test("have fences that grow with every grant, also after a release", async () => {
    const { clock, tenant } = await leasing();
    const fences: (number | undefined)[] = [];
    for (let grant = 0; grant < 4; grant += 1) {
      const lease = await tenant.lease("s", 10);
      fences.push(lease?.fence);
      if (lease !== undefined && grant % 2 === 0) await tenant.release("s", lease);
      else clock.advance(11);
    }
    expect(fences).toEqual([1, 2, 3, 4]);
  });

  test("last as long as they are renewed, and cannot be renewed once somebody else has them", async () => {
    const { clock, tenant } = await leasing();
    const lease = await tenant.lease("s", 1_000);
    if (lease === undefined) throw new TypeError("Nobody else holds it.");
    clock.advance(900);
    expect(await tenant.renew("s", lease, 1_000)).toBe(true);
    clock.advance(900);
    expect(await tenant.lease("s", 1_000)).toBeUndefined();
    clock.advance(200);
    const other = await tenant.lease("s", 1_000);
    expect(await tenant.renew("s", lease, 1_000)).toBe(false);
    await tenant.release("s", lease);
    expect(await tenant.lease("s", 1_000)).toBeUndefined();
    expect(other?.fence).toBe(2);
  });

  test("cannot be renewed after their release", async () => {
    const { tenant } = await leasing();
    const lease = await tenant.lease("s", 1_000);
    if (lease === undefined) throw new TypeError("Nobody else holds it.");
    await tenant.release("s", lease);
    expect(await tenant.renew("s", lease, 1_000)).toBe(false);
  });

  test("are of one session, and of a session that exists", async () => {
    const { tenant } = await leasing();
    await tenant.createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD);
    await tenant.lease("s", 1_000);
    expect(await tenant.lease("t", 1_000)).toBeDefined();
    await expect(tenant.lease("nowhere", 1_000)).rejects.toMatchObject({ code: "session-not-found" });
  });
});

describe("tenants", () => {
  test("with equal session ids see nothing of each other", async () => {
    const store = createMemoryStore();
    const [ours, theirs] = [store.tenant("a"), store.tenant("b")];
    await ours.createSession({ id: "s", createdAt: 0 }, EMPTY_HEAD);
    await ours.append("s", { entries: [say("our secret")] });
    expect(await theirs.findSession("s")).toBeUndefined();
    expect(await theirs.createSession({ id: "s", createdAt: 0 }, EMPTY_HEAD)).toBe("created");
    expect(await theirs.readEntries("s", {})).toEqual([]);
    expect(await theirs.search({ text: "secret", limit: 10 })).toEqual([]);
    expect((await theirs.listSessions({ limit: 10 })).map(({ messageCount }) => messageCount)).toEqual([0]);
    await ours.lease("s", 60_000);
    expect(await theirs.lease("s", 60_000)).toMatchObject({ fence: 1 });
    await theirs.deleteSession("s");
    expect((await ours.readEntries("s", {})).length).toBe(1);
  });

  test("are the same logs for the same id, whatever the id", async () => {
    const store = createMemoryStore();
    await store.tenant("__proto__").createSession({ id: "constructor", createdAt: 0 }, EMPTY_HEAD);
    expect(await store.tenant("__proto__").findSession("constructor")).toBeDefined();
    expect(await store.tenant("local").findSession("constructor")).toBeUndefined();
  });

  test("of a closed store are refused", async () => {
    const store = createMemoryStore();
    await store.close();
    expect(() => store.tenant("local")).toThrow(expect.objectContaining({ code: "closed" }));
    expect(() => store.tenant("local")).toThrow(PalimpsestError);
  });
});

describe("sessions", () => {
  test("are created once", async () => {
    const tenant = await aTenant();
    await append(tenant, say("Hello."));
    expect(await tenant.createSession({ id: "s", createdAt: 9 }, EMPTY_HEAD)).toBe("exists");
    expect((await read(tenant)).length).toBe(1);
  });

  test("are listed newest first, with preview, count and first role", async () => {
    const tenant = await aTenant("old");
    await tenant.createSession({ id: "new", createdAt: 5, title: "Colours" }, EMPTY_HEAD);
    await tenant.append("new", { entries: [say("Which colour?", { at: 10 }), say("Blue.", { at: 30 })] });
    await tenant.append("old", { entries: [say("x".repeat(500), { at: 20 })] });
    const sessions = await tenant.listSessions({ limit: 10 });
    expect(sessions.map(({ id }) => id)).toEqual(["new", "old"]);
    expect(sessions[0]).toEqual({
      id: "new",
      title: "Colours",
      createdAt: 5,
      updatedAt: 30,
      messageCount: 2,
      preview: "Which colour?",
      firstRole: "user",
      fork: undefined,
    });
    expect(sessions[1]?.preview).toBe("x".repeat(100));
  });

  test("without messages are listed by their creation, with nothing to show", async () => {
    const tenant = await aTenant();
    await append(tenant, note("n1"));
    expect(await tenant.listSessions({ limit: 1 })).toMatchObject([
      { updatedAt: 0, messageCount: 0, preview: "", firstRole: undefined },
    ]);
  });

  test("have previews that do not end in half a character", async () => {
    const tenant = await aTenant();
    await append(tenant, say(`a${"😀".repeat(200)}`));
    expect((await tenant.listSessions({ limit: 1 }))[0]?.preview.isWellFormed()).toBe(true);
  });

  test("are listed page by page", async () => {
    const tenant = await aTenant("s0");
    for (const at of [1, 2, 3]) await tenant.createSession({ id: `s${at}`, createdAt: Math.min(at, 2) }, EMPTY_HEAD);
    const first = await tenant.listSessions({ limit: 2 });
    const second = await tenant.listSessions({ limit: 2, after: first.at(-1) });
    expect([...first, ...second].map(({ id }) => id)).toEqual(["s3", "s2", "s1", "s0"]);
  });

  test("do not grow older when the clock is set back", async () => {
    const tenant = await aTenant();
    await append(tenant, say("Hello.", { at: 100 }), say("Back.", { at: 50 }));
    expect((await tenant.listSessions({ limit: 1 }))[0]?.updatedAt).toBe(100);
  });

  test("can be renamed and deleted", async () => {
    const tenant = await aTenant();
    expect(await tenant.renameSession("s", "Colours")).toBe(true);
    expect((await tenant.findSession("s"))?.header.title).toBe("Colours");
    expect(await tenant.deleteSession("s")).toBe(true);
    expect(await tenant.findSession("s")).toBeUndefined();
    expect([await tenant.deleteSession("s"), await tenant.renameSession("s", "x")]).toEqual([false, false]);
  });
});

describe("reading", () => {
  const filled = async () => {
    const tenant = await aTenant();
    await append(tenant, say("One."), note("n2"), say("Three."), note("n4"), say("Five."));
    return tenant;
  };

  test.each<[string, Parameters<TenantStore["readEntries"]>[1], readonly number[]]>([
    ["everything", {}, [1, 2, 3, 4, 5]],
    ["what is newer", { afterSeq: 3 }, [4, 5]],
    ["what is older, the place itself included", { throughSeq: 2 }, [1, 2]],
    ["a range", { afterSeq: 1, throughSeq: 4 }, [2, 3, 4]],
    ["only some types", { types: ["message"] }, [1, 3, 5]],
    ["the oldest of a range", { limit: 2 }, [1, 2]],
    ["the newest of a range, newest first", { limit: 2, newestFirst: true }, [5, 4]],
    ["the newest of some types", { types: ["note"], limit: 1, newestFirst: true }, [4]],
    ["nothing where the range is empty", { afterSeq: 9 }, []],
    ["a range that begins before the log", { afterSeq: -100, throughSeq: 100 }, [1, 2, 3, 4, 5]],
  ])("gives %s", async (_, range, seqs) => {
    expect(seqsOf(await (await filled()).readEntries("s", range))).toEqual(seqs);
  });

  test("finds entries and messages by id", async () => {
    const tenant = await filled();
    const [first] = (await read(tenant)).filter(isMessage);
    expect(await tenant.findEntry("s", "n2")).toMatchObject({ seq: 2, type: "note" });
    expect(await tenant.findMessage("s", "n2")).toBeUndefined();
    expect(await tenant.findMessage("s", first?.id ?? "")).toEqual(first);
    expect(await tenant.findEntry("s", "nowhere")).toBeUndefined();
  });

  test("gives ids and hashes of all messages in order", async () => {
    const tenant = await filled();
    const messages = (await read(tenant)).filter(isMessage);
    expect(await tenant.readMessageKeys("s")).toEqual(messages.map(({ seq, id, hash }) => ({ seq, id, hash })));
  });

  test("finds nothing in a session that does not exist", async () => {
    const tenant = await aTenant();
    expect(await read(tenant, "nowhere")).toEqual([]);
    expect(await tenant.readView("nowhere")).toBeUndefined();
    expect(await tenant.readMessageKeys("nowhere")).toEqual([]);
    expect(await tenant.findMessage("nowhere", "m1")).toBeUndefined();
  });

  test("gives counts back that were added later, beside those of the append", async () => {
    const tenant = await aTenant();
    await append(tenant, say("One.", { tokens: { a: 1 } }));
    await tenant.addCounts("s", "b", new Map([[1, 7]]));
    await tenant.addCounts("s", "b", new Map([[1, 7]]));
    expect((await read(tenant))[0]).toMatchObject({ tokens: { a: 1 }, recounts: { b: 7 } });
  });
});

describe("forks", () => {
  const forked = async (atSeq = 2) => {
    const tenant = await aTenant();
    await append(tenant, say("One.", { tokens: { a: 1 } }), say("Two."), say("Three."));
    const head = foldEntries(await tenant.readEntries("s", { throughSeq: atSeq }));
    await tenant.createSession({ id: "f", createdAt: 0, fork: { parentId: "s", atSeq } }, head);
    return tenant;
  };
  const textsOf = async (tenant: TenantStore, id: string) =>
    (await read(tenant, id)).map((entry) =>
      entry.type === "message"
        ? entry.message.parts.flatMap((part) => (part.type === "text" ? part.text : [])).join()
        : "",
    );

  test("read what they inherit, and go on from there", async () => {
    const tenant = await forked();
    const outcome = await tenant.append("f", { entries: [say("Instead.")] });
    expect(outcome).toMatchObject({ type: "appended", lastSeq: 3 });
    expect(await textsOf(tenant, "f")).toEqual(["One.", "Two.", "Instead."]);
    expect(await textsOf(tenant, "s")).toEqual(["One.", "Two.", "Three."]);
    expect(await tenant.findSession("f")).toMatchObject({ lastSeq: 3 });
  });

  test("see nothing that their parent says later", async () => {
    const tenant = await forked();
    const [, , third] = (await read(tenant)).filter(isMessage);
    await append(tenant, say("Four."));
    expect(seqsOf(await read(tenant, "f"))).toEqual([1, 2]);
    expect(await tenant.findMessage("f", third?.id ?? "")).toBeUndefined();
    expect(await tenant.search({ text: "Four", sessionId: "f", limit: 10 })).toEqual([]);
  });

  test("know the ids that they inherit, and only those", async () => {
    const tenant = await forked();
    const [first, , third] = (await read(tenant)).filter(isMessage);
    if (first === undefined || third === undefined) throw new TypeError("There are three messages.");
    const again = await tenant.append("f", { entries: [draftOf(first.message), draftOf(third.message)] });
    expect(again.type === "appended" && seqsOf(again.entries)).toEqual([1, 3]);
    const other = draftOf(aUserMessage("Other.", { id: first.id }));
    expect(await tenant.append("f", { entries: [other] })).toEqual({ type: "conflict", entryId: first.id });
  });

  test("of forks read through both", async () => {
    const tenant = await forked();
    await tenant.append("f", { entries: [say("Instead.")] });
    const head = foldEntries(await tenant.readEntries("f", { throughSeq: 3 }));
    await tenant.createSession({ id: "g", createdAt: 0, fork: { parentId: "f", atSeq: 3 } }, head);
    await tenant.append("g", { entries: [say("Further.")] });
    expect(await textsOf(tenant, "g")).toEqual(["One.", "Two.", "Instead.", "Further."]);
    expect([await tenant.listForks("s"), await tenant.listForks("f")]).toEqual([["f"], ["g"]]);
  });

  test("keep their parent from being deleted", async () => {
    const tenant = await forked();
    expect(await tenant.deleteSession("s")).toBe(false);
    expect(await tenant.deleteSession("f")).toBe(true);
    expect(await tenant.deleteSession("s")).toBe(true);
  });

  test("are listed with what they inherit", async () => {
    const tenant = await forked();
    const sessions = await tenant.listSessions({ limit: 10 });
    expect(sessions.find(({ id }) => id === "f")).toMatchObject({
      messageCount: 2,
      preview: "One.",
      fork: { parentId: "s", atSeq: 2 },
    });
  });

  test("from before the first message begin with their own", async () => {
    const tenant = await forked(0);
    await tenant.append("f", { entries: [say("Anew.")] });
    const sessions = await tenant.listSessions({ limit: 10 });
    expect(sessions.find(({ id }) => id === "f")).toMatchObject({ messageCount: 1, preview: "Anew." });
  });

  test("take counts for what they inherit", async () => {
    const tenant = await forked();
    await tenant.addCounts("f", "b", new Map([[1, 7]]));
    expect((await read(tenant, "f"))[0]).toMatchObject({ recounts: { b: 7 } });
  });

  test("need a parent", async () => {
    const tenant = await aTenant();
    const fork = { parentId: "nowhere", atSeq: 0 };
    await expect(tenant.createSession({ id: "f", createdAt: 0, fork }, EMPTY_HEAD)).rejects.toMatchObject({
      code: "session-not-found",
    });
    expect(await tenant.findSession("f")).toBeUndefined();
  });
});

describe("erasing", () => {
  const SECRET = "the launch code is 4711";
  const summary: SummaryRecord = {
    id: "sum",
    at: 0,
    depth: 0,
    coverage: { firstSeq: 1, lastSeq: 1, count: 1, chainHash: "" },
    messageIds: [],
    text: SECRET,
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
  };
  const erased = async () => {
    const tenant = await aTenant();
    const { id, ...secret } = say(SECRET);
    await append(tenant, { ...secret, id }, say("Two."));
    const summarised = batchOf(await headOf(tenant), { type: "summary", record: summary, keptRequests: [] }, "sum");
    await tenant.append("s", summarised);
    const head = await headOf(tenant);
    await tenant.createSession(
      { id: "f", createdAt: 0, fork: { parentId: "s", atSeq: 2 } },
      foldEntries(await tenant.readEntries("s", { throughSeq: 2 })),
    );
    const gone = batchOf(head, { type: "delete", messageIds: [id], seqs: [1], dropsSummary: true });
    await tenant.append("s", { ...gone, erase: [id, "sum"] });
    return { tenant, id };
  };

  test("takes the text from the log, from summaries, from searches, previews and forks", async () => {
    const { tenant, id } = await erased();
    const everything = [
      await read(tenant),
      await read(tenant, "f"),
      await tenant.readView("s"),
      await tenant.readView("f"),
      await tenant.findMessage("s", id),
      await tenant.findEntry("s", "sum"),
      await tenant.search({ text: "launch", limit: 10 }),
      await tenant.listSessions({ limit: 10 }),
    ];
    expect(JSON.stringify(everything)).not.toContain("launch");
  });

  test("leaves the place, the id and the role", async () => {
    const { tenant, id } = await erased();
    expect((await read(tenant))[0]).toMatchObject({
      seq: 1,
      id,
      erased: true,
      message: { id, role: "user", parts: [] },
    });
    expect((await tenant.listSessions({ limit: 10 })).find((session) => session.id === "s")).toMatchObject({
      messageCount: 2,
      firstRole: "user",
    });
  });

  test("does not happen when the batch is stale", async () => {
    const tenant = await aTenant();
    const secret = say(SECRET);
    await append(tenant, secret);
    const late = batchOf(
      await headOf(tenant),
      { type: "delete", messageIds: [], seqs: [1], dropsSummary: false },
      "late",
    );
    await change(tenant, pinNote);
    await tenant.append("s", { ...late, erase: [secret.id] });
    expect(JSON.stringify(await read(tenant))).toContain(SECRET);
  });
});

describe("search", () => {
  const searchable = async () => {
    const tenant = await aTenant("s");
    await tenant.createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD);
    const answer = { ...aUserMessage("The LAUNCH code is 100% 'secret'."), role: "assistant" as const };
    await tenant.append("s", { entries: [say("Launch what?", { at: 1 }), draftOf(answer, { at: 2 })] });
    await tenant.append("t", {
      entries: [draftOf(aToolResult("a", 'launch "now"'), { at: 3 }), say("Other.", { at: 4 })],
    });
    return tenant;
  };
  const hits = async (query: Partial<SearchQuery> & { text: string }) =>
    (await (await searchable()).search({ limit: 10, ...query })).map(({ sessionId, seq }) => `${sessionId}/${seq}`);

  test("finds text whatever the case, in every session, newest first", async () => {
    expect(await hits({ text: "launch" })).toEqual(["t/1", "s/2", "s/1"]);
  });

  test("keeps to a session, a role and a limit", async () => {
    expect(await hits({ text: "launch", sessionId: "s" })).toEqual(["s/2", "s/1"]);
    expect(await hits({ text: "launch", role: "assistant" })).toEqual(["s/2"]);
    expect(await hits({ text: "launch", role: "tool" })).toEqual(["t/1"]);
    expect(await hits({ text: "launch", limit: 2 })).toEqual(["t/1", "s/2"]);
    expect(await hits({ text: "launch", sessionId: "nowhere" })).toEqual([]);
  });

  test.each([
    ["100%", ["s/2"]],
    ["%", ["s/2"]],
    ["_", []],
    ["'secret'", ["s/2"]],
    ['"now"', ["t/1"]],
    ["launch*", []],
    ["l.unch", []],
  ])("takes %s for plain text", async (text, found) => {
    expect(await hits({ text })).toEqual(found);
  });

  test.each([[""], ["   "], ["\n"]])("finds nothing for the blank query %j", async (text) => {
    expect(await hits({ text })).toEqual([]);
  });

  test("says where the match stands", async () => {
    const [hit] = await (await searchable()).search({ text: "LAUNCH", sessionId: "s", role: "user", limit: 1 });
    expect(hit).toMatchObject({ role: "user", seq: 1, snippet: "Launch what?", matchStart: 0, matchLength: 6 });
  });
});

interface Step {
  readonly kind:
    | "say"
    | "system"
    | "reply"
    | "request"
    | "note"
    | "truncate"
    | "pin"
    | "clear"
    | "once"
    | "undo"
    | "fork";
  readonly at: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: weighted<Step["kind"]>([
      [10, fc.constant("say")],
      [6, fc.constantFrom("reply", "request", "note", "system")],
      [6, fc.constantFrom("truncate", "pin", "clear", "once", "undo")],
      [1, fc.constant("fork")],
    ]),
    at: fractions(),
  }),
  { maxLength: 40, size: "max" },
);

/** Plays steps on a store; a fork is gone on with. Gives the session that the last step was played on. */
async function play(tenant: TenantStore, planned: readonly Step[]): Promise<string> {
  const { aUserMessage: aMessage } = messageBuilder();
  let id = "s";
  const speak = (role: Role, promptId?: string) =>
    tenant.append(id, { entries: [draftOf({ ...aMessage("Hello."), role }, { promptId })] });
  for (const [index, { kind, at }] of planned.entries()) {
    const head = await headOf(tenant, id);
    const view = await viewOf(tenant, id);
    const seq = view.messages[Math.floor(at * view.messages.length)]?.seq;
    const stamp = { id: `x${index}`, at: 0 };
    const newest = head.undoable.at(-1);
    if (kind === "say") await speak("user");
    else if (kind === "system") await speak("system");
    else if (kind === "reply") await speak("assistant", head.requests.at(-1)?.promptId);
    else if (kind === "note")
      await tenant.append(id, {
        entries: [
          { ...stamp, type: "note", kind: "generation-end", text: "", promptId: head.requests.at(-1)?.promptId },
        ],
      });
    else if (kind === "request") {
      const figures = { counterId: "a", provider: "openai", countedTokens: 0, factor: 1, sections: [], changes: [] };
      await tenant.append(id, {
        entries: [{ ...stamp, ...figures, type: "request", promptId: stamp.id, viewEpoch: head.epoch }],
      });
    } else if (kind === "fork") {
      const fork = { parentId: id, atSeq: head.foldedThroughSeq };
      await tenant.createSession(
        { id: `f${index}`, createdAt: 0, fork },
        { ...head, epoch: 0, undoable: [], redoable: [] },
      );
      id = `f${index}`;
    } else if (kind === "undo") {
      if (newest === undefined) continue;
      const undo: Unstamped = { type: "undo", undoes: newest.entryId, holdThroughCount: 0 };
      await tenant.append(id, batchOf(head, undo, stamp.id));
    } else if (seq !== undefined) {
      const changes = {
        truncate: truncate(seq, at < 0.5 ? [seq] : []),
        pin: { type: "pin", target: { type: "messages", messageId: "", seqs: [seq] } },
        clear: clear(seq, "for-good"),
        once: clear(head.foldedThroughSeq, "next-generation"),
      } as const;
      await tenant.append(id, batchOf(head, changes[kind], stamp.id));
    }
  }
  return id;
}

const isMessage = (entry: Entry): entry is MessageEntry => entry.type === "message";

/** The view as an engine opens it: from what `readView` gives, and nothing else. */
async function viewOf(tenant: TenantStore, id: string) {
  const stored = await tenant.readView(id);
  const entries = stored?.entries ?? [];
  return buildView(foldEntries(entries, stored?.head), entries.filter(isMessage), { count: () => 1 });
}

describe("readView", () => {
  test("gives kept messages, those above the floor, and whatever is not folded in yet", async () => {
    const tenant = await aTenant();
    await append(tenant, say("One."), say("Two."), say("Three."));
    await change(tenant, { type: "pin", target: { type: "messages", messageId: "", seqs: [1] } });
    await change(tenant, truncate(2));
    await append(tenant, note("n1"), say("Four."));
    const view = await tenant.readView("s");
    expect(seqsOf(view?.entries ?? [])).toEqual([1, 3, 5, 6, 7]);
    expect(view).toMatchObject({ lastSeq: 7, head: { epoch: 2 } });
  });

  test("gives what comes back when a clear for the next generation ends", async () => {
    const tenant = await aTenant();
    await append(tenant, say("One."), say("Two."));
    await change(tenant, { type: "pin", target: { type: "messages", messageId: "", seqs: [1] } });
    await change(tenant, truncate(1));
    await change(tenant, clear(4, "next-generation"));
    expect((await viewOf(tenant, "s")).messages).toEqual([]);
    const head = await headOf(tenant);
    const figures = { counterId: "a", provider: "openai", countedTokens: 0, factor: 1, sections: [], changes: [] };
    await append(tenant, { ...figures, type: "request", id: "p", at: 0, promptId: "p", viewEpoch: head.epoch });
    await append(tenant, say("Done.", { promptId: "p" }));
    const view = await viewOf(tenant, "s");
    expect([view.kept.map(({ seq }) => seq), view.messages.map(({ seq }) => seq)]).toEqual([[1], [2, 7]]);
  });

  test("opens to the fold of everything, forks included", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (planned) => {
        const tenant = await aTenant();
        const id = await play(tenant, planned);
        const opened = await viewOf(tenant, id);
        const everything = await tenant.readEntries(id, {});
        expect(opened.head).toEqual(await headOf(tenant, id));
        if (id === "s") expect(opened.head).toEqual(foldEntries(everything));
        expect(opened).toEqual(buildView(opened.head, everything.filter(isMessage), { count: () => 1 }));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test("reads no more than the view needs", async () => {
    const tenant = await aTenant();
    for (let count = 0; count < 50; count += 1) await append(tenant, say("Hello."));
    await change(tenant, truncate(48));
    expect(viewFloorSeq(await headOf(tenant))).toBe(48);
    expect((await tenant.readView("s"))?.entries.length).toBeLessThanOrEqual(3);
  });
});
