/** Statistics: everything of a tenant, counted once, and nothing of other tenants. */
import { randomUUID } from "node:crypto";
import { append, appendChange, erase, fork, note, pinNote, SESSION, say } from "./contract-log.ts";
import { type ContractPart, expectSame } from "./store-under-test.ts";

const NO_BLOBS = { count: 0, bytes: 0 };

export function describeStatistics({ describe, test, testTenant, shared }: ContractPart): void {
  describe("statistics", () => {
    test("the statistics of a tenant without sessions are zero", async () => {
      const { store } = await shared();
      const nothing = { sessions: 0, entries: 0, messages: 0, blobs: NO_BLOBS };
      expectSame(await store.tenant(randomUUID()).statistics(), nothing);
    });

    testTenant("statistics count sessions, entries and messages", async (tenant) => {
      expectSame(await tenant.statistics(), { sessions: 1, entries: 0, messages: 0, blobs: NO_BLOBS });
      await append(tenant, say("One."), note("n1"), say("Two."));
      await appendChange(tenant, pinNote);
      expectSame(await tenant.statistics(), { sessions: 1, entries: 4, messages: 2, blobs: NO_BLOBS });
    });

    testTenant("statistics count inherited entries once, in the session that wrote them", async (tenant) => {
      await append(tenant, say("One."), say("Two."), note("n1"));
      await fork(tenant, { id: "f", atSeq: 2 });
      await tenant.append("f", { entries: [say("Instead."), note("n2")] });
      await fork(tenant, { id: "g", atSeq: 3, parentId: "f" });
      await tenant.append("g", { entries: [say("Further.")] });
      expectSame(await tenant.statistics(), { sessions: 3, entries: 6, messages: 4, blobs: NO_BLOBS });
      await tenant.deleteSession("g");
      await tenant.deleteSession("f");
      expectSame(await tenant.statistics(), { sessions: 1, entries: 3, messages: 2, blobs: NO_BLOBS });
    });

    testTenant("statistics include erased messages", async (tenant) => {
      const draft = say("One.");
      await append(tenant, draft, say("Two."));
      await erase(tenant, [draft.id]);
      expectSame(await tenant.statistics(), { sessions: 1, entries: 3, messages: 2, blobs: NO_BLOBS });
    });
  });
}

const counted = (text: string, tokens: number) => say(text, { tokens: { a: tokens } });
const whole = [{ firstSeq: 1, lastSeq: 1_000_000 }];

export function describeWeights({ describe, testTenant }: ContractPart): void {
  describe("weighMessages and describeSession", () => {
    testTenant("weighMessages counts the messages and tokens of each stretch", async (tenant) => {
      await append(tenant, counted("One.", 3), note("n1"), counted("Two.", 5), counted("Three.", 7), say("Four."));
      const stretches = [
        { firstSeq: 1, lastSeq: 2 },
        { firstSeq: 4, lastSeq: 4 },
        { firstSeq: 5, lastSeq: 9 },
        { firstSeq: 10, lastSeq: 20 },
      ];
      expectSame(await tenant.weighMessages(SESSION, stretches), [
        { messages: 1, tokens: 3 },
        { messages: 1, tokens: 7 },
        { messages: 1, tokens: 0 },
        { messages: 0, tokens: 0 },
      ]);
      expectSame(await tenant.weighMessages(SESSION, []), []);
      expectSame(await tenant.weighMessages("nowhere", whole), [{ messages: 0, tokens: 0 }]);
    });

    testTenant("weighMessages counts inherited messages of a fork up to its seq", async (tenant) => {
      await append(tenant, counted("One.", 3), counted("Two.", 5), counted("Three.", 7));
      await fork(tenant, { id: "f", atSeq: 2 });
      await tenant.append("f", { entries: [counted("Instead.", 11)] });
      expectSame(await tenant.weighMessages("f", whole), [{ messages: 3, tokens: 19 }]);
      expectSame(await tenant.weighMessages("f", [{ firstSeq: 2, lastSeq: 3 }]), [{ messages: 2, tokens: 16 }]);
    });

    testTenant("weighMessages counts erased messages as before", async (tenant) => {
      const draft = counted("One.", 3);
      await append(tenant, draft, counted("Two.", 5));
      await erase(tenant, [draft.id]);
      expectSame(await tenant.weighMessages(SESSION, whole), [{ messages: 2, tokens: 8 }]);
    });

    testTenant("weighMessages accepts hundreds of stretches at once", async (tenant) => {
      await append(tenant, ...Array.from({ length: 300 }, (_, index) => counted("So.", index)));
      const single = Array.from({ length: 300 }, (_, index) => ({ firstSeq: index + 1, lastSeq: index + 1 }));
      expectSame(
        await tenant.weighMessages(SESSION, single),
        single.map((_, tokens) => ({ messages: 1, tokens })),
      );
    });

    testTenant("describeSession returns the same values as the list of sessions", async (tenant) => {
      await append(tenant, say("The first words.", { at: 5 }), note("n1"), say("More.", { at: 9 }));
      await tenant.renameSession(SESSION, "Named");
      await fork(tenant, { id: "f", atSeq: 1 });
      for (const listed of await tenant.listSessions({ limit: 10 }))
        expectSame(await tenant.describeSession(listed.id), listed);
      expectSame(await tenant.describeSession("nowhere"), undefined);
    });
  });
}
