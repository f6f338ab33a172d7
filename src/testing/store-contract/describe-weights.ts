/** Weights: how much was said in each stretch, told without what was said, and a session as its list shows it. */
import { append, aTenant, batchOf, fork, headOf, note, SESSION, say } from "./contract-log.ts";
import { type ContractPart, same } from "./store-under-test.ts";

const counted = (text: string, tokens: number) => say(text, { tokens: { a: tokens } });
const whole = [{ firstSeq: 1, lastSeq: 1_000_000 }];

export function describeWeights({ describe, test, shared }: ContractPart): void {
  describe("weights", () => {
    test("are the messages and tokens of each stretch, whatever stands between", async () => {
      const tenant = await aTenant(await shared());
      await append(tenant, counted("One.", 3), note("n1"), counted("Two.", 5), counted("Three.", 7), say("Four."));
      const stretches = [
        { firstSeq: 1, lastSeq: 2 },
        { firstSeq: 4, lastSeq: 4 },
        { firstSeq: 5, lastSeq: 9 },
        { firstSeq: 10, lastSeq: 20 },
      ];
      same(await tenant.weighMessages(SESSION, stretches), [
        { messages: 1, tokens: 3 },
        { messages: 1, tokens: 7 },
        { messages: 1, tokens: 0 },
        { messages: 0, tokens: 0 },
      ]);
      same(await tenant.weighMessages(SESSION, []), []);
      same(await tenant.weighMessages("nobody's", whole), [{ messages: 0, tokens: 0 }]);
    });

    test("of a fork count what it inherits up to its place, and no further", async () => {
      const tenant = await aTenant(await shared());
      await append(tenant, counted("One.", 3), counted("Two.", 5), counted("Three.", 7));
      await fork(tenant, { id: "f", atSeq: 2 });
      await tenant.append("f", { entries: [counted("Instead.", 11)] });
      same(await tenant.weighMessages("f", whole), [{ messages: 3, tokens: 19 }]);
      same(await tenant.weighMessages("f", [{ firstSeq: 2, lastSeq: 3 }]), [{ messages: 2, tokens: 16 }]);
    });

    test("stay as they were when a text is erased", async () => {
      const tenant = await aTenant(await shared());
      const said = counted("One.", 3);
      await append(tenant, said, counted("Two.", 5));
      const gone = { type: "delete", messageIds: [said.id], seqs: [1], dropsSummary: false } as const;
      await tenant.append(SESSION, { ...batchOf(await headOf(tenant), gone), erase: [said.id] });
      same(await tenant.weighMessages(SESSION, whole), [{ messages: 2, tokens: 8 }]);
    });

    test("take many stretches at once", async () => {
      const tenant = await aTenant(await shared());
      await append(tenant, ...Array.from({ length: 300 }, (_, index) => counted("So.", index)));
      const single = Array.from({ length: 300 }, (_, index) => ({ firstSeq: index + 1, lastSeq: index + 1 }));
      same(
        await tenant.weighMessages(SESSION, single),
        single.map((_, tokens) => ({ messages: 1, tokens })),
      );
    });

    test("stand beside a session that is described as its list shows it", async () => {
      const tenant = await aTenant(await shared());
      await append(tenant, say("The first words.", { at: 5 }), note("n1"), say("More.", { at: 9 }));
      await tenant.renameSession(SESSION, "Named");
      await fork(tenant, { id: "f", atSeq: 1 });
      for (const listed of await tenant.listSessions({ limit: 10 }))
        same(await tenant.describeSession(listed.id), listed);
      same(await tenant.describeSession("nobody's"), undefined);
    });
  });
}
