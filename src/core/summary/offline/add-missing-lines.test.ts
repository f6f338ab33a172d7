import { expect, test } from "vitest";
import { countText, runSteps } from "../../tokens/count-text.ts";
import { estimate } from "../../tokens/estimate.ts";
import { EMPTY_FACETS } from "../record/record.ts";
import type { CheckedSummary } from "../verify/complete-record.ts";
import { addMissingLinesInSteps } from "./add-missing-lines.ts";

const OFFLINE = [
  { text: "Known:", messageIds: [] },
  { text: "- the gate code is 4711", messageIds: ["m1"] },
  { text: "What happened:", messageIds: [] },
  { text: "- 8 May 2023 Ann: sold the old boat to Carl", messageIds: ["m2"], salience: 0.9 },
  { text: "- Ann: moved to Oslo; plays the violin", messageIds: ["m3"], salience: 0.4 },
  { text: "- 9 June 2023 Carl: repaired the boat's engine", messageIds: ["m4"], salience: 0.6 },
];

function complete(text: string, capTokens: number, offline = OFFLINE): CheckedSummary {
  const verification = { score: 1, claims: 0, derivedClaims: 0, removedClaims: 0, restored: [], evicted: [] };
  const tokens = countText(text, estimate);
  const checked = { text, tokens, keyPoints: [], facets: EMPTY_FACETS, verification };
  return runSteps(addMissingLinesInSteps(checked, offline, { capTokens, counter: estimate }));
}

test("a line keeps its date if the covered line before it is left out", () => {
  const { text, verification } = complete("Ann sold her old boat to Carl on 8 May 2023. She plays the violin.", 500);
  expect(text).toBe(
    `Ann sold her old boat to Carl on 8 May 2023. She plays the violin.

Known:
- the gate code is 4711
What happened:
- 8 May 2023 Ann: moved to Oslo
- 9 June 2023 Carl: repaired the boat's engine`,
  );
  expect(verification.addedLines).toBe(3);
});

test("the least salient lines are left out if the cap is reached, and the model's text stays whole", () => {
  const whole = complete("They met.", 500);
  const { text, tokens, lines } = complete("They met.", whole.tokens - 1);
  expect(tokens).toBeLessThan(whole.tokens);
  expect(text.startsWith("They met.\n\n")).toBe(true);
  expect(lines?.flatMap(({ messageIds }) => messageIds)).toEqual(["m1", "m2", "m4"]);
});

test("nothing is added if the text fills its cap", () => {
  const text = "They met.";
  expect(complete(text, countText(text, estimate))).toMatchObject({ text, verification: { score: 1 } });
});

test("a line of names repeats none that the text has", () => {
  const names = [
    { text: "Names:", messageIds: [] },
    { text: "- src/cart.ts was edited, names: addItem removeItem", messageIds: ["m1"] },
    { text: "- names given to tools: total_price addItem", messageIds: ["m2"] },
  ];
  const { text } = complete("We changed addItem and total_price.", 500, names);
  expect(text).toContain("- src/cart.ts was edited, names: removeItem");
  expect(text).not.toContain("names given to tools");
});
