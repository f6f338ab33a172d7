import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../../testing/builders.ts";
import { verifySummary } from "./verify-summary.ts";

const { anAssistantMessage } = messageBuilder();

/** Returns the clauses of a summary that verification reports as contradicting the source. */
function contradictions(summary: string, source: string): readonly string[] {
  const { unsupported } = verifySummary(summary, [anAssistantMessage(source)], { protectedFacts: [] });
  return unsupported.flatMap(({ kind, text }) => (kind === "statement" ? [text] : []));
}

describe("verifySummary reports no contradiction in a quotation", () => {
  test("if the source has a line break before the negation", () => {
    const source =
      "Because the place where the tunnel ends and the garden wall begins\ncan't be seen from the road, ask.";
    expect(
      contradictions(
        "- Assistant: Because place where tunnel ends and garden wall begins can't be seen from road",
        source,
      ),
    ).toEqual([]);
  });

  test("if the negation is in the clause before it, in the source and in the summary", () => {
    const source =
      "Most say they don't know how to open properly their garden gates. They don't even open properly their garden gates.";
    expect(contradictions("- Ada: most say they don't know how to, open properly their garden gates", source)).toEqual(
      [],
    );
  });

  test("if the source negates another sentence with the same words", () => {
    const source =
      "It cannot be cancelled due to a change of plans.\n2. **Cancel KX20931:**\n   - Reason for cancelling: Change of plans.";
    expect(contradictions("- Assistant: **Cancel KX20931:**: Reason for cancelling: Change of plans", source)).toEqual(
      [],
    );
  });

  test("if only its computed date has an opposite word", () => {
    const source = "They left for the coast last week (= the week before 5 May 2023), all of them.";
    expect(contradictions("- Ada: left for coast next week (= the week after 5 May 2023)", source)).toEqual([]);
  });
});

describe("verifySummary reports a quotation without its negation", () => {
  test.each([
    ["The night guard locks the second harbour gate.", "The night guard never locks the second harbour gate."],
    ["Lock the second harbour gate at night.", "Do not lock the second harbour gate at night."],
    ["- Ada: lock second harbour gate at night", "You must never lock the second harbour gate at night."],
  ])("in: %s", (summary, source) => {
    expect(contradictions(summary, source)).toHaveLength(1);
  });
});
