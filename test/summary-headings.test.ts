/** The headings of summaries in the language of the conversation, and summaries with them that are sent back. */
import { describe, expect, test } from "vitest";
import { summarizeOffline } from "../src/core/public/index.ts";
import { fit as fitHistory } from "../src/index.ts";
import { chinese } from "./support/languages/corpus/chinese.ts";
import { french } from "./support/languages/corpus/french.ts";
import { german } from "./support/languages/corpus/german.ts";
import { japanese } from "./support/languages/corpus/japanese.ts";
import { portuguese } from "./support/languages/corpus/portuguese.ts";
import { readCorpus } from "./support/languages/corpus/read-corpus.ts";
import { spanish } from "./support/languages/corpus/spanish.ts";

const languages = [
  { language: "German", corpus: german, constraints: "Muss gelten:", reported: "Aus einer früheren Zusammenfassung:" },
  { language: "Spanish", corpus: spanish, constraints: "Debe cumplirse:", reported: "Según un resumen anterior:" },
  { language: "French", corpus: french, constraints: "À respecter :", reported: "D'après un résumé précédent :" },
  {
    language: "Portuguese",
    corpus: portuguese,
    constraints: "Deve ser respeitado:",
    reported: "Segundo um resumo anterior:",
  },
  { language: "Chinese", corpus: chinese, constraints: "必须遵守：", reported: "先前摘要的记录：" },
  { language: "Japanese", corpus: japanese, constraints: "守ること：", reported: "以前の要約による：" },
];

describe.each(languages)("a summary of a conversation in $language", ({ corpus, constraints, reported }) => {
  const { statements, dates, questions } = readCorpus(corpus.built);
  const said = [...statements, ...dates, ...questions.map(({ evidence }) => ({ text: evidence }))];
  const history = said.map(({ text }) => ({ role: "user", content: text }));
  const [first] = statements;
  const filler = Array.from({ length: 40 }, () => ({ role: "assistant", content: "§ ".repeat(100) }));

  test("has English headings by default", () => {
    expect(linesUnder(summarizeOffline(history, { budgetTokens: 4_000 }).text, "Must hold:")).toContain(first?.text);
  });

  test("has headings in its language if the caller asks for them, also in the next summary", () => {
    const options = { budgetTokens: 4_000, headings: "conversation" } as const;
    const previous = summarizeOffline(history, options);
    expect(linesUnder(previous.text, constraints)).toContain(first?.text);
    const next = summarizeOffline([{ role: "assistant", content: "OK." }], { ...options, previous });
    expect(linesUnder(next.text, constraints)).toContain(first?.text);
  });

  test("lists the constraints of an earlier summary that a client sends back under the heading for reported facts", async () => {
    const options = {
      budgetTokens: 2_000,
      counter: "estimate",
      policy: { summary: { headings: "conversation" } },
    } as const;
    const { messages } = await fitHistory([...history, ...filler], options);
    expect(linesUnder(textOf(messages), constraints)).toContain(first?.text);
    const again = await fitHistory([...messages, ...history.slice(-6), ...filler, ...history.slice(-6)], options);
    expect(linesUnder(textOf(again.messages), reported)).toContain(first?.text);
    expect(linesUnder(textOf(again.messages), constraints)).not.toContain(first?.text);
  });
});

test("a policy with an unknown language of headings is rejected", async () => {
  const policy = { summary: { headings: "klingon" } };
  await expect(fitHistory([{ role: "user", content: "Hi" }], { policy } as object)).rejects.toThrow("summary.headings");
});

function linesUnder(text: string, heading: string): readonly string[] {
  const lines = text.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) return [];
  const end = lines.findIndex((line, place) => place > start && !line.startsWith("- "));
  return lines.slice(start + 1, end < 0 ? undefined : end).map((line) => line.slice(2));
}

function textOf(messages: readonly { readonly content?: unknown }[]): string {
  return messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n");
}
