/** Views: read without the rest of the log, and equal to the fold of all entries and to those of other stores. */
import fc from "fast-check";
import { foldEntries } from "../../core/log/fold-entry.ts";
import { findViewFloorSeq } from "../../core/log/head.ts";
import { createMemoryStore } from "../../stores/memory/memory-store.ts";
import {
  append,
  appendChange,
  aTenant,
  clear,
  headOf,
  note,
  pin,
  read,
  request,
  SESSION,
  say,
  seqsOf,
  summarize,
  truncate,
  viewOf,
  viewOfEntries,
} from "./contract-log.ts";
import { describeTenant, playSteps, steps } from "./play-steps.ts";
import { type ContractPart, expectMatch, expectSame } from "./store-under-test.ts";

export function describeViews({ describe, test, testTenant, shared, runs }: ContractPart): void {
  describe("readView", () => {
    testTenant("returns kept messages, messages above the view floor, and entries after the head", async (tenant) => {
      await append(tenant, say("One."), say("Two."), say("Three."));
      await appendChange(tenant, pin(1));
      await appendChange(tenant, truncate(2));
      await append(tenant, note("n1"), say("Four."));
      const view = await tenant.readView(SESSION);
      expectSame(seqsOf(view?.entries ?? []), [1, 3, 5, 6, 7]);
      expectMatch(view, { lastSeq: 7 });
      expectSame(view?.head.epoch, 2);
    });

    testTenant("returns all notes above the view floor", async (tenant) => {
      const given = (id: string, afterSeq: number) =>
        ({ type: "note", kind: "prompt", id, at: 0, text: `Note ${id}.`, afterSeq }) as const;
      await append(tenant, say("One."), given("n1", 1), say("Two."), given("n2", 3));
      await appendChange(tenant, truncate(1));
      await append(tenant, say("Three."), given("n3", 6));
      expectSame(seqsOf((await tenant.readView(SESSION))?.entries ?? []), [2, 3, 4, 5, 6, 7]);
      const { notes } = await viewOf(tenant);
      expectSame(
        notes.map(({ text }) => text),
        ["Note n2.", "Note n3."],
      );
    });

    testTenant("returns recalls above the view floor, and none that was erased", async (tenant) => {
      const recall = (id: string, afterSeq: number) =>
        ({ type: "recall", id, at: 0, text: `Recalled ${id}.`, passages: [], afterSeq, promptId: "p" }) as const;
      await append(tenant, say("One."), recall("r1", 1), say("Two."), recall("r2", 3));
      await appendChange(tenant, truncate(1));
      const texts = async () => (await viewOf(tenant)).notes.map(({ text }) => text);
      expectSame(await texts(), ["Recalled r2."]);
      await tenant.append(SESSION, { entries: [], erase: ["r2"] });
      expectSame(await texts(), []);
    });

    testTenant("returns cleared messages again after the clear has ended", async (tenant) => {
      await append(tenant, say("One."), say("Two."));
      await appendChange(tenant, pin(1));
      await appendChange(tenant, truncate(1));
      await appendChange(tenant, clear(4, "next-generation"));
      expectSame((await viewOf(tenant)).messages, []);
      await append(tenant, request("p", (await headOf(tenant)).epoch));
      await append(tenant, say("Done.", { promptId: "p" }));
      const view = await viewOf(tenant);
      expectSame([view.kept.map(({ seq }) => seq), view.messages.map(({ seq }) => seq)], [[1], [2, 7]]);
    });

    testTenant("returns only the entries that the view needs", async (tenant) => {
      for (let count = 0; count < 50; count += 1) await append(tenant, say("Hello."));
      await appendChange(tenant, truncate(48));
      expectSame(findViewFloorSeq(await headOf(tenant)), 48);
      expectSame(seqsOf((await tenant.readView(SESSION))?.entries ?? []), [49, 50, 51]);
    });

    testTenant("returns the oldest part of a long view, with its last seq", async (tenant) => {
      for (let count = 0; count < 40; count += 1) await append(tenant, say("Hello."));
      await appendChange(tenant, pin(2));
      await appendChange(tenant, truncate(10));
      const maxCharacters = 1_000_000;
      const part = await tenant.readView(SESSION, { maxSeqs: 5, maxCharacters });
      expectSame(seqsOf(part?.entries ?? []), [2, 11, 12, 13, 14, 15]);
      expectSame([part?.partThroughSeq, part?.lastSeq], [15, 42]);
      const limits = { partSeqs: 3, maxCharacters };
      expectSame((await tenant.readView(SESSION, { maxSeqs: 31, ...limits }))?.partThroughSeq, 13);
      expectSame((await tenant.readView(SESSION, { maxSeqs: 32, ...limits }))?.partThroughSeq, undefined);
      expectSame(await tenant.readView(SESSION, { maxSeqs: 1_000, maxCharacters }), await tenant.readView(SESSION));
    });

    testTenant("ends a part at the first of its two limits or before it, in a fork too", async (tenant) => {
      for (let count = 0; count < 40; count += 1) await append(tenant, say("x".repeat(100)));
      await tenant.createSession(
        { id: "f", createdAt: 0, fork: { parentId: SESSION, atSeq: 30 } },
        foldEntries(await tenant.readEntries(SESSION, { throughSeq: 30 })),
      );
      for (const id of [SESSION, "f"]) {
        const whole = await tenant.readView(id);
        const part = await tenant.readView(id, { maxSeqs: 8, maxCharacters: 50 });
        const read = seqsOf(part?.entries ?? []);
        expectSame(read, seqsOf(whole?.entries ?? []).slice(0, read.length));
        expectSame([read.length >= 1 && read.length <= 8, part?.partThroughSeq], [true, read.at(-1)]);
      }
    });

    testTenant(
      "ends a part of few long messages soon after its limit of characters, and keeps pinned ones",
      async (tenant) => {
        for (let count = 0; count < 80; count += 1) await append(tenant, say("x".repeat(20_000)));
        await appendChange(tenant, pin(2));
        await appendChange(tenant, truncate(10));
        const part = await tenant.readView(SESSION, { maxSeqs: 1_000, maxCharacters: 100_000 });
        const read = seqsOf(part?.entries ?? []);
        expectSame(read.slice(0, 3), [2, 11, 12]);
        expectSame([read.length <= 40, part?.partThroughSeq], [true, read.at(-1)]);
      },
    );

    testTenant("leaves out a summary that the head contains", async (tenant) => {
      await append(tenant, say("One."), say("Two."), say("Three."));
      await appendChange(tenant, summarize("So far.", 2));
      await append(tenant, say("Four."));
      const view = await tenant.readView(SESSION);
      expectSame(seqsOf(view?.entries ?? []), [3, 5]);
      expectSame(view?.head.summary?.text, "So far.");
      expectSame(foldEntries(view?.entries ?? [], view?.head), await headOf(tenant));
    });

    test("returns a view that equals the fold of all entries, forks included", async () => {
      await fc.assert(
        fc.asyncProperty(steps(), async (planned) => {
          const tenant = await aTenant(await shared());
          const id = await playSteps(tenant, planned);
          const opened = await viewOf(tenant, id);
          const everything = await read(tenant, id);
          expectSame(opened.head, await headOf(tenant, id));
          if (id === SESSION) expectSame(opened.head, foldEntries(everything));
          expectSame(opened, viewOfEntries(opened.head, everything));
        }),
        { numRuns: runs },
      );
    });
  });

  describe("any sequence of commands", () => {
    test("has the same result as in the memory store", async () => {
      await fc.assert(
        fc.asyncProperty(steps(), async (planned) => {
          const tenant = await aTenant(await shared());
          const model = await aTenant({ store: createMemoryStore(), passTime: async () => undefined });
          await playSteps(tenant, planned);
          await playSteps(model, planned);
          expectSame(await describeTenant(tenant), await describeTenant(model));
        }),
        { numRuns: runs },
      );
    });
  });
}
