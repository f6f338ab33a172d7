/**
 * Row-level security: the database itself keeps tenants apart, and a statement that forgets to say whose rows it means
 * finds those of its own tenant and no others. The policies are part of the schema and cost nothing until they are put
 * into force; that is done once, by whoever asks for it, and holds for everybody who uses the database, its owner too.
 */
import { sql } from "../sql/driver.ts";
import type { PostgresDriver, Run } from "./postgres-driver.ts";
import { TENANT_TABLES } from "./postgres-migrations.ts";

/** A database that does not let this user do it is used as it is, and whoever asked is told. */
export async function forceRowSecurity(driver: PostgresDriver, tell: (text: string) => void): Promise<void> {
  try {
    const isBound = await driver.transaction(force);
    if (isBound) return;
    tell(
      `Row-level security of ${driver.name} does not bind this user, who is a superuser or has BYPASSRLS. ` +
        "Use a role that owns the database and is neither.",
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    tell(
      `Row-level security of ${driver.name} could not be put into force: ${reason}. Every query still names its tenant.`,
    );
  }
}

/** Whether it holds for the user who asks. */
async function force(run: Run): Promise<boolean> {
  const rows = await run(sql`
    SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = to_regnamespace('palimpsest')
    AND c.relrowsecurity AND c.relforcerowsecurity`);
  const forced = new Set(rows.map(({ name }) => name));
  for (const table of TENANT_TABLES.filter((name) => !forced.has(name))) {
    const text = `ALTER TABLE palimpsest.${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`;
    await run({ strings: [text], values: [] });
  }
  const [user] = await run(sql`
    SELECT (r.rolsuper OR r.rolbypassrls)::integer AS passes FROM pg_roles r WHERE r.rolname = current_user`);
  return user?.passes === 0;
}
