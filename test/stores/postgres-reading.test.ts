/** Opening a long conversation reads only its view, with the index. */
import { Client } from "pg";
import { afterAll, expect, test } from "vitest";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { POSTGRES_STATEMENTS } from "../../src/stores/postgres/postgres-statements.ts";
import { append, appendChange, SESSION, say, truncate } from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { describeLongViews } from "./describe-long-views.ts";
import { aSession } from "./sqlite-files.ts";

const MESSAGE_COUNT = 2_000;
const SHOWN = 20;

await describePostgres("opening a long conversation", (server) => {
  afterAll(() => server.close());
  describeLongViews(async () => openPostgresStore(await server.newDatabase()));

  test.each(["without table statistics", "with table statistics"])(
    "opening a view reads only the entries of the view, %s",
    async (known) => {
      const url = await server.newDatabase();
      const store = await openPostgresStore(url);
      const tenant = await aSession(store);
      for (let messageCount = 0; messageCount < MESSAGE_COUNT; messageCount += 500)
        await append(tenant, ...Array.from({ length: 500 }, (_, index) => say(`Message ${messageCount + index}.`)));
      await appendChange(tenant, truncate(MESSAGE_COUNT - SHOWN));
      if (known === "with table statistics") await server.run("ANALYZE", url);
      const { strings, values } = POSTGRES_STATEMENTS.readViewEntries(
        { tenant: "local", id: SESSION },
        { count: MESSAGE_COUNT },
      );
      const text = strings.reduce((so, each, index) => `${so}$${index}${each}`);
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query("SET plan_cache_mode = force_generic_plan");
      await client.query(`PREPARE reading AS ${text}`);
      const quoted = values.map((value) => client.escapeLiteral(String(value))).join(", ");
      const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE reading (${quoted})`);
      await client.end();
      await store.close();
      const read = rowsRead(rows[0]["QUERY PLAN"][0].Plan).filter(({ table }) => table === "entries");
      expect(read.map(({ rows: count }) => count)).toEqual([expect.closeTo(SHOWN, -1)]);
    },
  );
});

interface PlanStep {
  readonly "Relation Name"?: string;
  /** Rows of each loop. */
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanStep[];
}

function rowsRead(step: PlanStep): readonly { readonly table: string | undefined; readonly rows: number }[] {
  const rows = (step["Actual Rows"] + (step["Rows Removed by Filter"] ?? 0)) * step["Actual Loops"];
  return [{ table: step["Relation Name"], rows }, ...(step.Plans ?? []).flatMap(rowsRead)];
}
