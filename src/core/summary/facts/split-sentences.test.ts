import { expect, test } from "vitest";
import { splitSentences } from "./split-sentences.ts";

test("cuts lines and sentences, and marks boxes, quotations and code", () => {
  const text = "One. Two v1.2 is it!\r\n- item\n> said\n```\ncode. more\n```\n- [ ] open. Still open\n☑ done\n好。再见";
  expect(splitSentences(text)).toEqual([
    { text: "One.", isQuoted: false },
    { text: "Two v1.2 is it!", isQuoted: false },
    { text: "item", isQuoted: false },
    { text: "> said", isQuoted: true },
    { text: "code.", isQuoted: true },
    { text: "more", isQuoted: true },
    { text: "open. Still open", isQuoted: false, box: "open" },
    { text: "done", isQuoted: false, box: "done" },
    { text: "好。", isQuoted: false },
    { text: "再见", isQuoted: false },
  ]);
});
