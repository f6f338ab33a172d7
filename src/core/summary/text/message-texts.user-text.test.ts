import { describe, expect, test } from "vitest";
import { textPart } from "../../../testing/builders.ts";
import { takeUserPart, takeUserText } from "./message-texts.ts";

describe("takeUserText", () => {
  test("does not change a text that the user wrote", () => {
    for (const text of ["Fix the order form.", "  Why does <order-list> stay empty?  ", "a < b and c > d", ""]) {
      expect(takeUserText(text)).toBe(text);
    }
  });

  test("removes reminder blocks at either end", () => {
    const reminder = "<system-reminder>\nThe list of tasks is empty.\n</system-reminder>";
    expect(takeUserText(`${reminder}\nFix the order form.`)).toBe("Fix the order form.");
    expect(takeUserText(`Fix the order form.\n${reminder}\n${reminder}`)).toBe("Fix the order form.");
    expect(takeUserText(reminder)).toBe("");
  });

  test("keeps the arguments of a command", () => {
    const echo = "<command-name>/plan</command-name>\n<command-message>plan</command-message>";
    expect(takeUserText(`${echo}\n<command-args>Ship on Friday.</command-args>`)).toBe("Ship on Friday.");
  });

  test("removes notices of interruption and the instructions of a skill", () => {
    expect(takeUserText("[Request interrupted by user for tool use]")).toBe("");
    expect(takeUserText("Base directory for this skill: /skills/review\n\nAlways read every line.")).toBe("");
  });

  test("keeps a tag that is never closed, and the text after many blocks", () => {
    expect(takeUserText("<order-list> is empty")).toBe("<order-list> is empty");
    expect(takeUserText(`${"<a-b></a-b>".repeat(50)}Fix it.`)).toBe("Fix it.");
  });
});

describe("takeUserPart", () => {
  test("returns the part itself if nothing is removed, and otherwise the same new part for each call", () => {
    const said = textPart("Fix it.");
    const echoed = textPart("<command-name>/plan</command-name> Fix it.");
    expect(takeUserPart(said)).toBe(said);
    expect(takeUserPart(echoed)).toBe(takeUserPart(echoed));
    expect(takeUserPart(echoed).text).toBe("Fix it.");
  });
});
