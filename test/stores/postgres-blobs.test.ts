/** Blobs in PostgreSQL: images in chunks, added and removed concurrently. */
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { PalimpsestError } from "../../src/core/errors.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { ImagePart, Message } from "../../src/core/message/message.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { loadPg } from "../../src/stores/postgres/load-pg.ts";
import { migratePostgres } from "../../src/stores/postgres/migrate-postgres.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { PostgresDriver } from "../../src/stores/postgres/postgres-driver.ts";
import { POSTGRES_MIGRATIONS } from "../../src/stores/postgres/postgres-migrations.ts";
import { POSTGRES_STATEMENTS } from "../../src/stores/postgres/postgres-statements.ts";
import { checksumEntry } from "../../src/stores/sql/checksums.ts";
import type { SqlDriver, Statement } from "../../src/stores/sql/driver.ts";
import { createSqlStore } from "../../src/stores/sql/sql-store.ts";
import { DetachedDrafts } from "../../src/stores/sql/stored-blobs.ts";
import { toStoredEntry } from "../../src/stores/sql/stored-entry.ts";
import {
  append,
  aUserMessage,
  batchOf,
  draftOf,
  headOf,
  isMessage,
  read,
  SESSION,
  say,
} from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { FIRST_SCHEMA_READ, fillFirstSchema, readFirstSchema } from "./first-schema.ts";

function showing(seed: number): Message {
  const base64 = Buffer.alloc(700_000, `pixels of ${seed} `).toString("base64");
  const image: ImagePart = { type: "image", source: { type: "data", base64 }, mediaType: "image/png" };
  return aUserMessage("", { parts: [image] });
}

/** Returns the statements of an append to an empty session. */
async function appending(message: Message): Promise<readonly Statement[]> {
  const draft = draftOf(message);
  const drafts = await DetachedDrafts.detach([draft]);
  const stored = toStoredEntry(drafts.findWritten(draft));
  const entry = { ...stored, checksum: checksumEntry(stored), followedBy: 0, blobs: drafts.listHashes(draft) };
  const claim = {
    ids: [draft.id],
    messageCount: 1,
    updatedAt: 0,
    firstMessage: undefined,
    expect: undefined,
    expectedLastSeq: null,
    epoch: null,
  };
  const batch = { claim, blobs: drafts.listBlobs([draft]), entries: [entry], head: undefined, erased: [] };
  return [...POSTGRES_STATEMENTS.append({ tenant: "local", id: SESSION, mark: "mark" }, batch)];
}

const create = (tenant: TenantStore, id: string) => tenant.createSession({ id, createdAt: 0 }, EMPTY_HEAD);

await describePostgres("images and the search index in PostgreSQL", (server) => {
  const opened: (Store | PostgresDriver)[] = [];
  const keep = <Each extends Store | PostgresDriver>(each: Each): Each => {
    opened.push(each);
    return each;
  };
  afterAll(async () => {
    for (const each of opened) await each.close();
    await server.close();
  });
  const aDriver = async (url: string) =>
    keep(new PostgresDriver(await loadPg(), { url, connections: 2, retryForMs: 500, statementTimeoutMs: 30_000 }));

  test("a lost image is replaced by a text and reported once", async () => {
    const url = await server.newDatabase();
    const warnings: string[] = [];
    const store = keep(await openPostgresStore(url, { onWarning: ({ text }) => warnings.push(text) }));
    const tenant = store.tenant("local");
    await create(tenant, SESSION);
    await append(tenant, draftOf(showing(1)));
    const sizes = await server.run("SELECT length(data) AS bytes FROM palimpsest.blob_chunks ORDER BY number", url);
    expect(sizes.map(({ bytes }) => bytes)).toEqual([524_288, 700_000 - 524_288]);
    await server.run("DELETE FROM palimpsest.blob_chunks WHERE number = 1", url);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const [entry] = (await read(tenant)).filter(isMessage);
      expect(entry?.message.parts).toEqual([{ type: "text", text: expect.stringMatching(/is missing/) }]);
    }
    expect(warnings).toEqual([expect.stringMatching(/missing or damaged/)]);
  });

  test.each(["deleted", "erased"])(
    "an image that is %s while another message starts to refer to it is kept",
    async (how) => {
      const url = await server.newDatabase();
      const tenant = keep(await openPostgresStore(url)).tenant("local");
      for (const id of [SESSION, "t"]) await create(tenant, id);
      const [theirs, shown] = [showing(1), showing(1)];
      await tenant.append("t", { entries: [draftOf(theirs)] });
      const gone = { type: "delete", messageIds: [theirs.id], seqs: [1], dropsSummary: false } as const;
      const erasing = { ...batchOf(await headOf(tenant, "t"), gone), erase: [theirs.id] };
      let going: Promise<unknown> = Promise.resolve();
      await (await aDriver(url)).transaction(async (run) => {
        for (const statement of await appending(shown)) await run(statement);
        // The insert is not committed yet when the other session removes the image.
        going = how === "deleted" ? tenant.deleteSession("t") : tenant.append("t", erasing);
        await setTimeout(300);
      });
      await going;
      expect((await tenant.findMessage(SESSION, shown.id))?.message).toEqual(shown);
      expect((await tenant.statistics()).blobs.count).toBe(1);
    },
  );

  test("a damaged search index makes searches slower but loses no hit, and is reported", async () => {
    const driver = await aDriver(await server.newDatabase());
    await migratePostgres(driver, POSTGRES_MIGRATIONS);
    const damaged: SqlDriver = {
      name: driver.name,
      batch: (statements) => driver.batch(statements),
      close: () => driver.close(),
      read: (statements) => {
        // The server's error for a corrupt index, raised whenever the index would be used.
        const isIndexed = statements.some(({ strings }) => strings.join("").includes("LIKE"));
        const error = new PalimpsestError("store-unavailable", "It is damaged.", { details: { reason: "corrupt" } });
        return isIndexed ? Promise.reject(error) : driver.read(statements);
      },
    };
    const warnings: string[] = [];
    const onWarning = ({ text }: { readonly text: string }) => warnings.push(text);
    const store = keep(createSqlStore({ driver: damaged, statements: POSTGRES_STATEMENTS, onWarning }));
    const tenant = store.tenant("local");
    await create(tenant, SESSION);
    await append(tenant, say("The launch code."));
    for (let part = 0; part < 3; part += 1) {
      await append(tenant, ...Array.from({ length: 900 }, (_, index) => say(`Filler ${index}.`)));
    }
    const find = async (text: string, order?: "relevance") =>
      (await tenant.search({ text, limit: 2, order })).map(({ seq }) => seq);
    expect([await find("launch"), await find("de"), await find("code launch", "relevance")]).toEqual([[1], [1], [1]]);
    expect(await find("filler 899")).toEqual([2_701, 1_801]);
    expect(warnings).toEqual([expect.stringMatching(/search index cannot be used: searches take longer/)]);
  });

  test("a database of the first schema is migrated with all its data", async () => {
    const url = await server.newDatabase();
    await migratePostgres(await aDriver(url), POSTGRES_MIGRATIONS.slice(0, 1));
    for (const text of fillFirstSchema("palimpsest.")) await server.run(text, url);
    expect(await readFirstSchema(keep(await openPostgresStore(url)))).toEqual(FIRST_SCHEMA_READ);
  });
});
