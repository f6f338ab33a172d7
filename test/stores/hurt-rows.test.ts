/** A changed byte can leave a row that SQLite accepts: reading it reports damage. */
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { append, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { aSession, sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
afterAll(() => files.remove());

const HURT: readonly (readonly [what: string, sql: string])[] = [
  ["a message without parts", `UPDATE entries SET content = replace(content, '"parts"', '"qarts"') WHERE seq = 2`],
  ["a part without its text", `UPDATE entries SET content = replace(content, '"text":', '"uext":') WHERE seq = 2`],
  ["a reference without a name", `UPDATE entries SET content = '{"blobs":[{}],' || substr(content, 2) WHERE seq = 2`],
  ["a stretch without an end", "UPDATE sessions SET lineage = '[[1]]'"],
  ["an impossible number", "UPDATE sessions SET last_seq = 7147272215105594672"],
];

test.each(HURT)("reading reports a damaged row: %s", async (_, sql) => {
  const path = files.newPath();
  const store = await files.open(path);
  await append(await aSession(store), say("Hello."), say("The launch code."), say("Bye."));
  await store.close();
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();

  const again = await files.open(path);
  const tenant = again.tenant("local");
  const refusal = { code: "store-unavailable", retryable: false, details: { reason: "corrupt" } };
  await expect(tenant.readEntries(SESSION, {})).rejects.toMatchObject(refusal);
  await expect(tenant.search({ text: "launch", sessionId: SESSION, limit: 5 })).rejects.toMatchObject(refusal);
  await tenant.createSession({ id: "other", createdAt: 0 }, EMPTY_HEAD);
  await tenant.append("other", { entries: [say("Still here.")] });
  expect(await tenant.readEntries("other", {})).toHaveLength(1);
});
