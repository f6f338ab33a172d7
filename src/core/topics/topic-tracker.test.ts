import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, STEADY_GROWTH } from "../../../test/support/growth.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { messageBuilder } from "../../testing/builders.ts";
import { histories } from "../../testing/generate-histories.ts";
import { seededRandom } from "../../testing/seeded-random.ts";
import type { Message } from "../message/message.ts";
import { findTopicBoundaries } from "./find-topic-boundaries.ts";
import { createTopicTracker } from "./topic-tracker.ts";

const MATTERS = [
  "tomato garden watering yellow leaves fertilizer greenhouse soil compost seedlings",
  "rental income tax annex deduction insurance interest declaration adviser deadline",
  "parser tokens grammar recursion lookahead syntax tree operator precedence fuzzing",
  "choir rehearsal tenor concert sheet music conductor microphone stage applause",
].map((words) => words.split(" "));

/** Builds a conversation that changes its topic every 8 rounds. */
function wanderingTalk(rounds: number): readonly Message[] {
  const { anExchange } = messageBuilder();
  const random = seededRandom(rounds);
  return Array.from({ length: rounds }, (_, round) => {
    const matter = MATTERS[Math.floor(round / 8) % MATTERS.length] ?? [];
    const some = () => Array.from({ length: 4 }, () => random.pick(matter)).join(" with ");
    return anExchange(`Look at the ${some()}.`, `I looked at the ${some()}.`);
  }).flat();
}

describe("createTopicTracker", () => {
  test("returns the same boundaries as findTopicBoundaries after every message", () => {
    const messages = wanderingTalk(20);
    const tracker = createTopicTracker();
    messages.forEach((message, index) => {
      tracker.add(message);
      expect(tracker.changes(0)).toEqual(findTopicBoundaries(messages.slice(0, index + 1), { minConfidence: 0 }));
    });
    expect(tracker.changes(0.5).map(({ index }) => index)).toEqual([16, 32]);
  });

  test("never changes a settled boundary, in any history", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 40 }), (messages) => {
        const tracker = createTopicTracker();
        let known = tracker.settledChanges(0);
        for (const message of messages) {
          tracker.add(message);
          const settled = tracker.settledChanges(0);
          expect(settled.slice(0, known.length)).toEqual(known);
          expect(tracker.changes(0).slice(0, settled.length)).toEqual(settled);
          known = settled;
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  test("reports boundaries as settled while the conversation continues", () => {
    const tracker = createTopicTracker();
    for (const message of wanderingTalk(160)) tracker.add(message);
    const settled = tracker.settledChanges(0.5).map(({ index }) => index);
    expect(settled.length).toBeGreaterThanOrEqual(4);
    expect(settled.filter((index) => index % 16 !== 0)).toEqual([]);
  });

  test("reads a message only when it is added, and a late one as often as an early one", () => {
    let reads = 0;
    const messages = wanderingTalk(400).map((message) => ({
      ...message,
      get parts() {
        reads += 1;
        return message.parts;
      },
    }));
    const tracker = createTopicTracker();
    const readsOf = (from: number, to: number) => {
      const before = reads;
      for (const message of messages.slice(from, to)) tracker.add(message);
      return reads - before;
    };
    const [early, late] = [readsOf(0, 200), readsOf(600, 800)];
    expect(early).toBeGreaterThan(0);
    expect(Math.abs(late - early)).toBeLessThanOrEqual(2);
    const before = reads;
    tracker.changes(0.5);
    expect(reads).toBe(before);
  });

  test("takes no longer to add a late message than an early one", async () => {
    const costOfLast = (messages: readonly Message[]) => {
      const tracker = createTopicTracker();
      for (const message of messages.slice(0, -1_500)) tracker.add(message);
      return cpuMsOf(() => {
        for (const message of messages.slice(-1_500)) tracker.add(message);
      });
    };
    const growth = await growthOf(wanderingTalk(6_000), costOfLast, { below: STEADY_GROWTH });
    expect(growth).toBeLessThan(STEADY_GROWTH);
  });
});
