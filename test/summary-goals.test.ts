/**
 * Goal, decisions and open items of summaries by code, on short conversations in which the user changes course: tasks
 * that end, nested tasks, "never mind", corrections and decisions that are reversed. The same must hold for one summary
 * and for a chain of two, wherever the conversation is divided.
 */
import { describe, expect, test } from "vitest";
import { summarizeOffline } from "../src/core/public/index.ts";
import { fit as fitHistory } from "../src/index.ts";
import { readSample } from "../src/sample/sample-conversation.ts";

const BUDGET = 600;

/** One line for each message: `U` the user, `A` the assistant, `C` a tool call with its result. */
function readTalk(script: string): readonly Turn[] {
  return script
    .trim()
    .split("\n")
    .flatMap((line, place): readonly Turn[] => {
      const [mark, text] = [line.trim().charAt(0), line.trim().slice(2)];
      if (mark !== "C") return [{ role: mark === "U" ? "user" : "assistant", content: text }];
      const call = {
        id: `call-${place}`,
        type: "function",
        function: { name: "run", arguments: `{"command":"${text}"}` },
      };
      return [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: call.id, content: "ok" },
      ];
    });
}

interface Turn {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

interface Expected {
  /** Words of each goal, in order. */
  readonly goals: readonly string[];
  /** Texts that the list of decisions contains. */
  readonly decided?: readonly string[];
  /** Texts that the list of decisions does not contain. */
  readonly notDecided?: readonly string[];
  /** Texts that the list of open items contains. */
  readonly open?: readonly string[];
  /** Texts that the list of open items does not contain. */
  readonly notOpen?: readonly string[];
}

const CASES: Readonly<Record<string, readonly [script: string, expected: Expected]>> = {
  "a task that is finished is followed by the next one": [
    `U Fix the failing invoice test in the billing package.
     C npm test
     A Fixed the failing invoice test in the billing package.
     U Great, now write a migration that adds a currency column to orders.
     C npm run migrate
     A I am working on the migration.`,
    { goals: ["migration that adds a currency column"] },
  ],
  "a task whose result the user accepts is no longer a goal": [
    `U I want to move our shop from PHP to Node before Christmas.
     C ls
     A The shop has 12 pages.
     U Can you list the pages that use the old cart?
     C grep cart
     A Three pages: cart.php, checkout.php, thanks.php.
     U Perfect, that works.`,
    { goals: ["move our shop from PHP to Node"] },
  ],
  "an aim is listed beside the task that serves it": [
    `U We want to publish the cookbook as a web site by June.
     C ls
     A There are 80 recipes.
     U Please convert the soup recipes to Markdown.
     C convert
     A Converting.`,
    { goals: ["publish the cookbook", "convert the soup recipes"] },
  ],
  "a nested task leaves the outer one open, and the user returns to it": [
    `U Refactor the session cache so that it expires entries.
     C grep cache
     A I look at the cache.
     U Before that, update the linter configuration to version nine.
     C npm i
     A The linter is at version nine.
     U Good. Back to the session cache.
     C grep expire
     A Continuing.`,
    { goals: ["Refactor the session cache"] },
  ],
  "a nested task is a goal while it is open": [
    `U Refactor the session cache so that it expires entries.
     C grep cache
     A I look at the cache.
     U Quick question first: can you check why the nightly deploy failed?
     C cat deploy.log
     A Reading the log.`,
    { goals: ["Refactor the session cache", "nightly deploy failed"] },
  ],
  "a task that the user gives up is no longer a goal": [
    `U We want a dashboard for the support team.
     C ls
     A Which figures?
     U Add a chart of open tickets per week to the start page.
     C ls src
     A Adding the chart.
     U Never mind, leave that.
     C git checkout .
     A Removed it again.`,
    { goals: ["dashboard for the support team"] },
  ],
  "small steps within a task do not replace it": [
    `U Build a landing page for the bicycle repair shop.
     C ls
     A Done with the first version of the header.
     U Make it blue.
     C sed
     A It is blue.
     U Run it again.
     C npm start
     A Running.`,
    { goals: ["landing page for the bicycle repair shop"] },
  ],
  "a reversed decision is not listed": [
    `U Help me set up the database for the booking system.
     C ls
     A Which database?
     U Let's use Postgres for the bookings.
     C psql
     A Postgres is set up.
     U Actually, let's use SQLite for the bookings instead.
     C sqlite3
     A Switched to SQLite.`,
    { goals: ["database for the booking system"], decided: ["SQLite"], notDecided: ["Postgres for"] },
  ],
  "a decision that is replaced without naming it is not listed": [
    `U Help me choose how to host the club's site.
     C ls
     A There are three providers.
     U We decided to go with Heroku.
     C heroku create
     A Created the app.
     U On second thought, let's go with Fly.
     C fly launch
     A Launched.`,
    { goals: ["host the club's site"], decided: ["Fly"], notDecided: ["Heroku"] },
  ],
  "a decision on another subject stays": [
    `U Help me plan the tiles and the heating of the bathroom.
     C ls
     A Noted.
     U We decided to take the grey tiles from Moreno.
     C note
     A Noted.
     U We decided to keep the old radiator.
     C note
     A Noted.
     U New decision: no grey tiles, we take the green ones from Adler.
     C note
     A Noted.`,
    { goals: ["bathroom"], decided: ["old radiator", "green ones"], notDecided: ["take the grey tiles"] },
  ],
  "an open item that the user drops is not listed": [
    `U Help me prepare the release of version two.
     C ls
     A TODO: translate the manual into Danish.
     C ls docs
     A TODO: update the screenshots of the settings page.
     U Never mind the Danish manual.
     C git status
     A Understood.`,
    { goals: ["release of version two"], open: ["screenshots"], notOpen: ["Danish"] },
  ],
};

function sectionOf(text: string, heading: string): string {
  const lines = text.split("\n");
  const start = lines.indexOf(heading);
  const end = lines.findIndex((line, place) => place > start && !line.startsWith("- "));
  return start < 0 ? "" : lines.slice(start + 1, end < 0 ? undefined : end).join("\n");
}

function expectSummary(
  text: string,
  { goals, decided = [], notDecided = [], open = [], notOpen = [] }: Expected,
): void {
  const listed = sectionOf(text, "Goal:").split("\n");
  expect(listed.map((line, place) => line.includes(goals[place] ?? "?"))).toEqual(goals.map(() => true));
  for (const words of decided) expect(sectionOf(text, "Decided:")).toContain(words);
  for (const words of notDecided) expect(sectionOf(text, "Decided:")).not.toContain(words);
  for (const words of open) expect(sectionOf(text, "Open:")).toContain(words);
  for (const words of notOpen) expect(sectionOf(text, "Open:")).not.toContain(words);
}

describe.each(Object.entries(CASES))("%s", (_, [script, expected]) => {
  const messages = readTalk(script);

  test("is what a summary of the whole conversation shows", () => {
    expectSummary(summarizeOffline(messages, { budgetTokens: BUDGET }).text, expected);
  });

  test("is what a chain of two summaries shows, wherever the conversation is divided", () => {
    const starts = messages.flatMap(({ role }, place) => (role === "user" && place > 0 ? [place] : []));
    for (const place of starts) {
      const previous = summarizeOffline(messages.slice(0, place), { budgetTokens: BUDGET });
      expectSummary(summarizeOffline(messages.slice(place), { budgetTokens: BUDGET, previous }).text, expected);
    }
  });
});

describe("the sample conversation", () => {
  const messages = readSample().turns.flat();

  test("has the aim as its only goal, and lists no reversed decision", () => {
    const { text, facets } = summarizeOffline(messages, { budgetTokens: 1_200 });
    expectSummary(text, { goals: ["audio guide"], decided: ["24 stops", "no rented players"] });
    expect(facets.decisions.filter((decision) => /rent the players|players of Lydia/.test(decision))).toEqual([]);
    expect(facets.goal).toContain("audio guide");
  });

  test("has the same goal and decisions in the summary of a fitted prompt", async () => {
    const fitted = await fitHistory(messages, { budgetTokens: 2_500, format: "palimpsest" });
    const [summary] = fitted.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    );
    expect(sectionOf(summary ?? "", "Goal:")).toContain("audio guide");
    expect(sectionOf(summary ?? "", "Decided:")).toContain("no rented players");
    expect(sectionOf(summary ?? "", "Decided:")).not.toMatch(/rent the players|players of Lydia/);
  });
});
