import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractFacts } from "../../../../test/support/core-values.ts";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../../../test/support/growth.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { messageBuilder } from "../../../testing/builders.ts";
import { histories } from "../../../testing/generate-histories.ts";
import { hugeTexts } from "../../../testing/hostile-texts.ts";
import type { Message } from "../../message/message.ts";
import type { FactKind } from "../record/record.ts";

const { aUserMessage, anAssistantMessage, aSystemMessage, aRound, aToolCall } = messageBuilder();

const textsOf = (messages: readonly Message[], kind: FactKind): readonly string[] =>
  extractFacts(messages)
    .facts.filter((fact) => fact.kind === kind)
    .map(({ text }) => text);

const itemsOf = (messages: readonly Message[]): readonly string[] =>
  extractFacts(messages)
    .facts.filter(({ kind }) => kind === "open-item")
    .map(({ status, text }) => `${status}: ${text}`);

describe("extractFacts on definitions", () => {
  test.each([
    "The ledger account is ledger-be12dfb7.",
    "Our staging host is stage.example.org.",
    "The branch is called feature/tides-2.",
    "The deposit equals 48,500 euros.",
  ])("finds a definition in %j", (text) => {
    expect(textsOf([aUserMessage(text)], "definition")).toEqual([text]);
  });

  test.each([
    "It is in src/queue.ts.",
    "The weather is lovely today.",
    "Is the account acc-7731?",
    "She is 30 years old.",
  ])("finds no definition in %j", (text) => {
    expect(textsOf([aUserMessage(text)], "definition")).toEqual([]);
  });

  test("ignores definitions by an assistant or a tool", () => {
    const said = "The ledger account is ledger-be12dfb7.";
    const messages = [anAssistantMessage(said), ...aRound([{ callId: "a", output: said }])];
    expect(textsOf(messages, "definition")).toEqual([]);
  });
});

describe("extractFacts on constraints", () => {
  test.each([
    "You must never push to main.",
    "Do not touch the billing module.",
    "Please don't add dependencies.",
    "Always run the linter first.",
    "Only use the public API here.",
    "Make sure that the export stays sorted.",
    "Refactor it without changing the tests.",
    "Responses should not exceed two pages.",
    "We can't spend more than 1800 euros.",
    "Mum can't do stairs.",
    "I don't want to leave before 9.",
    "I'm allergic to peanuts.",
    "Answer in German from now on.",
    "We use pnpm, not npm.",
    "Keep the public API as it is.",
    "My sister doesn't eat fish.",
    "No travel insurance.",
  ])("finds a constraint in %j", (text) => {
    expect(textsOf([aUserMessage(text)], "constraint")).toEqual([text]);
  });

  test.each([
    "I have always loved that song.",
    "I don't know what happened there.",
    "She never came back to us.",
    "It must have been a long day.",
    "Must I sign it first?",
    "I only had two of them yesterday.",
    "Don't worry about it too much.",
    "That must be so hard for you.",
    "There must be some mistake.",
    "That can't be right.",
    "Thanks for always being there for me.",
    "I'll make sure to find it first.",
    "It's always fun to see them.",
    "We are like a family - always supporting each other.",
    "Not only for the money, but also for the peace of mind.",
    "We can always go back.",
    "That shouldn't be a problem.",
    '"Always look on the bright side", says the sign.',
    "They don't use it much.",
    "I heard that the ticket can't be changed.",
  ])("finds no constraint in %j", (text) => {
    expect(textsOf([aUserMessage(text)], "constraint")).toEqual([]);
  });

  test("finds no constraint in encouragement between people, and finds one in an allergy or a price limit", () => {
    const talk = (text: string) =>
      textsOf([aUserMessage(text, { name: "Ana" }), aUserMessage("Yes.", { name: "Bo" })], "constraint");
    for (const text of [
      "Never give up, Bo.",
      "Make sure you rest.",
      "We must find a solution.",
      "Always be yourself.",
    ]) {
      expect(talk(text)).toEqual([]);
    }
    for (const text of ["I'm allergic to nuts.", "It must not cost more than twelve euros."]) {
      expect(talk(text)).toEqual([text]);
    }
    expect(
      textsOf([aUserMessage("Never push to main.", { name: "Ana" }), anAssistantMessage("Fine.")], "constraint"),
    ).toEqual(["Never push to main."]);
  });

  test("ignores constraints in tool results, assistant and system messages, and quoted text", () => {
    const order = "You must never push to main.";
    const messages = [
      aSystemMessage(order),
      aUserMessage(`Look at this:\n> ${order}\n\`\`\`\n${order}\n\`\`\`\n<note>${order}</note>`),
      ...aRound([{ callId: "a", output: order }], { text: order }),
    ];
    expect(textsOf(messages, "constraint")).toEqual([]);
  });
});

describe("extractFacts on action items", () => {
  test("marks an item as open or done by its checkbox, label or wording", () => {
    const list = "- [ ] write the manual\n- [x] build the index\nTODO: check the invoice\nDone: rename the table";
    expect(itemsOf([anAssistantMessage(list)])).toEqual([
      "open: write the manual",
      "done: build the index",
      "open: check the invoice",
      "done: rename the table",
    ]);
    expect(itemsOf([anAssistantMessage("The cache still needs to be cleared. Fixed the login form.")])).toEqual([
      "open: The cache still needs to be cleared.",
      "done: Fixed the login form.",
    ]);
  });

  test("takes no items from the boxes of a long text, which is a template", () => {
    const template = `- [ ] Security requirements\n${"Describe the feature in a few words. ".repeat(120)}`;
    expect(itemsOf([aUserMessage(template)])).toEqual([]);
    expect(itemsOf([aUserMessage("- [ ] Security requirements")])).toEqual(["open: Security requirements"]);
  });

  test("does not count work as done that is followed by a restriction", () => {
    expect(itemsOf([anAssistantMessage("The build is fixed but the login test is failing.")])).toEqual([]);
  });

  test("closes an item when a message reports it as done in similar words", () => {
    const messages = [
      aUserMessage("TODO: fix the login form"),
      anAssistantMessage("Fixed the login form and its test."),
    ];
    expect(itemsOf(messages)).toContain("done: fix the login form");
    expect(itemsOf([aUserMessage("TODO: fix the login form"), anAssistantMessage("Fixed the logout form.")])).toContain(
      "open: fix the login form",
    );
  });

  test("drops a done item when a message reverts it or reports that it did not work", () => {
    const done = anAssistantMessage("Added a retry to the upload job.");
    expect(itemsOf([done])).toEqual(["done: Added a retry to the upload job."]);
    expect(itemsOf([done, anAssistantMessage("I reverted the retry of the upload job.")])).toEqual([]);
    expect(itemsOf([done, anAssistantMessage("I reverted the colour of the header.")])).toHaveLength(1);
    expect(itemsOf([aUserMessage("Mend it."), done, aUserMessage("That did not work.")])).toEqual([]);
  });

  test("finds no decision in encouragement, and no done item in plans", () => {
    const said = "Let's keep going! We'll keep each other posted. This is done when the season is complete.";
    expect(textsOf([aUserMessage(said)], "decision")).toEqual([]);
    expect(itemsOf([aUserMessage(said)])).toEqual([]);
    expect(textsOf([anAssistantMessage("Let's keep the old header.")], "decision")).toHaveLength(1);
  });

  test("reads items from the newest call to a to-do tool", () => {
    const list = (status: string) => ({ todos: [{ content: "Write the manual", status }, { content: "no status" }] });
    const messages = [aToolCall("a", "todo", list("pending")), aToolCall("b", "todo", list("completed"))];
    expect(itemsOf(messages.slice(0, 1))).toEqual(["open: Write the manual"]);
    expect(itemsOf(messages)).toEqual(["done: Write the manual"]);
  });
});

describe("extractFacts on other facts", () => {
  test("returns a later statement of the goal instead of the first request", () => {
    const messages = [
      aUserMessage("Build a booking page. It is for a small hotel."),
      anAssistantMessage("Fine."),
      aUserMessage("The goal is now a page for three hotels."),
    ];
    expect(textsOf(messages.slice(0, 2), "goal")).toEqual(["Build a booking page. It is for a small hotel."]);
    expect(textsOf(messages, "goal")).toEqual(["The goal is now a page for three hotels."]);
  });

  test("finds decisions, questions and participants", () => {
    const messages = [
      aUserMessage("Let's use PostgreSQL for this.", { name: "ana" }),
      anAssistantMessage("We decided to drop the cache. Open question: who pays?\nOpen question: who signs?"),
    ];
    expect(textsOf(messages, "decision")).toEqual(["Let's use PostgreSQL for this.", "We decided to drop the cache."]);
    expect(textsOf(messages, "question")).toContain("who signs?");
    expect(textsOf(messages, "participant")).toEqual(["ana"]);
  });

  test("returns a command with the outcome of its last run, and its error message", () => {
    const run = (callId: string, output: string, failed = false) =>
      aRound([{ callId, tool: "shell", input: { command: "npm test\necho" }, output, failed }]);
    const messages = [...run("a", "TypeError: x is not a function\nexit code: 1", true), ...run("b", "fine")];
    expect(textsOf(messages, "command")).toEqual(["npm test → ran"]);
    expect(textsOf(run("c", "exit code: 1"), "command")).toEqual(["npm test → exit 1"]);
    expect(textsOf(messages, "error")).toEqual(["TypeError: x is not a function"]);
  });

  test("counts the uses of a name, stores the turn of its last use, and orders names by that turn", () => {
    const messages = [
      aUserMessage("See src/a.ts and order 20931."),
      anAssistantMessage("Read ./src/a.ts."),
      aUserMessage("Next, 12 more."),
      ...aRound([{ callId: "a", input: { path: "src/a.ts" }, output: "ok" }]),
    ];
    const names = extractFacts(messages).facts.filter(({ kind }) => kind === "identifier");
    expect(names.map(({ text, uses, lastTurn, saidBy }) => [text, uses, lastTurn, saidBy])).toEqual([
      ["20931", 1, 0, "user"],
      ["src/a.ts", 3, 1, "user"],
    ]);
  });

  test("replaces a secret with its token", () => {
    const secret = ["gh", "p_", "a1B2".repeat(9)].join("");
    const { facts } = extractFacts([aUserMessage(`You must use ${secret} for this.`)]);
    expect(JSON.stringify(facts)).not.toContain(secret);
    expect(facts.find(({ kind }) => kind === "constraint")?.text).toMatch(
      /use \[secret:github-token:[0-9a-f]{6}\] for/,
    );
  });
});

describe("extractFacts", () => {
  test("returns the same facts for the same messages, with unique ids and existing sources", () => {
    fc.assert(
      fc.property(histories({ maxTurns: 4, longestCharacters: 2_000 }), (messages) => {
        const sheet = extractFacts(messages);
        const ids = new Set(messages.map(({ id }) => id));
        expect(extractFacts(messages)).toEqual(sheet);
        expect(new Set(sheet.facts.map(({ id }) => id)).size).toBe(sheet.facts.length);
        for (const fact of sheet.facts) {
          expect(ids.has(fact.source)).toBe(true);
          expect(fact.text).toMatch(/^\S(?:[^\n\r]*\S)?$/);
          expect(fact.lastTurn).toBeLessThan(sheet.turns);
        }
      }),
      { numRuns: propertyRuns() },
    );
  });

  const demanding = { name: "demands", build: () => "You must never do this thing again. ".repeat(28_000) };
  test.each([...hugeTexts(), demanding])("reads $name from a user or a tool in linear time", async ({ build }) => {
    const fromUser = (text: string) => cpuMsOf(() => extractFacts([aUserMessage(text)]));
    const fromTool = (text: string) =>
      cpuMsOf(() => extractFacts(aRound([{ callId: "a", output: text }], { text: "See." })));
    expect(await growthOf(build(), fromUser)).toBeLessThan(LINEAR_GROWTH);
    expect(await growthOf(build(), fromTool)).toBeLessThan(LINEAR_GROWTH);
  });

  test("returns at most forty statements from one message", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `You must keep rule ${index}.`).join("\n");
    expect(textsOf([aUserMessage(lines)], "constraint")).toHaveLength(40);
  });
});
