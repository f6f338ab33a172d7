import { describe, expect, test } from "vitest";
import type { Message } from "../src/core/message/message.ts";
import { summarizeOffline } from "../src/core/summary/offline/summarize-offline.ts";
import { verifySummary } from "../src/core/summary/verify/verify-summary.ts";
import { countTokens } from "../src/core/tokens/count-tokens.ts";
import { findTopicBoundaries } from "../src/core/topics/find-topic-boundaries.ts";
import { messageBuilder } from "../src/testing/builders.ts";
import { arabic } from "./support/languages/arabic.ts";
import { chinese } from "./support/languages/chinese.ts";
import { german } from "./support/languages/german.ts";
import { japanese } from "./support/languages/japanese.ts";
import { type LanguageScript, readTalk, readWork } from "./support/languages/read-script.ts";
import { spanish } from "./support/languages/spanish.ts";

const conversations: readonly { readonly name: string; readonly script: LanguageScript }[] = Object.entries({
  chinese,
  japanese,
  german,
  spanish,
  arabic,
}).flatMap(([language, { talk, work }]) => [
  { name: `${language} talk`, script: readTalk(talk) },
  { name: `${language} work`, script: readWork(work) },
]);

/** The budgets, as shares of the conversation's own tokens. */
const SHARES = [0.2, 0.35, 0.5];

const textOf = (message: Message): string =>
  message.parts
    .map((part) => {
      if (part.type === "text") return part.text;
      if (part.type === "tool-call") return `${part.tool} ${JSON.stringify(part.input)}`;
      return part.type === "tool-result" && part.output.type === "text" ? part.output.text : "";
    })
    .join(" ");

const linesOf = (messages: readonly Message[]): readonly string[] =>
  messages.map((message) => `${message.name ?? message.role}: ${textOf(message)}`);

function tailOf(messages: readonly Message[], budgetTokens: number): readonly string[] {
  const lines = linesOf(messages);
  let start = lines.length;
  while (start > 0 && countTokens(lines.slice(start - 1).join("\n")) <= budgetTokens) start -= 1;
  return lines.slice(start);
}

/** Returns the share of planted facts whose words are together in one line. */
function recallOf(lines: readonly string[], facts: LanguageScript["facts"]): number {
  return (
    facts.filter((needles) => lines.some((line) => needles.every((needle) => line.includes(needle)))).length /
    facts.length
  );
}

describe.each(conversations)('the conversation "$name"', ({ script: { messages, facts } }) => {
  const wholeTokens = countTokens(linesOf(messages).join("\n"));

  test("is long enough to need a summary, and contains all planted facts", () => {
    expect(messages.length).toBeGreaterThan(40);
    expect(facts.length).toBeGreaterThanOrEqual(10);
    expect(recallOf(linesOf(messages), facts)).toBe(1);
  });

  test.each(SHARES)("has a summary with more of the planted facts than its tail has, at %d of its size", (share) => {
    const budgetTokens = Math.round(wholeTokens * share);
    const { text } = summarizeOffline(messages, { budgetTokens });
    expect(countTokens(text)).toBeLessThanOrEqual(budgetTokens);
    const recall = recallOf(text.split("\n"), facts);
    const tail = recallOf(tailOf(messages, budgetTokens), facts);
    expect(recall).toBeGreaterThan(tail);
  });

  test("has a summary without unsupported claims", () => {
    const { text } = summarizeOffline(messages, { budgetTokens: Math.round(wholeTokens / 2) });
    expect(verifySummary(text, messages, { protectedFacts: [] }).unsupported).toEqual([]);
  });

  test("has fewer topic changes than a quarter of its messages, each between two messages", () => {
    const places = findTopicBoundaries(messages).map(({ index }) => index);
    expect(places).toEqual([...new Set(places)].sort((left, right) => left - right));
    for (const place of places) expect(place > 0 && place < messages.length).toBe(true);
    expect(places.length).toBeLessThan(messages.length / 4);
  });
});

describe("claims in other scripts", () => {
  const { aUserMessage } = messageBuilder();
  const saidAt = Date.UTC(2024, 2, 4, 9);
  const messages = [
    aUserMessage("الإيجار ٤٥٠ دينارا منذ ١٥ يونيو ٢٠٢٣، ووصلنا أمس.", { saidAt }),
    aUserMessage("房租每月４６００元，我们昨天搬到了杭州，合同到2025年6月18日。", { saidAt }),
    aUserMessage("Die Miete beträgt 780 Euro seit dem 3. Mai 2022, el 4 de septiembre de 2021 era 690.", { saidAt }),
  ];
  const unsupported = (summary: string): readonly string[] =>
    verifySummary(summary, messages, { protectedFacts: [] }).unsupported.map(({ text }) => text);

  test("are verified by the meaning of digits and dates", () => {
    expect(
      unsupported("450, 4600, ٧٨٠, 690; 2023-06-15, 15 June 2023, 2025-06-18, 3 May 2022, 4 September 2021"),
    ).toEqual([]);
    expect(unsupported("Arrived on 2024-03-03, 3 March 2024, 2024年3月3日.")).toEqual([]);
  });

  test("are unsupported if a value is off by one", () => {
    expect(unsupported("٤٥١, ４６０１")).toEqual(["٤٥١", "４６０１"]);
    expect(unsupported("١٦ يونيو ٢٠٢٣; 4. Mai 2022; 5 de septiembre de 2021; 2025年6月19日")).toHaveLength(4);
  });
});
