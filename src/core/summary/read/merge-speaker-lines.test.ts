import { describe, expect, test } from "vitest";
import type { Candidate } from "./candidate.ts";
import { mergeSpeakerLines, splitSpeakerLines } from "./merge-speaker-lines.ts";

const line = (turn: number, body: string, date = "8 May 2023"): Candidate => ({
  body,
  raw: body,
  order: turn,
  turn,
  date,
  messageId: `m${turn}`,
  weight: 1,
});

describe("mergeSpeakerLines", () => {
  test("joins nearby lines of one speaker into one line that cites all their messages", () => {
    expect(
      mergeSpeakerLines([line(1, "Ana: sold boat"), line(2, "Ben: bought kayak"), line(3, "Ana: moved in March")]),
    ).toEqual([
      { body: "Ana: sold boat; moved in March", date: "8 May 2023", messageIds: ["m1", "m3"] },
      { body: "Ben: bought kayak", date: "8 May 2023", messageIds: ["m2"] },
    ]);
  });

  test("does not join lines of different days, distant lines, or long lines", () => {
    const long = `Ana: ${"walked along shore ".repeat(12)}`.trim();
    expect(mergeSpeakerLines([line(1, "Ana: sold boat"), line(2, "Ana: moved", "9 May 2023")])).toHaveLength(2);
    expect(mergeSpeakerLines([line(1, "Ana: sold boat"), line(40, "Ana: moved")])).toHaveLength(2);
    expect(mergeSpeakerLines([line(1, long), line(2, long)])).toHaveLength(2);
  });
});

describe("splitSpeakerLines", () => {
  test("splits a merged line into its original lines", () => {
    const merged = mergeSpeakerLines([line(1, "Ana: sold boat"), line(2, "Ana: moved in March")]);
    expect(splitSpeakerLines(merged).map(({ body }) => body)).toEqual(["Ana: sold boat", "Ana: moved in March"]);
  });
});
