/** Search with the index in a log that is too long to scan, with the same results as every other store. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Role } from "../../src/core/message/message.ts";
import type { SearchQuery, Store } from "../../src/ports/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { aUserMessage, draftOf } from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres } from "../support/describe-postgres.ts";

const MESSAGES = 9_000;
const AT_ONCE = 1_000;

/** The newest messages contain none of the words of the oldest. */
function wordsOf(index: number): string {
  const age = index < 6_500 ? "Ancient words" : "Newer words";
  return `${age} number ${index}${index % 700 === 3 ? " with 100% 文件_ inside" : ""}`;
}

await describePostgres("a long log in PostgreSQL", (server) => {
  let stores: readonly Store[] = [];

  beforeAll(async () => {
    stores = [createMemoryStore(), await openPostgresStore(await server.newDatabase())];
    const drafts = Array.from({ length: MESSAGES }, (_, index) => {
      const role: Role = index % 100 === 7 ? "system" : "user";
      return draftOf({ ...aUserMessage(wordsOf(index), { id: `m${index}` }), role });
    });
    for (const store of stores) {
      const tenant = store.tenant("local");
      for (const id of ["s", "t"]) await tenant.createSession({ id, createdAt: 0 }, EMPTY_HEAD);
      for (let start = 0; start < MESSAGES; start += AT_ONCE) {
        const id = start % 3_000 === 0 ? "t" : "s";
        await tenant.append(id, { entries: drafts.slice(start, start + AT_ONCE) });
      }
      await store.tenant("other").createSession({ id: "s", createdAt: 0 }, EMPTY_HEAD);
      await store.tenant("other").append("s", { entries: drafts.slice(0, 10) });
    }
  });

  afterAll(async () => {
    for (const store of stores) await store.close();
    await server.close();
  });

  const queries: readonly (Omit<SearchQuery, "limit"> & { readonly limit?: number })[] = [
    { text: "ANCIENT" },
    { text: "ancient", limit: 6_000 },
    { text: "newer" },
    { text: "number 77" },
    { text: "number 12 " },
    { text: "number 8999" },
    { text: "文件" },
    { text: "00% 文件_ in" },
    { text: "_ " },
    { text: "%", limit: 3 },
    { text: "no such words" },
    { text: "ancient", role: "system" },
    { text: "文件_", role: "system" },
    { text: "number", role: "assistant" },
    { text: "ancient", sessionId: "s" },
    { text: "number 3", sessionId: "t", limit: 400 },
    { text: "件", sessionId: "s" },
  ];

  test.each(queries.map((query) => [query]))(
    "a search in PostgreSQL returns the same hits as in the memory store: %j",
    async (query) => {
      const [expected, found] = await Promise.all(
        stores.map((store) => store.tenant("local").search({ limit: 20, ...query })),
      );
      expect(found).toEqual(expected);
    },
  );
});
