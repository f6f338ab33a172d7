/** What the user stated once, in ordinary words, outlives requests that were worked on since. */
import { expect, test } from "vitest";
import { type SummaryRecord, summarizeOffline } from "../src/core/public/index.ts";

const STATED = [
  "You reach the payroll people through desk 4417.",
  "The ledger service was down for a day after a restart from Vienna.",
  "Maya makes sure that the figures go to the auditors in Lisbon.",
];

function workOn(number: number) {
  const [id, path] = [`call-${number}`, `src/parser/table-${number}.ts`];
  const call = { id, type: "function", function: { name: "edit", arguments: JSON.stringify({ path }) } };
  return [
    { role: "user", content: `Can you rename the columns of table number ${number}? It is in ${path}.` },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: `edited ${path}` },
    { role: "assistant", content: "Renamed." },
  ];
}

test("a statement of the user is in the summary after thirty compactions, a finished request is not", () => {
  const said = STATED.flatMap((content) => [
    { role: "user", content },
    { role: "assistant", content: "Understood." },
  ]);
  let previous: SummaryRecord = summarizeOffline([...said, ...workOn(0)], { budgetTokens: 900 });
  for (let fold = 1; fold <= 30; fold += 1) {
    const turns = Array.from({ length: 5 }, (_, turn) => workOn(fold * 10 + turn)).flat();
    previous = summarizeOffline(turns, { budgetTokens: 900, previous });
  }
  for (const statement of STATED) expect(previous.text).toContain(statement);
  expect(previous.text).toContain("Can you rename the columns of table number 304?");
  expect(previous.text).not.toContain("Can you rename the columns of table number 10?");
});
