/**
 * Goals, decisions, rules and open items of the conversations in `support/goal-talks.ts`, `support/course-talks.ts` and
 * `support/changed-talks.ts`, in one summary and in a chain.
 */
import { describe, expect, test } from "vitest";
import type { SummaryRecord } from "../src/core/public/index.ts";
import { summarizeOffline } from "../src/core/public/index.ts";
import { CHANGED_TALKS } from "./support/changed-talks.ts";
import { COURSE_TALKS } from "./support/course-talks.ts";
import { GOAL_TALKS } from "./support/goal-talks.ts";

interface Turn {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

const OPTIONS = { budgetTokens: 600 } as const;

function readTurns(script: string): readonly Turn[] {
  return script.split("\n").flatMap((line, place): readonly Turn[] => {
    const [mark, text] = [line.trim().charAt(0), line.trim().slice(2)];
    if (mark !== "C") return [{ role: mark === "U" ? "user" : "assistant", content: text }];
    const call = {
      id: `call-${place}`,
      type: "function",
      function: { name: "run", arguments: `{"command":"${text}"}` },
    };
    return [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: "ok" },
    ];
  });
}

/** Returns the expectations that a summary does not meet. */
function listWrong(expected: string, { facets }: SummaryRecord): readonly string[] {
  const goals = (facets.sheet?.facts ?? []).flatMap(({ kind, text }) => (kind === "goal" ? [text] : []));
  const lists: Readonly<Record<string, readonly string[]>> = {
    decided: [...facets.decisions, ...facets.constraints],
    "not decided": facets.decisions,
    open: facets.actionItems.filter(({ status }) => status === "open").map(({ task }) => task),
    rule: facets.constraints,
  };
  return expected
    .trim()
    .split("\n")
    .filter((line) => {
      const [label = "", words = ""] = line.trim().split(/: /, 2);
      if (label === "goal") {
        const wanted = words === "none" ? [] : words.split(" / ");
        return goals.length !== wanted.length || wanted.some((goal, place) => goals[place]?.includes(goal) !== true);
      }
      const list = lists[label] ?? lists[label.replace("not ", "")] ?? [];
      return list.some((text) => text.includes(words)) === label.startsWith("not ");
    })
    .map((line) => `${line.trim()}, but found: ${JSON.stringify({ goals, ...lists })}`);
}

const TALKS = {
  ...GOAL_TALKS,
  ...COURSE_TALKS.built,
  ...COURSE_TALKS.heldOut,
  ...COURSE_TALKS.fresh,
  ...CHANGED_TALKS,
};

describe.each(Object.entries(TALKS))("the conversation %j has the right goals and decisions", (_, talk) => {
  const [script = "", expected = ""] = talk.trim().split("=>");
  const turns = readTurns(script.trim());

  test("in one summary", () => {
    expect(listWrong(expected, summarizeOffline(turns, OPTIONS))).toEqual([]);
  });

  test("in a chain, wherever it is divided", () => {
    for (const [place, { role }] of turns.entries()) {
      if (role !== "user" || place === 0) continue;
      const previous = summarizeOffline(turns.slice(0, place), OPTIONS);
      const { facets } = summarizeOffline(turns.slice(place), { ...OPTIONS, previous });
      expect(listWrong(expected, { ...previous, facets })).toEqual([]);
    }
  });
});

test("a limit replaces the newest one of its unit, and none with another subject", () => {
  const rulesOf = (...texts: readonly string[]): readonly string[] =>
    summarizeOffline(
      texts.map((content) => ({ role: "user", content })),
      OPTIONS,
    ).facets.constraints;
  const [meal, budget, changed] = [
    "Each meal must cost at most 9 euros.",
    "The budget must not go above 500 euros.",
    "Make that 600 euros at most.",
  ];
  expect(rulesOf(meal, budget, changed)).toEqual([meal, changed]);
  const [ledger, payroll] = ["ledger", "payroll"].map(
    (area) => `The ${area} must not cost more than ${area.length} euros.`,
  );
  expect(rulesOf(ledger ?? "", payroll ?? "")).toEqual([ledger, payroll]);
});
