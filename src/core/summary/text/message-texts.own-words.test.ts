import { describe, expect, test } from "vitest";
import { textPart } from "../../../testing/builders.ts";
import { ownPart, ownWords } from "./message-texts.ts";

describe("ownWords", () => {
  test("does not change a text that the user wrote", () => {
    for (const text of ["Fix the order form.", "  Why does <order-list> stay empty?  ", "a < b and c > d", ""]) {
      expect(ownWords(text)).toBe(text);
    }
  });

  test("removes reminder blocks at either end", () => {
    const reminder = "<system-reminder>\nThe list of tasks is empty.\n</system-reminder>";
    expect(ownWords(`${reminder}\nFix the order form.`)).toBe("Fix the order form.");
    expect(ownWords(`Fix the order form.\n${reminder}\n${reminder}`)).toBe("Fix the order form.");
    expect(ownWords(reminder)).toBe("");
  });

  test("keeps the arguments of a command", () => {
    const echo = "<command-name>/plan</command-name>\n<command-message>plan</command-message>";
    expect(ownWords(`${echo}\n<command-args>Ship on Friday.</command-args>`)).toBe("Ship on Friday.");
  });

  test("removes notices of interruption and the instructions of a skill", () => {
    expect(ownWords("[Request interrupted by user for tool use]")).toBe("");
    expect(ownWords("Base directory for this skill: /skills/review\n\nAlways read every line.")).toBe("");
  });

  test("keeps a tag that is never closed, and the text after many blocks", () => {
    expect(ownWords("<order-list> is empty")).toBe("<order-list> is empty");
    expect(ownWords(`${"<a-b></a-b>".repeat(50)}Fix it.`)).toBe("Fix it.");
  });
});

describe("ownPart", () => {
  test("returns the part itself if nothing is removed, and otherwise the same new part for each call", () => {
    const said = textPart("Fix it.");
    const echoed = textPart("<command-name>/plan</command-name> Fix it.");
    expect(ownPart(said)).toBe(said);
    expect(ownPart(echoed)).toBe(ownPart(echoed));
    expect(ownPart(echoed).text).toBe("Fix it.");
  });
});
