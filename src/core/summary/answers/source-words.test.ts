import { describe, expect, test } from "vitest";
import { listWords } from "../../language/list-words.ts";
import { runSteps } from "../../tokens/count-text.ts";
import { findUnsupportedInSteps } from "./source-words.ts";

const TALK = Array.from(
  { length: 60 },
  (_, index) =>
    `Message ${index}: the port of service-${index} is ${4_000 + index}; never restart it on Friday and in the night, by the way, as it was for us.`,
);
const judge = (answer: string, source: readonly string[] = TALK) => runSteps(findUnsupportedInSteps(answer, source));

describe("findUnsupportedInSteps", () => {
  test.each([
    ["unsupported", "an answer about another subject", "The weather in Paris is lovely and the Eiffel tower shines."],
    [
      "unsupported",
      "a phrase without content",
      "This is a summary of the conversation between the user and the assistant.",
    ],
    ["unsupported", "a request for a summary", "I have summarized the conversation as requested."],
    ["language", "encoded text", "Gur cbeg bs gur freivpr vf bcra naq erfgnegf ba Sevqnl."],
    ["language", "another language", "Die Wetterlage bleibt heiter, und der Turm leuchtet bis zum Morgen."],
  ])("returns %j for %s", (rule, _, answer) => {
    expect(judge(answer)).toBe(rule);
  });

  test.each([
    ["two words of the source", "Restarting the services is a matter for the weekend and the weather in Paris."],
    ["few words", "Things were said."],
    ["names and numbers", "service-7: port 4007."],
  ])("returns undefined for an answer with %s", (_, answer) => {
    expect(judge(answer)).toBeUndefined();
  });

  test("does not take Polish for English because of a word that both have", () => {
    const flat = "Szukamy mieszkania w Poznaniu dla trzech osób, najlepiej z windą, bo mama ma chore kolano.";
    const source = Array.from({ length: 40 }, () => flat);
    expect(judge("Zespół wygrał mecz po dogrywce, a bramkarz obronił rzuty karne.", source)).toBe("language");
    expect(judge("Mieszkania w Poznaniu z windą szuka rodzina, a mama ma chore kolano.", source)).toBeUndefined();
  });

  test("rejects a summary of another conversation that a long source supports by chance", () => {
    const subjects = listWords(
      "garden guitar recipe volcano football lesson bridge practice string evening second flour butter oven sugar cake",
    );
    const long = subjects.flatMap((subject) => TALK.map((line) => `${line} The ${subject.slice(0, 4)}ing waits.`));
    const answer = "The garden has a volcano, and the guitar lesson at the bridge needs butter, sugar and a recipe.";
    expect(judge(answer, long)).toBe("unsupported");
    expect(judge("Every service has a port from 4000; restart none of them on Friday.", long)).toBeUndefined();
  });

  test("returns undefined for a very short source, and for an English answer to a source in another language", () => {
    const answer = "The weather in Paris is lovely and the tower shines.";
    expect(judge(answer, TALK.slice(0, 2))).toBeUndefined();
    expect(judge(answer, ["服务的端口从四千开始，星期五不要重启。".repeat(40)])).toBeUndefined();
  });
});
