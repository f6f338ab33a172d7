import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { shows } from "../../../testing/shows.ts";
import { chainHash } from "./record.ts";

test(shows("X-8", "chainHash depends on the covered texts and the parent, and not on message ids"), () => {
  fc.assert(
    fc.property(histories({ maxTurns: 4, longestCharacters: 300 }), fc.nat(), (messages, place) => {
      const cut = messages.length === 0 ? 0 : place % messages.length;
      const whole = chainHash(undefined, messages);
      expect(whole).toMatch(/^[0-9a-f]{64}$/);
      expect(chainHash(chainHash(undefined, messages.slice(0, cut)), messages.slice(cut))).toBe(whole);
      expect(
        chainHash(
          undefined,
          messages.map((message) => ({ ...message, id: `other-${message.id}` })),
        ),
      ).toBe(whole);
      if (messages.length > 0) expect(chainHash(undefined, messages.toSpliced(cut, 1))).not.toBe(whole);
      expect(chainHash("another parent", messages)).not.toBe(whole);
    }),
    { numRuns: propertyRuns() },
  );
});
