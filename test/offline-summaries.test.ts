/**
 * Content that summaries keep, whether code or a model that forgets writes them: facts of the first turns, also after a
 * second summary, and little of bulky tool output. All of it runs through the engine.
 */

import { describe, expect, test } from "vitest";
import type { Message } from "../src/core/message/message.ts";
import type { SummaryRecord } from "../src/core/summary/record/record.ts";
import { countTokens } from "../src/core/tokens/count-tokens.ts";
import type { Session } from "../src/engine/session/session.ts";
import type { Summarizer } from "../src/ports/summarizer.ts";
import { createMemoryStore } from "../src/stores/memory/memory-store.ts";
import { emptyOrigin } from "../src/summarizers/guard-summarizer.ts";
import { countedIds, messageBuilder } from "../src/testing/builders.ts";
import { shows } from "../src/testing/shows.ts";
import { openEngine } from "./support/open-engine.ts";

/** Gives the same answer to every request, so code has to add everything that matters. */
const forgetful: Summarizer = {
  name: "forgetful",
  estimateCost: () => 0,
  summarize: async () => ({
    type: "summary",
    text: "The house is being renovated, and most of the rooms went well so far.",
    origin: emptyOrigin("brief"),
  }),
};

const WRITERS = [
  ["code alone", undefined],
  ["a model that forgets", forgetful],
] as const;

const ROOMS = ["kitchen", "attic", "cellar", "hall", "stairs", "garage", "veranda", "study"];

/** A conversation about the renovation of a house: who does what in which room, at what price. */
function renovation(turns: number, from = 0): readonly Message[] {
  const { aUserMessage, anAssistantMessage } = messageBuilder(countedIds(`r${from}-`));
  return Array.from({ length: turns }, (_, index) => {
    const turn = from + index;
    const room = ROOMS[turn % ROOMS.length];
    return [
      aUserMessage(`How far are we with the ${room}? The bill RB-${3_100 + turn} came to ${400 + 13 * turn} euros.`),
      anAssistantMessage(`The ${room} needs ${2 + (turn % 5)} more days; the plaster has to dry, then we paint it.`),
    ];
  }).flat();
}

const OPENING = "We renovate the house of Marguerite Osei. You must never switch off the heat pump HP-7731 in winter.";
const TERM = "Please note that the thermostat speaks modbus-rtu over /dev/ttyRS485 at 19200 baud.";

function opening(): readonly Message[] {
  const { aUserMessage, anAssistantMessage } = messageBuilder(countedIds("o-"));
  return [
    aUserMessage(OPENING),
    anAssistantMessage("I will keep it on."),
    aUserMessage(TERM),
    anAssistantMessage("We decided to order the cable Belden-9841 for it."),
  ];
}

async function summarised(stretches: readonly (readonly Message[])[], summarizer: Summarizer | undefined) {
  const { engine } = openEngine({ store: createMemoryStore(), summarizer, budgetTokens: 3_000 });
  const session = await engine.session();
  for (const messages of stretches) {
    await session.append(messages, { format: "palimpsest" });
    await session.compact();
  }
  return { session, records: await recordsOf(session) };
}

async function recordsOf(session: Session): Promise<readonly SummaryRecord[]> {
  return (await session.getSummaryHistory()).map(({ record }) => record);
}

describe.each(WRITERS)("a summary by %s", (_, summarizer) => {
  test.each([20, 60, 200])(
    shows("S1-24", "of %i turns contains constraints and names, and is smaller than its source"),
    async (turns) => {
      const { records } = await summarised([[...opening(), ...renovation(turns)]], summarizer);
      const record = records.at(-1);
      expect(record?.text).toContain("never switch off the heat pump HP-7731");
      expect(record?.facets.goal ?? record?.text).toContain("Marguerite Osei");
      expect(record?.tokensAfter).toBeLessThan((record?.tokensBefore ?? 0) * 0.7);
    },
  );

  test(shows("S1-43", "has the key entities of the first turns"), async () => {
    const { records } = await summarised([[...opening(), ...renovation(30)]], summarizer);
    const lastText = `${records.at(-1)?.text}`;
    for (const entity of ["HP-7731", "Belden-9841", "/dev/ttyRS485"]) expect(lastText).toContain(entity);
  });

  test(shows("S4-71", "still has a technical term of the first turns after a second summary"), async () => {
    const { records } = await summarised([[...opening(), ...renovation(30)], renovation(30, 30)], summarizer);
    expect(records.length).toBeGreaterThanOrEqual(2);
    expect(records.at(-1)?.text).toContain("/dev/ttyRS485");
    expect(records.at(-1)?.text).toContain("Belden-9841");
  });

  test(shows("S4-75", "is less than twice as large with a hundred times the tool output"), async () => {
    const withOutput = (lines: number): readonly Message[] => {
      const { aUserMessage, aRound, anAssistantMessage } = messageBuilder(countedIds("t-"));
      const output = Array.from(
        { length: lines },
        (_, line) => `reading ${line}: valve ${line % 9} at ${line * 3} kPa`,
      );
      return [
        aUserMessage("Read the valves of the heating, please."),
        ...aRound([{ callId: "c1", tool: "read_valves", input: { unit: "cellar" }, output: output.join("\n") }]),
        anAssistantMessage("All valves are within their limits; valve 4 is the highest."),
        ...renovation(30),
      ];
    };
    const [small] = (await summarised([withOutput(20)], summarizer)).records;
    const [large] = (await summarised([withOutput(2_000)], summarizer)).records;
    expect(large?.tokensBefore).toBeGreaterThan(4 * (small?.tokensBefore ?? 0));
    expect(large?.tokensAfter).toBeLessThan(2 * (small?.tokensAfter ?? 0));
    const quoted = (large?.text ?? "").split("\n").filter((line) => /reading \d+: valve/.test(line));
    expect(countTokens(quoted.join("\n"))).toBeLessThan(0.2 * (large?.tokensAfter ?? 0));
  });
});

describe("the record of a summary", () => {
  test("has the source messages of each line if code wrote it, including lines from earlier summaries", async () => {
    const stretches = [[...opening(), ...renovation(30)], renovation(30, 30)];
    const { records } = await summarised(stretches, undefined);
    const ids = new Set(stretches.flat().map(({ id }) => id));
    for (const record of records) {
      expect(record.lines?.map(({ text }) => text).join("\n")).toBe(record.text);
      for (const line of record.lines ?? []) {
        expect(line.messageIds.length > 0, line.text).toBe(!/^[A-Z][\w ]+:$/.test(line.text) && line.text !== "");
        expect(line.messageIds.every((id) => ids.has(id))).toBe(true);
      }
    }
    const rule = records.at(-1)?.lines?.find(({ text }) => text.includes("never switch off"));
    expect(rule?.messageIds).toEqual(["o-1"]);
  });

  test("has no lines with sources besides those that code added, if a model or a user wrote it", async () => {
    const { session, records } = await summarised([[...opening(), ...renovation(30)]], forgetful);
    const { text = "", lines = [] } = records.at(-1) ?? {};
    expect(text.startsWith("The house is being renovated, and most of the rooms went well so far.")).toBe(true);
    expect(text.endsWith(`\n\n${lines.map((line) => line.text).join("\n")}`)).toBe(true);
    expect(await session.editSummary("They renovate a house.")).not.toHaveProperty("lines");
  });
});
