/** Search by relevance: every word of the query, wherever they stand; who says them more often in fewer words first. */
import { EMPTY_HEAD } from "../../core/log/head.ts";
import type { SearchQuery, TenantStore } from "../../ports/store.ts";
import { anAssistantMessage, append, aTenant, batchOf, draftOf, fork, headOf, SESSION, say } from "./contract-log.ts";
import { type ContractPart, matches, type StoreUnderTest, same } from "./store-under-test.ts";

const DENSE = "Rocket launch: launch the rocket.";
const THIN = `The rocket is red. ${"Nothing else is said of it here. ".repeat(20)} Launch it.`;
const ONE_WORD = "rocket rocket rocket rocket";

async function found(tenant: TenantStore, query: Partial<SearchQuery> & { text: string }): Promise<readonly string[]> {
  const hits = await tenant.search({ limit: 10, order: "relevance", ...query });
  return hits.map(({ sessionId, seq }) => `${sessionId}/${seq}`);
}

/** First in `t`: short, by an assistant; then in `s`: dense, thin, a single word. */
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
  for (const [query, expected] of queries) same(await found(tenant, query), expected, JSON.stringify(query));
}

export function describeRanking({ describe, test, shared }: ContractPart): void {
  describe("search by relevance", () => {
    test("puts first who says the words more densely, and takes them for plain text", async () => {
      await checkRanking(await rankedTenant(await shared()));
    });

    test("is asked for: without it the whole query stands together, newest first", async () => {
      const tenant = await rankedTenant(await shared());
      same(await found(tenant, { text: "rocket", order: "newest" }), ["s/3", "s/2", "s/1", "t/1"]);
      same(await found(tenant, { text: "rocket", order: undefined }), ["s/3", "s/2", "s/1", "t/1"]);
      same(await found(tenant, { text: "rocket launch", order: undefined }), ["s/1"]);
    });

    test("gives equal ones newest first, each once", async () => {
      const tenant = await aTenant(await shared());
      await append(tenant, say("Same words."), say("Same words."), say("Same words."));
      await fork(tenant, { id: "f", atSeq: 2 });
      same(await found(tenant, { text: "words same" }), ["s/3", "s/2", "s/1"]);
      same(await found(tenant, { text: "words same", sessionId: "f" }), ["f/2", "f/1"]);
    });

    test("shows the query as it stands, or else its first word", async () => {
      const tenant = await aTenant(await shared());
      await append(tenant, say("Wait for the launch of a rocket, a rocket launch."));
      const search = async (text: string) => (await tenant.search({ text, limit: 1, order: "relevance" }))[0];
      matches(await search("Rocket Launch"), { matchStart: 35, matchLength: 13, role: "user" });
      matches(await search("rocket wait"), { matchStart: 25, matchLength: 6 });
    });

    test("counts the first words of a very long query", async () => {
      const tenant = await aTenant(await shared());
      const words = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join(" ");
      await append(tenant, say(words), say("word0 word1"));
      same(await found(tenant, { text: `${words} more` }), ["s/1"]);
    });

    test("does not find what was erased", async () => {
      const tenant = await aTenant(await shared());
      const said = say("Rocket launch.");
      await append(tenant, said, say("Rocket launch again."));
      const gone = { type: "delete", messageIds: [said.id], seqs: [1], dropsSummary: false } as const;
      await tenant.append(SESSION, { ...batchOf(await headOf(tenant), gone), erase: [said.id] });
      same(await found(tenant, { text: "launch rocket" }), ["s/2"]);
    });
  });
}
