/** Search: every store finds the same messages, ignoring case, newest first. A query is plain text. */
import { setTimeout } from "node:timers/promises";
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { SearchQuery, TenantStore } from "../../ports/store.ts";
import { shows } from "../shows.ts";
import {
  anAssistantMessage,
  append,
  aTenant,
  aToolResult,
  draftOf,
  erase,
  fork,
  SESSION,
  say,
} from "./contract-log.ts";
import { type ContractPart, expectMatch, expectSame, type StoreUnderTest } from "./store-under-test.ts";

/** Time after which texts are indexed. */
const INDEX_LAG_MS = 1_000;

const plainTexts: readonly (readonly [string, readonly string[]])[] = [
  ["100%", ["s/2"]],
  ["%", ["s/2"]],
  ["_", []],
  ["'secret'", ["s/2"]],
  ['"now"', ["t/1"]],
  ['"', ["t/1"]],
  ["launch*", []],
  ["launch AND", []],
  ["code OR", []],
  ["NEAR(", []],
  ["-code", []],
  ["text:launch", []],
  ["^launch", []],
  ["l.unch", []],
  ["(", []],
  ["文", ["t/2"]],
  ["文件", ["t/2"]],
  ["看文件", ["t/2"]],
  ["🙂", ["t/2"]],
  ["\ud83d", []],
  ["\u0000", []],
  ["zq", []],
  ["r.", ["t/2"]],
  [".", ["t/2", "s/2"]],
];

async function searchable(under: StoreUnderTest): Promise<TenantStore> {
  const tenant = await aTenant(under);
  await tenant.createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD);
  const answer = anAssistantMessage("The LAUNCH code is 100% 'secret'.");
  await append(tenant, say("Launch what?", { at: 1 }), draftOf(answer, { at: 2 }));
  const result = aToolResult("a", 'launch "now"');
  await tenant.append("t", { entries: [draftOf(result, { at: 3 }), say("看文件 🙂 Other.", { at: 4 })] });
  return tenant;
}

async function hits(tenant: TenantStore, query: Partial<SearchQuery> & { text: string }): Promise<readonly string[]> {
  return (await tenant.search({ limit: 10, ...query })).map(({ sessionId, seq }) => `${sessionId}/${seq}`);
}

export function describeSearch(part: ContractPart): void {
  const { describe, test, testTenant, shared } = part;
  describe("search", () => {
    test(shows("S3-116", "ignores case and searches every session, newest first"), async () => {
      expectSame(await hits(await searchable(await shared()), { text: "launch" }), ["t/1", "s/2", "s/1"]);
    });

    test(shows("S3-116", "can be limited to a session, a role and a number of hits"), async () => {
      const tenant = await searchable(await shared());
      expectSame(await hits(tenant, { text: "launch", sessionId: SESSION }), ["s/2", "s/1"]);
      expectSame(await hits(tenant, { text: "launch", role: "assistant" }), ["s/2"]);
      expectSame(await hits(tenant, { text: "launch", role: "tool" }), ["t/1"]);
      expectSame(await hits(tenant, { text: "launch", role: "system" }), []);
      expectSame(await hits(tenant, { text: "launch", limit: 2 }), ["t/1", "s/2"]);
      expectSame(await hits(tenant, { text: "launch", limit: 0 }), []);
      expectSame(await hits(tenant, { text: "launch", sessionId: SESSION, role: "user", limit: 1 }), ["s/1"]);
      expectSame(await hits(tenant, { text: "launch", sessionId: "nowhere" }), []);
    });

    for (const [text, found] of plainTexts) {
      test(`treats ${JSON.stringify(text)} as plain text`, async () => {
        expectSame(await hits(await searchable(await shared()), { text }), found);
      });
    }

    for (const text of ["", "   ", "\n"]) {
      test(shows("S3-116", `finds nothing for the blank query ${JSON.stringify(text)}`), async () => {
        expectSame(await hits(await searchable(await shared()), { text }), []);
      });
    }

    test("returns the position of the match", async () => {
      const tenant = await searchable(await shared());
      const [hit] = await tenant.search({ text: " LAUNCH ", sessionId: SESSION, role: "user", limit: 1 });
      expectMatch(hit, { role: "user", seq: 1, snippet: "Launch what?", matchStart: 0, matchLength: 6 });
    });

    testTenant("returns a snippet of a long text", async (tenant) => {
      await append(tenant, say(`${"ä".repeat(500)} Needle\u0000 ${"b".repeat(500)}`));
      const [hit] = await tenant.search({ text: "needle", limit: 1 });
      expectMatch(hit, { snippet: `${"ä".repeat(59)} Needle\u0000 ${"b".repeat(58)}`, matchStart: 60, matchLength: 6 });
    });

    testTenant("finds accented letters in every normal form, and shows the original text", async (tenant) => {
      const texts = [
        "Ein CAFÉ.",
        "Ein cafe\u0301.",
        "Kein Cafe.",
        "한글 İ".normalize("NFD"),
        "İ und straße",
        "STRASSE i",
      ];
      await append(tenant, ...texts.map((text) => say(text)));
      for (const order of ["newest", "relevance"] as const) {
        for (const form of ["NFC", "NFD"] as const) {
          const find = async (text: string) => (await hits(tenant, { text: text.normalize(form), order })).toSorted();
          expectSame(await find("café"), ["s/1", "s/2"]);
          expectSame(await find("한글"), ["s/4"]);
          expectSame(await find("İ"), ["s/4", "s/5"]);
          expectSame(await find("STRAẞE"), ["s/5"]);
          expectSame(await find("strasse"), ["s/6"]);
        }
      }
      const [later, first] = await tenant.search({ text: "café", limit: 2 });
      expectMatch(later, { snippet: "Ein cafe\u0301.", matchStart: 4, matchLength: 5 });
      expectMatch(first, { snippet: "Ein CAFÉ.", matchStart: 4, matchLength: 4 });
    });

    testTenant("never splits a surrogate pair in a snippet", async (tenant) => {
      await append(tenant, say(`${"🙂".repeat(99)}x needle y${"🙂".repeat(99)}`));
      const [hit] = await tenant.search({ text: "needle", limit: 1 });
      expectSame(hit?.snippet.isWellFormed(), true);
    });

    testTenant("finds a text by a query of two thousand words", async (tenant) => {
      const words = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join(" ");
      await append(tenant, say(words));
      expectSame(await hits(tenant, { text: words }), ["s/1"]);
      expectSame(await hits(tenant, { text: `${words} more` }), []);
    });

    testTenant("sorts hits by append order, not by time", async (tenant) => {
      for (const at of [50, 100, 20]) await append(tenant, say(`At ${at}.`, { at }));
      expectSame(await hits(tenant, { text: "at" }), ["s/3", "s/2", "s/1"]);
    });

    describeInherited(part);
    describeIndexed(part);
  });
}

function describeInherited({ testTenant }: ContractPart): void {
  testTenant(
    "finds an inherited message in the parent, or in the fork if only the fork is searched",
    async (tenant) => {
      await append(tenant, say("Launch one."), say("Launch two."), say("Launch three."));
      await fork(tenant, { id: "f", atSeq: 2 });
      await tenant.append("f", { entries: [say("Launch instead.")] });
      expectSame(await hits(tenant, { text: "launch" }), ["f/3", "s/3", "s/2", "s/1"]);
      expectSame(await hits(tenant, { text: "launch", sessionId: "f" }), ["f/3", "f/2", "f/1"]);
      expectSame(await hits(tenant, { text: "launch", sessionId: "f", limit: 2 }), ["f/3", "f/2"]);
    },
  );
}

function describeIndexed({ test, shared }: ContractPart): void {
  test("finds the same messages once they are indexed, and messages that are appended later", async () => {
    const under = await shared();
    const tenant = await searchable(under);
    await append(tenant, ...Array.from({ length: 30 }, (_, index) => say(`Filler ${index}.`)));
    const ranked = await rankedTenant(under);
    await setTimeout(INDEX_LAG_MS);
    await checkRanking(ranked);
    const later = await searchable(under);
    await append(tenant, say("A later launch."));
    for (const [text, found] of plainTexts) {
      expectSame(await hits(later, { text }), found, text);
      expectSame(
        (await hits(tenant, { text, limit: 100, sessionId: "t" })).length,
        found.filter((hit) => hit[0] === "t").length,
      );
    }
    expectSame(await hits(tenant, { text: "launch" }), ["s/33", "t/1", "s/2", "s/1"]);
    expectSame(await hits(tenant, { text: "launch", role: "user" }), ["s/33", "s/1"]);
    expectSame(await hits(tenant, { text: "LAUNCH", sessionId: SESSION }), ["s/33", "s/2", "s/1"]);
    expectSame(await hits(tenant, { text: "filler 2", limit: 3 }), ["s/32", "s/31", "s/30"]);
    await tenant.deleteSession("t");
    expectSame(await hits(tenant, { text: "launch" }), ["s/33", "s/2", "s/1"]);
  });
}

const DENSE = "Rocket launch: launch the rocket.";
const THIN = `The rocket is red. ${"Nothing else is said of it here. ".repeat(20)} Launch it.`;
const ONE_WORD = "rocket rocket rocket rocket";

async function found(tenant: TenantStore, query: Partial<SearchQuery> & { text: string }): Promise<readonly string[]> {
  const hits = await tenant.search({ limit: 10, order: "relevance", ...query });
  return hits.map(({ sessionId, seq }) => `${sessionId}/${seq}`);
}

/** Writes a short answer in `t`, then in `s` a dense text, a long one and a repeated word. */
export async function rankedTenant(under: StoreUnderTest): Promise<TenantStore> {
  const tenant = await aTenant(under);
  await tenant.createSession({ id: "t", createdAt: 0 }, EMPTY_HEAD);
  await tenant.append("t", { entries: [draftOf(anAssistantMessage("A launch of a rocket, 100% 文件 sure."))] });
  await append(tenant, say(DENSE), say(THIN), say(ONE_WORD));
  return tenant;
}

const queries: readonly (readonly [Partial<SearchQuery> & { readonly text: string }, readonly string[]])[] = [
  [{ text: "rocket launch" }, ["s/1", "t/1", "s/2"]],
  [{ text: "LAUNCH  rocket\n" }, ["s/1", "t/1", "s/2"]],
  [{ text: "rocket" }, ["s/3", "s/1", "t/1", "s/2"]],
  [{ text: "ocke aunc" }, ["s/1", "t/1", "s/2"]],
  [{ text: "rocket launch", limit: 2 }, ["s/1", "t/1"]],
  [{ text: "rocket launch", limit: 0 }, []],
  [{ text: "rocket launch", role: "assistant" }, ["t/1"]],
  [{ text: "rocket launch", sessionId: SESSION }, ["s/1", "s/2"]],
  [{ text: "rocket launch", sessionId: "nowhere" }, []],
  [{ text: "rocket nowhere" }, []],
  [{ text: "is it" }, ["s/2"]],
  [{ text: "文件 launch" }, ["t/1"]],
  [{ text: "件 %" }, ["t/1"]],
  [{ text: "rocket OR launch" }, []],
  [{ text: 'rocket* "launch' }, []],
  [{ text: "r_cket" }, []],
  [{ text: " \n " }, []],
];

export async function checkRanking(tenant: TenantStore): Promise<void> {
  for (const [query, expected] of queries) expectSame(await found(tenant, query), expected, JSON.stringify(query));
}

export function describeRanking({ describe, test, testTenant, shared }: ContractPart): void {
  describe("search by relevance", () => {
    test("ranks texts by the density of the words, and treats queries as plain text", async () => {
      await checkRanking(await rankedTenant(await shared()));
    });

    test("is off by default: then the query is one phrase, and the newest hit comes first", async () => {
      const tenant = await rankedTenant(await shared());
      expectSame(await found(tenant, { text: "rocket", order: "newest" }), ["s/3", "s/2", "s/1", "t/1"]);
      expectSame(await found(tenant, { text: "rocket", order: undefined }), ["s/3", "s/2", "s/1", "t/1"]);
      expectSame(await found(tenant, { text: "rocket launch", order: undefined }), ["s/1"]);
    });

    testTenant("returns equal hits once each, newest first", async (tenant) => {
      await append(tenant, say("Same words."), say("Same words."), say("Same words."));
      await fork(tenant, { id: "f", atSeq: 2 });
      expectSame(await found(tenant, { text: "words same" }), ["s/3", "s/2", "s/1"]);
      expectSame(await found(tenant, { text: "words same", sessionId: "f" }), ["f/2", "f/1"]);
    });

    testTenant("shows a match of the whole query, or else of its first word", async (tenant) => {
      await append(tenant, say("Wait for the launch of a rocket, a rocket launch."));
      const search = async (text: string) => (await tenant.search({ text, limit: 1, order: "relevance" }))[0];
      expectMatch(await search("Rocket Launch"), { matchStart: 35, matchLength: 13, role: "user" });
      expectMatch(await search("rocket wait"), { matchStart: 25, matchLength: 6 });
    });

    testTenant("uses only the first words of a very long query", async (tenant) => {
      const words = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join(" ");
      await append(tenant, say(words), say("word0 word1"));
      expectSame(await found(tenant, { text: `${words} more` }), ["s/1"]);
    });

    testTenant("does not find erased messages", async (tenant) => {
      const draft = say("Rocket launch.");
      await append(tenant, draft, say("Rocket launch again."));
      await erase(tenant, [draft.id]);
      expectSame(await found(tenant, { text: "launch rocket" }), ["s/2"]);
    });
  });
}
