import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { listAnsweredIds, listCallIds, type Message, type Part, type Role } from "../core/message/message.ts";
import { BREAKAGE_NAMES, BREAKAGES, type BreakageName } from "./break-history.ts";
import { damagedHistories, fractions, histories, wellFormedHistories } from "./generate-histories.ts";

type Fault =
  | "orphan-result"
  | "unanswered-call"
  | "repeated-id"
  | "conflicting-id"
  | "repeated-result"
  | "repeated-call-id"
  | "empty-message"
  | "blank-text"
  | "two-in-a-row"
  | "late-system"
  | "misplaced-part";

/** Finds every fault that a strict provider or store would refuse, without using the generators' code. */
function faultsOf(history: readonly Message[]): ReadonlySet<Fault> {
  return new Set([
    ...pairingFaults(history),
    ...history.flatMap((message, index) => [
      ...idFaults(message, history.slice(0, index)),
      ...contentFaults(message),
      ...orderFaults(message, history.slice(0, index)),
    ]),
  ]);
}

function pairingFaults(history: readonly Message[]): readonly Fault[] {
  const faults: Fault[] = [];
  const open = new Set<string>();
  const answered = new Set<string>();
  const called = new Set<string>();
  for (const message of history) {
    if (message.role !== "tool" && open.size > 0) {
      faults.push("unanswered-call");
      open.clear();
    }
    for (const id of message.role === "tool" ? listAnsweredIds(message) : []) {
      if (!open.delete(id)) faults.push(answered.has(id) ? "repeated-result" : "orphan-result");
      answered.add(id);
    }
    for (const id of listCallIds(message)) {
      if (called.has(id)) faults.push("repeated-call-id");
      called.add(id);
      open.add(id);
    }
  }
  return faults;
}

function idFaults(message: Message, before: readonly Message[]): readonly Fault[] {
  const same = before.filter((other) => other.id === message.id);
  return same.map((other) => (JSON.stringify(other) === JSON.stringify(message) ? "repeated-id" : "conflicting-id"));
}

function contentFaults({ role, parts }: Message): readonly Fault[] {
  const isBlank = parts.some((part) => part.type === "text" && part.text.trim() === "");
  return [
    ...(parts.length === 0 ? (["empty-message"] as const) : []),
    ...(isBlank ? (["blank-text"] as const) : []),
    ...(parts.every((part) => mayHold(role, part)) ? [] : (["misplaced-part"] as const)),
  ];
}

function mayHold(role: Role, part: Part): boolean {
  if (part.type === "tool-result" && part.byProvider === true) return role === "assistant";
  const allowed: Readonly<Record<Role, readonly Part["type"][]>> = {
    system: ["text"],
    user: ["text", "image", "file", "unknown"],
    assistant: ["text", "reasoning", "tool-call", "file", "source", "unknown"],
    tool: ["tool-result"],
  };
  return allowed[role].includes(part.type);
}

function orderFaults({ role }: Message, before: readonly Message[]): readonly Fault[] {
  const last = before.at(-1)?.role;
  if (role === "system") return before.length > 0 ? ["late-system"] : [];
  const clashes = (role === "user" && (last === "user" || last === "tool")) || (role === "assistant" && last === role);
  return clashes ? ["two-in-a-row"] : [];
}

const EXPECTED: Readonly<Record<BreakageName, Fault>> = {
  "orphan-result": "orphan-result",
  "unanswered-call": "unanswered-call",
  "repeated-message": "repeated-id",
  "conflicting-message": "conflicting-id",
  "repeated-result": "repeated-result",
  "repeated-call-id": "repeated-call-id",
  "empty-message": "empty-message",
  "blank-message": "blank-text",
  "blank-part": "blank-text",
  "two-users": "two-in-a-row",
  "two-assistants": "two-in-a-row",
  "result-before-call": "orphan-result",
  "result-after-user": "unanswered-call",
  "mixed-results": "orphan-result",
  "system-in-middle": "late-system",
  "misplaced-part": "misplaced-part",
};

const sampled = fc.sample(wellFormedHistories(), { numRuns: 2_000, seed: 7 });

describe("wellFormedHistories", () => {
  test("generates histories that a strict provider accepts", () => {
    fc.assert(
      fc.property(wellFormedHistories(), (history) => {
        expect([...faultsOf(history)]).toEqual([]);
      }),
      { numRuns: propertyRuns() },
    );
  });

  test("generates histories that survive a JSON round trip", () => {
    // Vitest's own equality reads `constructor`, which is an ordinary key of some of these values.
    const changed = sampled.filter((history) => !isDeepStrictEqual(JSON.parse(JSON.stringify(history)), history));
    expect(changed).toEqual([]);
  });

  test("generates about a dozen messages on average, and sometimes forty or more", () => {
    const lengths = sampled.map((history) => history.length);
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(mean).toBeGreaterThan(9);
    expect(mean).toBeLessThan(15);
    expect(lengths.filter((length) => length >= 40).length).toBeGreaterThan(10);
    expect(Math.max(...lengths)).toBeLessThan(80);
    expect(Math.min(...lengths)).toBe(0);
  });

  test("generates at most the given number of turns", () => {
    for (const history of fc.sample(wellFormedHistories({ maxTurns: 2 }), { numRuns: 500, seed: 7 })) {
      expect(history.filter((message) => message.role === "user").length).toBeLessThanOrEqual(2);
    }
  });

  const partsOf = (history: readonly Message[]) => history.flatMap((message) => message.parts);
  const features: Readonly<Record<string, (history: readonly Message[]) => boolean>> = {
    "a system message first": (history) => history[0]?.role === "system",
    "a greeting from the assistant": (history) => history.find(({ role }) => role !== "system")?.role === "assistant",
    "parallel calls": (history) => history.some((message) => listCallIds(message).length > 1),
    "answers in another order than the calls": (history) =>
      history.some((message, index) => {
        const following = history.slice(index + 1);
        const end = following.findIndex(({ role }) => role !== "tool");
        const answered = following.slice(0, end === -1 ? undefined : end).flatMap(listAnsweredIds);
        return answered.length > 0 && answered.join() !== listCallIds(message).slice(0, answered.length).join();
      }),
    "answers spread over several tool messages": (history) =>
      history.some(({ role }, index) => role === "tool" && history[index + 1]?.role === "tool"),
    "several answers in one tool message": (history) => history.some((message) => listAnsweredIds(message).length > 1),
    "reasoning between calls": (history) =>
      history.some(({ parts }) =>
        parts.some(({ type }, index) => type === "reasoning" && parts[index - 1]?.type === "tool-call"),
      ),
    "a signed thought": (history) =>
      partsOf(history).some((part) => part.type === "reasoning" && part.extras?.anthropic?.signature !== undefined),
    "a failed result": (history) => partsOf(history).some((part) => part.type === "tool-result" && part.failed),
    "a result of a tool that the provider ran": (history) =>
      partsOf(history).some((part) => part.type === "tool-result" && part.byProvider === true),
    "an image": (history) => partsOf(history).some(({ type }) => type === "image"),
    "a file": (history) => partsOf(history).some(({ type }) => type === "file"),
    "a source": (history) => partsOf(history).some(({ type }) => type === "source"),
    "an unknown part": (history) => partsOf(history).some(({ type }) => type === "unknown"),
    "a call without any answer at the end": (history) => listCallIds(history.at(-1) ?? EMPTY).length > 0,
    "a partly answered round at the end": (history) => {
      const lastCall = history.findLast((message) => listCallIds(message).length > 0) ?? EMPTY;
      const answered = history.slice(history.indexOf(lastCall) + 1).flatMap(listAnsweredIds);
      return answered.length > 0 && answered.length < listCallIds(lastCall).length;
    },
    "results that the assistant has not seen yet": (history) => history.at(-1)?.role === "tool",
    "a question without its answer": (history) => history.at(-1)?.role === "user",
    "times and names": (history) => history.some(({ saidAt, name }) => saidAt !== undefined && name !== undefined),
  };
  const EMPTY: Message = { id: "", role: "user", parts: [] };

  test.each(Object.entries(features))("generates %s in at least one of a hundred histories", (_, has) => {
    expect(sampled.filter(has).length).toBeGreaterThanOrEqual(sampled.length / 100);
  });

  test("shrinks a failing history to the round that causes the failure", () => {
    const failure = fc.check(
      fc.property(wellFormedHistories(), (history) => history.every((message) => listCallIds(message).length === 0)),
      { seed: 3, numRuns: 500 },
    );
    const smallest = failure.counterexample?.[0] ?? [];
    expect(smallest.map(({ role }) => role).slice(0, 2)).toEqual(["user", "assistant"]);
    expect(smallest.length).toBeLessThanOrEqual(4);
  });
});

describe("breakages", () => {
  test.each(BREAKAGES.map((breakage) => [breakage.name, breakage] as const))(
    "the breakage %s causes its fault",
    (name, breakage) => {
      fc.assert(
        fc.property(wellFormedHistories(), fractions(), (history, at) => {
          expect([...faultsOf(breakage.apply(history, at))]).toContain(EXPECTED[name]);
        }),
        { numRuns: propertyRuns() },
      );
    },
  );

  test("a breakage does not change the history that it gets", () => {
    fc.assert(
      fc.property(wellFormedHistories(), fc.constantFrom(...BREAKAGES), fractions(), (history, breakage, at) => {
        const before = JSON.stringify(history);
        breakage.apply(history, at);
        expect(JSON.stringify(history)).toBe(before);
      }),
      { numRuns: propertyRuns() },
    );
  });
});

describe("damagedHistories", () => {
  test("names at least one breakage of each history, and each history has a fault", () => {
    const seen = new Set<BreakageName>();
    fc.assert(
      fc.property(damagedHistories(), ({ messages, damage }) => {
        for (const name of damage) seen.add(name);
        expect(damage.length).toBeGreaterThan(0);
        expect(faultsOf(messages).size).toBeGreaterThan(0);
      }),
      { numRuns: propertyRuns() },
    );
    expect([...seen].toSorted()).toEqual(BREAKAGE_NAMES.toSorted());
  });
});

describe("histories", () => {
  test("generates 30 to 50 % broken histories", () => {
    const all = fc.sample(histories(), { numRuns: 1_000, seed: 7 });
    const broken = all.filter((history) => faultsOf(history).size > 0).length;
    expect(broken).toBeGreaterThan(300);
    expect(broken).toBeLessThan(500);
  });
});
