/** Describes tests that need a PostgreSQL server. Without one, the tests are skipped with the reason. */
import { describe, inject, type TestContext, test } from "vitest";
import { borrowPostgres, type OwnServer, type PostgresOptions, type PostgresServer } from "./start-postgres.ts";

/** The server is ready before the first test; the body closes it. */
export async function describePostgres(
  title: string,
  body: (server: PostgresServer) => void,
  options: PostgresOptions = {},
): Promise<void> {
  const server = await borrowPostgres({ ...options, folder: inject("runFolder") });
  describe(title, () => {
    if (!("reason" in server)) return body(server);
    test("needs PostgreSQL", ({ skip }) => skip(`PostgreSQL cannot be started here: ${server.reason}`));
  });
}

/** Skips a test that stops the server unless the tests started it: a configured server may have other users. */
export function requireOwn({ own }: PostgresServer, { skip }: TestContext): OwnServer {
  return own ?? skip("PALIMPSEST_TEST_DATABASE_URL names a server that the tests must not stop");
}
