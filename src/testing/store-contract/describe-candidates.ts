/** Candidates for recall: every store finds the messages with the most and rarest words, and those next to them. */
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { CandidateQuery, TenantStore } from "../../ports/store.ts";
import { append, appendChange, erase, fork, SESSION, say, truncate } from "./contract-log.ts";
import { type ContractPart, expectSame } from "./store-under-test.ts";

const TEXTS = ["The oars are wet.", "Hello.", "Good.", "Fine.", "The OARS and the mast.", "Yes.", "A mast, a sail."];

async function findCandidateSeqs(tenant: TenantStore, query: Partial<CandidateQuery> = {}): Promise<readonly number[]> {
  const { messages } = await tenant.findCandidates(SESSION, { words: ["oar"], throughSeq: 7, limit: 1, ...query });
  return messages.map(({ seq }) => seq);
}

export function describeCandidates({ describe, testTenant }: ContractPart): void {
  describe("findCandidates", () => {
    testTenant("returns the best message and the two on each side, in order", async (tenant) => {
      await append(tenant, ...TEXTS.map((text) => say(text)));
      expectSame(await findCandidateSeqs(tenant, { words: ["oar", "mast"] }), [3, 4, 5, 6, 7]);
      expectSame(await findCandidateSeqs(tenant, { words: ["sail"] }), [5, 6, 7]);
    });

    testTenant("counts the messages with each word", async (tenant) => {
      await append(tenant, ...TEXTS.map((text) => say(text)));
      const words = ["oar", "mast", "anchor"];
      const { counts } = await tenant.findCandidates(SESSION, { words, throughSeq: 7, limit: 5 });
      expectSame([counts.get("oar"), counts.get("mast")], [2, 2]);
    });

    testTenant("returns nothing outside its range, and nothing for no words or an unknown session", async (tenant) => {
      await append(tenant, ...TEXTS.map((text) => say(text)));
      expectSame(await findCandidateSeqs(tenant, { throughSeq: 3 }), [1, 2, 3]);
      expectSame(await findCandidateSeqs(tenant, { afterSeq: 5 }), []);
      expectSame(await findCandidateSeqs(tenant, { words: [] }), []);
      expectSame((await tenant.findCandidates("unknown", { words: ["oar"], throughSeq: 9, limit: 1 })).messages, []);
    });

    testTenant("leaves out erased messages and entries that are not messages", async (tenant) => {
      const gone = say("The oars again.");
      await append(tenant, say("The oars are wet."), say("Hello."), gone);
      await appendChange(tenant, truncate(3));
      await append(tenant, say("The oars at last."));
      await erase(tenant, [gone.id]);
      expectSame(await findCandidateSeqs(tenant, { throughSeq: 9, limit: 9 }), [1, 2, 5]);
    });

    testTenant("finds inherited messages of a fork", async (tenant) => {
      await append(tenant, say("The oars are wet."), say("Hello."));
      await fork(tenant, { id: "f", atSeq: 1 });
      await tenant.append("f", { entries: [say("More oars.")] });
      const { messages } = await tenant.findCandidates("f", { words: ["oar"], throughSeq: 9, limit: 5 });
      expectSame(
        messages.map(({ seq }) => seq),
        [1, 2],
      );
    });

    testTenant("finds no messages of another session", async (tenant) => {
      await append(tenant, say("The oars are wet."));
      await tenant.createSession({ id: "other", createdAt: 0 }, EMPTY_HEAD);
      await tenant.append("other", { entries: [say("Hello."), say("Dry oars.")] });
      const { messages } = await tenant.findCandidates("other", { words: ["oar"], throughSeq: 9, limit: 5 });
      expectSame(
        messages.map(({ seq }) => seq),
        [1, 2],
      );
      expectSame(await findCandidateSeqs(tenant, { throughSeq: 9 }), [1]);
    });
  });
}
