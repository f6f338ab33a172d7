/** Branch points of a tree of forks, compared with those that the logs show. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FamilyMember, findBranchPoints } from "./read-family.ts";

interface Log extends FamilyMember {
  /** By seq, from 1: the name of a message, or undefined for a note between messages. */
  readonly entries: readonly (string | undefined)[];
}

/** Three levels: `early` was forked from `second`, at a message that the trunk wrote. */
const TREE: readonly FamilyMember[] = [
  { id: "trunk", createdAt: 1 },
  { id: "second", createdAt: 2, fork: { parentId: "trunk", atSeq: 4 }, sharedSeq: 4 },
  { id: "early", createdAt: 3, fork: { parentId: "second", atSeq: 2 }, sharedSeq: 2 },
  { id: "late", createdAt: 4, fork: { parentId: "second", atSeq: 6 }, sharedSeq: 6 },
  { id: "last", createdAt: 5, fork: { parentId: "late", atSeq: 4 }, sharedSeq: 4 },
];

describe("findBranchPoints", () => {
  test.each([
    ["trunk", [0, 0]],
    ["second", [0, 1, 0]],
    ["early", [1]],
    ["late", [0, 1, 1]],
    ["last", [0, 2]],
  ])("returns the branch points of the session %s, with its position among the sessions at each point", (id, taken) => {
    const all = [
      { atSeq: 2, sessionIds: ["trunk", "early"] },
      { atSeq: 4, sessionIds: ["trunk", "second", "last"] },
      { atSeq: 6, sessionIds: ["second", "late"] },
    ];
    expect(findBranchPoints(id, TREE)).toEqual(taken.map((current, index) => ({ ...all[index], current })));
  });

  test("returns an empty list for a session without forks", () => {
    expect(findBranchPoints("alone", [{ id: "alone", createdAt: 1 }])).toEqual([]);
  });

  test("includes a fork whose origin cannot be read", () => {
    const fork = { id: "fork", createdAt: 1, fork: { parentId: "gone", atSeq: 7 } };
    expect(findBranchPoints("fork", [fork])).toEqual([{ atSeq: 7, sessionIds: ["gone", "fork"], current: 1 }]);
  });

  test("returns the points at which the logs of any tree of forks diverge", () => {
    fc.assert(
      fc.property(trees, (logs) => {
        for (const log of logs) expect(findBranchPoints(log.id, logs)).toEqual(readBranchPoints(log, logs));
      }),
    );
  });

  test("leads from the first session to every other one through neighboring branches", () => {
    fc.assert(
      fc.property(trees, (logs) => {
        const reached = new Set(["s0"]);
        for (const id of reached) {
          for (const { sessionIds, current } of findBranchPoints(id, logs)) {
            for (const next of [sessionIds[current - 1], sessionIds[current + 1]]) if (next) reached.add(next);
          }
        }
        expect(reached.size).toBe(logs.length);
      }),
    );
  });
});

/** Every log but the first forks from another at any place and adds its own messages; notes are in between. */
const trees: fc.Arbitrary<readonly Log[]> = fc
  .array(
    fc.record({
      from: fc.nat(),
      at: fc.nat(),
      hasMessages: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((grown) => {
    const logs: Log[] = [];
    for (const [createdAt, { from, at, hasMessages }] of grown.entries()) {
      const id = `s${createdAt}`;
      const parent = logs[from % Math.max(1, logs.length)];
      const atSeq = parent === undefined ? 0 : at % (parent.entries.length + 1);
      const own = [...hasMessages.map((hasMessage, index) => (hasMessage ? `${id}-${index}` : undefined)), `${id}-end`];
      const inherited = parent?.entries.slice(0, atSeq) ?? [];
      const fork = parent === undefined ? undefined : { parentId: parent.id, atSeq };
      const sharedSeq = inherited.findLastIndex((entry) => entry !== undefined) + 1;
      logs.push({ id, createdAt, fork, sharedSeq, entries: [...inherited, ...own] });
    }
    return logs;
  });

/** At each message: the logs that share it, grouped by their next message. The first log represents its group. */
function readBranchPoints(log: Log, logs: readonly Log[]): ReturnType<typeof findBranchPoints> {
  const places = [0, ...log.entries.flatMap((entry, index) => (entry === undefined ? [] : [index + 1]))];
  return places.flatMap((atSeq) => {
    const sharing = logs.filter(({ entries }) => atSeq === 0 || entries[atSeq - 1] === log.entries[atSeq - 1]);
    const branches = Map.groupBy(sharing, ({ entries }) => entries.slice(atSeq).find((entry) => entry !== undefined));
    const own = log.entries.slice(atSeq).find((entry) => entry !== undefined);
    // The original session wrote the message itself and is older than its forks.
    const sessionIds = [...branches.values()].map(([first]) => first?.id ?? "");
    return branches.size < 2 ? [] : [{ atSeq, sessionIds, current: [...branches.keys()].indexOf(own) }];
  });
}
