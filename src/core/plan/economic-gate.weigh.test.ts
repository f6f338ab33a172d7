import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countByCharacters, viewOf } from "../../../test/support/core-values.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { brokenHistories, fractions, histories, wellFormedHistories } from "../../testing/generate-histories.ts";
import type { Prune } from "../log/prune.ts";
import { reviseView, type View } from "../log/view.ts";
import type { Message } from "../message/message.ts";
import { startAssembly } from "../prompt/assemble-prompt.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import { weighChange } from "./economic-gate.ts";
import { findRoundBorders } from "./find-tail.ts";
import { type Change, type ChangeWeight, foldChanges } from "./proposal.ts";

const count = countByCharacters;
/** Tokens sent with every prompt besides the conversation. */
const FIXED_TOKENS = 500;
const FACETS = { constraints: [], decisions: [], actionItems: [], unresolved: [], entities: [], participants: [] };

const measured = (view: View) => ({ view, tokens: FIXED_TOKENS + startAssembly(view, count).tokens });
const changed = (view: View, ...changes: readonly Change[]): View =>
  reviseView(view, foldChanges(view.head, changes), { count });
const weigh = (view: View, ...changes: readonly Change[]): ChangeWeight =>
  weighChange(measured(view), measured(changed(view, ...changes)));

const answers = (length: number): readonly Message[] => {
  const { anAssistantMessage } = messageBuilder();
  return Array.from({ length }, () => anAssistantMessage("a".repeat(384)));
};
/** Tokens of one answer. */
const ANSWER_TOKENS = 100;

const truncate = (lastSeq: number): Change => ({
  type: "truncate",
  coverage: { firstSeq: 1, lastSeq, count: lastSeq },
  coveredTokens: 10,
  keptRequests: [],
  reason: "did not fit",
});
const summarize = (lastSeq: number, characters = 400): Change => {
  const text = "s".repeat(characters);
  const record: SummaryRecord = {
    id: `s${lastSeq}`,
    at: 0,
    depth: 0,
    coverage: { firstSeq: 1, lastSeq, count: lastSeq, chainHash: "" },
    messageIds: [],
    text,
    keyPoints: [],
    facets: { ...FACETS, done: [] },
    strategy: "offline",
    reason: "too long",
    tokensBefore: ANSWER_TOKENS * lastSeq,
    tokensAfter: Math.ceil(characters / 4),
  };
  return { type: "summary", record, keptRequests: [] };
};
const prune = (...seqs: readonly number[]): Change => {
  const toPrune = (seq: number): Prune => ({
    seq,
    messageId: `m${seq}`,
    partIndex: 0,
    fate: "pruned",
    replacement: { type: "text", text: "[removed]" },
    reason: "bulky",
  });
  return { type: "prune", prunes: seqs.map(toPrune), reason: "did not fit" };
};

describe("weighChange", () => {
  const view = viewOf(answers(10));

  test("returns zeros if nothing changed", () => {
    expect(weigh(view)).toEqual({ removedTokens: 0, addedTokens: 0, keptTokens: 0 });
    expect(weigh(viewOf([]))).toEqual({ removedTokens: 0, addedTokens: 0, keptTokens: 0 });
  });

  test("counts the messages after a pruned one as kept", () => {
    const { removedTokens, addedTokens, keptTokens } = weigh(view, prune(7));
    expect(removedTokens).toBe(ANSWER_TOKENS);
    expect(addedTokens).toBeGreaterThan(0);
    expect(addedTokens).toBeLessThan(20);
    expect(keptTokens).toBe(3 * ANSWER_TOKENS);
  });

  test("counts every placeholder as added, and the other messages after the first prune as kept", () => {
    const [one, two] = [weigh(view, prune(7)), weigh(view, prune(3, 7))];
    expect(two.addedTokens).toBe(2 * one.addedTokens);
    expect(two.removedTokens).toBe(2 * ANSWER_TOKENS);
    expect(two.keptTokens).toBe(6 * ANSWER_TOKENS);
  });

  test("counts no kept tokens if only the newest message is pruned", () => {
    expect(weigh(view, prune(10)).keptTokens).toBe(0);
  });

  test("counts covered messages as removed, the summary as added, and the rest as kept", () => {
    const { removedTokens, addedTokens, keptTokens } = weigh(view, summarize(6));
    expect(removedTokens).toBe(6 * ANSWER_TOKENS);
    expect(addedTokens).toBeGreaterThanOrEqual(100);
    expect(addedTokens).toBeLessThan(120);
    expect(keptTokens).toBe(4 * ANSWER_TOKENS);
  });

  test("counts only the marker of a truncation as added", () => {
    const { removedTokens, addedTokens, keptTokens } = weigh(view, truncate(6));
    expect(removedTokens).toBe(6 * ANSWER_TOKENS);
    expect(addedTokens).toBeLessThan(25);
    expect(keptTokens).toBe(4 * ANSWER_TOKENS);
  });

  test("counts a replaced summary as removed", () => {
    const second = weigh(changed(view, summarize(4)), summarize(8));
    expect(second.removedTokens).toBeGreaterThanOrEqual(4 * ANSWER_TOKENS + 100);
    expect(second.removedTokens).toBeLessThan(4 * ANSWER_TOKENS + 120);
    expect(second.addedTokens).toBeGreaterThanOrEqual(100);
    expect(second.keptTokens).toBe(2 * ANSWER_TOKENS);
  });

  test("does not count instructions and tools as kept", () => {
    const bare = weighChange(
      { view, tokens: startAssembly(view, count).tokens },
      { view: changed(view, truncate(6)), tokens: startAssembly(changed(view, truncate(6)), count).tokens },
    );
    expect(weigh(view, truncate(6))).toEqual(bare);
  });
});

/** A view, and changes that a compaction might make to it. It is cut only between rounds. */
const casesOf = (messages: fc.Arbitrary<readonly Message[]>) =>
  fc
    .record({
      history: messages,
      covered: fractions(),
      coveredBefore: fractions(),
      pruned: fc.array(fractions(), { maxLength: 3 }),
      covering: fc.constantFrom("summary", "truncate", "nothing"),
      isSecond: fc.boolean(),
      summaryCharacters: fc.nat({ max: 2_000 }),
    })
    .map(({ history, covered, coveredBefore, pruned, covering, isSecond, summaryCharacters }) => {
      const numbered = history.map((message, index) => ({ ...message, id: `m${index + 1}` }));
      const borders = findRoundBorders(viewOf(numbered).messages);
      const borderAt = (at: number) => borders[Math.floor(at * borders.length)] ?? 0;
      const lastSeq = borderAt(covered);
      const before = isSecond ? [summarize(borderAt(covered * coveredBefore))] : [];
      const prunes = pruned.map((at) => 1 + Math.floor(at * numbered.length));
      const cover = covering === "summary" ? [summarize(lastSeq, summaryCharacters)] : [truncate(lastSeq)];
      const changes = [...(prunes.length > 0 ? [prune(...prunes)] : []), ...(covering === "nothing" ? [] : cover)];
      return { view: viewOf(numbered, ...before), changes };
    });

describe("weighChange, for any change", () => {
  const size = { maxTurns: 8, longestCharacters: 2_000 };

  test("returns removed and added tokens whose difference is the change in prompt size", () => {
    const seen = { smaller: 0, larger: 0 };
    fc.assert(
      fc.property(casesOf(histories(size)), ({ view, changes }) => {
        const [before, after] = [measured(view), measured(changed(view, ...changes))];
        const { removedTokens, addedTokens, keptTokens } = weighChange(before, after);
        seen[after.tokens < before.tokens ? "smaller" : "larger"] += 1;
        expect(removedTokens - addedTokens).toBe(before.tokens - after.tokens);
        expect(Math.min(addedTokens, keptTokens)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: propertyRuns() },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
  });

  const keepsNoMoreThanThereIs = (messages: fc.Arbitrary<readonly Message[]>): void => {
    fc.assert(
      fc.property(casesOf(messages), ({ view, changes }) => {
        const after = measured(changed(view, ...changes));
        expect(weighChange(measured(view), after).keptTokens).toBeLessThanOrEqual(after.tokens);
      }),
      { numRuns: propertyRuns() },
    );
  };

  test("counts at most the prompt's tokens as kept", () => {
    keepsNoMoreThanThereIs(wellFormedHistories(size));
  });

  test("counts at most the prompt's tokens as kept in a broken history", () => {
    keepsNoMoreThanThereIs(brokenHistories(size));
  });
});
