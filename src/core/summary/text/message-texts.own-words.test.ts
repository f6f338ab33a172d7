import { describe, expect, test } from "vitest";
import { textPart } from "../../../testing/builders.ts";
import { ownPart, ownWords } from "./message-texts.ts";

describe("ownWords", () => {
  test("leaves alone what somebody wrote", () => {
    for (const text of ["Fix the order form.", "  Why does <order-list> stay empty?  ", "a < b and c > d", ""]) {
      expect(ownWords(text)).toBe(text);
    }
  });

  test("takes away reminders and echoes at either end", () => {
    const reminder = "<system-reminder>\nThe list of tasks is empty.\n</system-reminder>";
    expect(ownWords(`${reminder}\nFix the order form.`)).toBe("Fix the order form.");
    expect(ownWords(`Fix the order form.\n${reminder}\n${reminder}`)).toBe("Fix the order form.");
    expect(ownWords(reminder)).toBe("");
  });

  test("keeps what a command was given", () => {
    const echo = "<command-name>/plan</command-name>\n<command-message>plan</command-message>";
    expect(ownWords(`${echo}\n<command-args>Ship on Friday.</command-args>`)).toBe("Ship on Friday.");
  });

  test("takes away that a request was interrupted, and the instructions of a skill", () => {
    expect(ownWords("[Request interrupted by user for tool use]")).toBe("");
    expect(ownWords("Base directory for this skill: /skills/review\n\nAlways read every line.")).toBe("");
  });

  test("leaves a tag that is never closed, and what stands after many blocks", () => {
    expect(ownWords("<order-list> is empty")).toBe("<order-list> is empty");
    expect(ownWords(`${"<a-b></a-b>".repeat(50)}Fix it.`)).toBe("Fix it.");
  });
});

describe("ownPart", () => {
  test("is the part itself where all of it is the speaker's, and else always the same one", () => {
    const said = textPart("Fix it.");
    const echoed = textPart("<command-name>/plan</command-name> Fix it.");
    expect(ownPart(said)).toBe(said);
    expect(ownPart(echoed)).toBe(ownPart(echoed));
    expect(ownPart(echoed).text).toBe("Fix it.");
  });
});
