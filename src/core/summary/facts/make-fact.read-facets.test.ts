import { expect, test } from "vitest";
import { readFacets } from "./make-fact.ts";
import { mergeFacets } from "./merge-facets.ts";

test("readFacets turns the lists of a summarizer into facts that mergeFacets merges by id", () => {
  const facts = readFacets(
    {
      goal: "Move the office",
      constraints: ["Never on Fridays"],
      decisions: ["Use the north gate"],
      actionItems: [{ task: "order crates", owner: "Ana", due: "2024-05-03" }, { task: "  " }],
      unresolved: ["Who pays?"],
      entities: ["src/a.ts"],
      participants: ["Ana"],
      done: ["call Lisbon"],
    },
    { source: "m9", turn: 2 },
  );
  const once = mergeFacets(undefined, { facts, turns: 3 });
  expect(mergeFacets(once, { facts, turns: 3 }).sheet?.facts).toHaveLength(facts.length);
  expect(once).toMatchObject({
    goal: "Move the office",
    actionItems: [
      { task: "order crates", owner: "Ana", due: "2024-05-03", status: "open" },
      { task: "call Lisbon", status: "done" },
    ],
    unresolved: ["Who pays?"],
    done: ["call Lisbon"],
  });
  expect(facts.every(({ source, saidBy }) => source === "m9" && saidBy === "assistant")).toBe(true);
});
