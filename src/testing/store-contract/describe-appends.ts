/** Appends: seqs without gaps, idempotent ids, batches written whole or not at all. */

import { randomUUID } from "node:crypto";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import { textPart } from "../builders.ts";
import { encodingTexts, markupTexts } from "../hostile-texts.ts";
import { shows } from "../shows.ts";
import { append, aUserMessage, draftOf, note, read, SESSION, say, seqsOf } from "./contract-log.ts";
import { type ContractPart, expectError, expectMatch, expectSame } from "./store-under-test.ts";

export function describeAppends({ describe, testTenant }: ContractPart): void {
  describe("append", () => {
    testTenant(shows("S3-113", "assigns seqs from 1 without gaps, across batches"), async (tenant) => {
      expectSame(seqsOf(await append(tenant, say("One."), note("n1"))), [1, 2]);
      expectSame(seqsOf(await append(tenant, say("Two."))), [3]);
      expectSame(seqsOf(await read(tenant)), [1, 2, 3]);
      expectMatch(await tenant.findSession(SESSION), { lastSeq: 3 });
    });

    testTenant("returns the appended entries in order", async (tenant) => {
      const sent = say("One.", { at: 7.5, tokens: { a: 3 }, promptId: "p", usage: { inputTokens: 4 } });
      const [stored] = await append(tenant, sent);
      expectSame(stored, { ...sent, seq: 1 });
      expectSame(await read(tenant), [{ ...sent, seq: 1 }]);
    });

    testTenant(
      "returns a message that is appended again as it was stored, and assigns it no new seq",
      async (tenant) => {
        const sent = say("Hello.", { at: 7 });
        const [first] = await append(tenant, sent);
        const next = say("Next.");
        expectSame(await append(tenant, { ...sent, at: 99 }, next), [first, { ...next, seq: 2 }]);
        expectSame(await append(tenant, sent, next), [first, { ...next, seq: 2 }]);
        expectSame((await read(tenant)).length, 2);
      },
    );

    testTenant("stores a message only once if a batch contains it twice", async (tenant) => {
      const sent = say("Hello.");
      expectSame(seqsOf(await append(tenant, sent, say("Between."), sent)), [1, 2, 1]);
      const other = draftOf(aUserMessage("Hello?", { id: "m-twice" }));
      const another = draftOf(aUserMessage("Hello!", { id: "m-twice" }));
      const outcome = await tenant.append(SESSION, { entries: [other, another] });
      expectSame(outcome, { type: "conflict", entryId: "m-twice" });
      expectSame((await read(tenant)).length, 2);
    });

    testTenant("returns stale if the log has grown beyond the last seq that a batch expects", async (tenant) => {
      await append(tenant, say("One."));
      const outcome = await tenant.append(SESSION, { entries: [say("Two."), note("n1")], expectedLastSeq: 1 });
      expectMatch(outcome, { type: "appended", lastSeq: 3 });
      const late = await tenant.append(SESSION, { entries: [say("Late.")], expectedLastSeq: 1 });
      expectSame(late, { type: "stale", epoch: 0 });
      expectSame(seqsOf(await read(tenant)), [1, 2, 3]);
    });

    testTenant("returns stale if a batch that expects a last seq has a stored message", async (tenant) => {
      const sent = say("One.");
      await append(tenant, sent);
      const outcome = await tenant.append(SESSION, { entries: [sent, note("n1")], expectedLastSeq: 1 });
      expectSame(outcome, { type: "stale", epoch: 0 });
      expectSame(seqsOf(await read(tenant)), [1]);
    });

    testTenant("writes no entry of a batch with a conflict in its middle", async (tenant) => {
      const sent = say("Hello.");
      const stored = await append(tenant, sent);
      const other = draftOf(aUserMessage("Something else.", { id: sent.id }));
      const outcome = await tenant.append(SESSION, { entries: [say("Before."), other, say("After.")] });
      expectSame(outcome, { type: "conflict", entryId: sent.id });
      expectSame(await read(tenant), stored);
      expectMatch((await tenant.listSessions({ limit: 1 }))[0], { messageCount: 1 });
      expectSame(await tenant.search({ text: "before", limit: 1 }), []);
      expectSame(seqsOf(await append(tenant, say("Later."))), [2]);
    });

    testTenant("returns a conflict for an entry with the id of a stored note", async (tenant) => {
      await append(tenant, note("n1"));
      const taken = draftOf(aUserMessage("Hello.", { id: "n1" }));
      for (const entry of [taken, note("n1")]) {
        expectSame(await tenant.append(SESSION, { entries: [entry] }), { type: "conflict", entryId: "n1" });
      }
    });

    testTenant("stores one message after a hundred parallel appends of the same message", async (tenant) => {
      const sent = say("Hello.");
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, () => tenant.append(SESSION, { entries: [sent] })),
      );
      for (const outcome of outcomes)
        expectSame(outcome, { type: "appended", entries: [{ ...sent, seq: 1 }], lastSeq: 1 });
      expectSame((await read(tenant)).length, 1);
    });

    testTenant("stores only one of a hundred parallel messages with the same id", async (tenant) => {
      const drafts = Array.from({ length: 100 }, (_, index) =>
        draftOf(aUserMessage(`Take ${index}.`, { id: "m-one" })),
      );
      const outcomes = await Promise.all(drafts.map((draft) => tenant.append(SESSION, { entries: [draft] })));
      expectSame(outcomes.filter(({ type }) => type === "appended").length, 1);
      expectSame(outcomes.filter(({ type }) => type === "conflict").length, 99);
    });

    testTenant("stores all of a hundred parallel appends with different ids", async (tenant) => {
      const drafts = Array.from({ length: 100 }, (_, index) => say(`Message ${index}.`));
      const stored = await Promise.all(drafts.map((draft) => append(tenant, draft)));
      const seqs = Array.from({ length: 100 }, (_, index) => index + 1);
      expectSame(seqsOf(await read(tenant)), seqs);
      expectSame(
        seqsOf(stored.flat()).toSorted((left, right) => left - right),
        seqs,
      );
    });

    testTenant("stores a thousand entries of one batch, and none of them twice", async (tenant) => {
      const drafts = Array.from({ length: 1_000 }, (_, index) => say(`Message ${index}.`, { at: index }));
      const seqs = drafts.map((_, index) => index + 1);
      expectSame(seqsOf(await append(tenant, ...drafts)), seqs);
      expectSame(seqsOf(await append(tenant, ...drafts)), seqs);
      expectSame(
        await tenant.readMessageKeys(SESSION),
        drafts.map(({ id, hash }, index) => ({ seq: index + 1, id, hash })),
      );
    });

    testTenant("fails for a session that does not exist", async (tenant) => {
      await expectError("session-not-found", () => tenant.append("nowhere", { entries: [say("Hello.")] }));
      expectSame(await tenant.findSession("nowhere"), undefined);
    });
  });
}

export function describeValues({ describe, test, testTenant, shared }: ContractPart): void {
  describe("stored values", () => {
    for (const { name, build } of [...encodingTexts(), ...markupTexts()]) {
      test(`a store returns ids, titles and texts unchanged: ${name}`, async () => {
        const { store } = await shared();
        const [text, tenantId] = [build(), `${build()}${randomUUID()}`];
        const tenant = store.tenant(tenantId);
        const sent = aUserMessage(text, { id: text, name: text });
        await tenant.createSession({ id: text, createdAt: 0, title: text }, EMPTY_HEAD);
        await tenant.append(text, { entries: [draftOf(sent), note(`${text}!`)] });
        await tenant.addCounts(text, text, new Map([[1, 7]]));
        expectMatch(await tenant.findMessage(text, text), { id: text, message: sent, recounts: { [text]: 7 } });
        expectMatch(await tenant.findEntry(text, `${text}!`), { seq: 2 });
        expectSame((await tenant.readMessageKeys(text))[0]?.id, text);
        expectMatch((await tenant.listSessions({ limit: 1 }))[0], { id: text, title: text, preview: text });
        expectMatch(await store.tenant(tenantId).findSession(text), { lastSeq: 2 });
      });
    }

    testTenant("a store keeps a key named __proto__, and text that looks like its own escapes", async (tenant) => {
      const input = Object.fromEntries([["__proto__", "\ud83d"]]);
      const parts = [
        textPart("a\u0000b\ude00 \u001a0000 \\u0000"),
        { type: "tool-call", callId: "a", tool: "t", input } as const,
      ];
      const sent = aUserMessage("", { parts, id: "\u001a0000\u0000" });
      await append(tenant, draftOf(sent));
      const found = await tenant.findMessage(SESSION, sent.id);
      expectSame(JSON.stringify(found?.message.parts), JSON.stringify(parts));
    });

    testTenant("a store keeps a text of 880,000 characters", async (tenant) => {
      const sent = say("word and \u0000 ".repeat(80_000));
      await append(tenant, sent, say("After."));
      expectSame((await read(tenant))[0], { ...sent, seq: 1 });
    });

    testTenant("a store distinguishes ids that look alike", async (tenant) => {
      const ids = ["a", "A", "a ", "á", "a\u0301", "\u0000", "\u001a0000", ""];
      for (const id of ids) await tenant.append(SESSION, { entries: [draftOf(aUserMessage(`Said ${id}`, { id }))] });
      expectSame(
        (await tenant.readMessageKeys(SESSION)).map(({ id }) => id),
        ids,
      );
    });
  });
}
