import { describe, expect, test } from "vitest";
import { messageBuilder } from "../../../testing/builders.ts";
import { verifySummary } from "../verify/verify-summary.ts";
import { summarizeOffline } from "./summarize-offline.ts";

const { aUserMessage, anAssistantMessage } = messageBuilder();
/** A Thursday. */
const saidAt = Date.UTC(2023, 5, 15, 10);
const nora = (text: string) => aUserMessage(text, { name: "Nora", saidAt });
const victor = (text: string) => anAssistantMessage(text, { name: "Victor", saidAt });

/** Returns a different word for each number below 100. */
function aWord(number: number): string {
  const [start, middle, end] = [number % 5, Math.floor(number / 5) % 5, Math.floor(number / 25)];
  return `${["mar", "tol", "ven", "sik", "rad"][start]}${["on", "ib", "ur", "esk", "al"][middle]}${["as", "ot", "in", "el"][end]}`;
}

describe("summarizeOffline on a conversation between people", () => {
  test("writes the resolved date after a relative date, and verification derives the same date", () => {
    const messages = [
      nora("Hey Victor, so good to see you again! You know, I really adopted a greyhound yesterday!"),
      victor("Wow, Nora, that is so great, thank you for telling me! Well, we just leave for Bergen next month."),
    ];
    const record = summarizeOffline(messages, { budgetTokens: 200 });
    expect(record.text).toContain("- 15 June 2023 Nora: ");
    expect(record.text).toContain("adopted greyhound yesterday (= 14 June 2023)");
    expect(record.text).toContain("next month (= July 2023)");
    expect(verifySummary(record, messages)).toMatchObject({ score: 1, unsupported: [] });
    expect(record.verification?.derivedClaims).toBeGreaterThanOrEqual(2);
  });

  test("writes a short answer after its question, and cites both messages", () => {
    const messages = [victor("How long have you been sailing?"), nora("Nine years!")];
    const { lines = [] } = summarizeOffline(messages, { budgetTokens: 200 });
    const answer = lines.find(({ text }) => text.includes("Nine years"));
    expect(answer?.text).toContain("Nora: (How long have you been sailing?) Nine years");
    expect(answer?.messageIds).toEqual(messages.map(({ id }) => id));
  });

  test("keeps a bare yes only if it answers a question", () => {
    const asked = [victor("Did you finish the violin for your niece?"), nora("Yes!")];
    expect(summarizeOffline(asked, { budgetTokens: 200 }).text).toContain(
      "(Did you finish violin for your niece?) Yes",
    );
    const unasked = [victor("I finished the violin for my niece."), nora("Yes!")];
    expect(summarizeOffline(unasked, { budgetTokens: 200 }).text).not.toContain("Yes");
  });

  test("prefers news that gets a reply to pleasantries of the same length", () => {
    const pleasant = Array.from({ length: 12 }, (_, index) => [
      victor(`That sounds wonderful and truly inspiring for everybody around, number ${index} of your stories.`),
      nora(`What a lovely thing to hear from such a kind and generous friend, reason ${index} to smile.`),
    ]).flat();
    const told = [
      nora("I joined the mountain rescue team in Zermatt last week."),
      victor("The rescue team in Zermatt! Do they train on the glacier?"),
    ];
    const messages = [...pleasant.slice(0, 12), ...told, ...pleasant.slice(12)];
    expect(summarizeOffline(messages, { budgetTokens: 60 }).text).toContain("joined mountain rescue team in Zermatt");
  });

  test("does not compress sentences in other languages", () => {
    const sentence = "Wir fangen an, so bald die Ware da ist, und rufen dann an";
    expect(summarizeOffline([nora(`${sentence}.`)], { budgetTokens: 200 }).text).toContain(`Nora: ${sentence}`);
  });

  test("drops single messages of a line that joins several, and keeps the others", () => {
    const first = [nora("I bought a lighthouse in Skagen."), nora("The weather was fine."), nora("We had tea.")];
    let previous = summarizeOffline(first, { budgetTokens: 200 });
    for (let fold = 0; fold < 6; fold += 1) {
      const next = [0, 1, 2, 3, 4].map((index) => {
        const [seller, thing, town] = [0, 1, 2].map((part) => aWord(fold * 15 + index * 3 + part));
        return victor(`My ${seller} sold the ${thing} to ${town}.`);
      });
      previous = summarizeOffline(next, { budgetTokens: 120, previous });
    }
    expect(previous.text).toContain("lighthouse");
    expect(previous.text).not.toContain("had tea");
  });
});
