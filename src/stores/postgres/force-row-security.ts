/**
 * Turns on row-level security: the database itself keeps tenants apart, and a statement without a tenant condition sees
 * only its own tenant's rows. The policies are part of the schema and cost nothing until they are forced; forcing them
 * is permanent and applies to every user of the database, its owner included.
 */
import { sql } from "../sql/driver.ts";
import type { PostgresDriver, Run } from "./postgres-driver.ts";
import { TENANT_TABLES } from "./postgres-migrations.ts";

/** If this user may not change the database, it is used as it is, with a warning. */
export async function forceRowSecurity(driver: PostgresDriver, warn: (text: string) => void): Promise<void> {
  try {
    const isBound = await driver.transaction(applyForce);
    if (isBound) return;
    warn(
      `Row-level security of ${driver.name} does not apply to this user, who is a superuser or has BYPASSRLS. ` +
        "Use a role that owns the database and is neither.",
    );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    warn(`Row-level security of ${driver.name} could not be turned on: ${reason}. Every query still names its tenant.`);
  }
}

/** Returns whether the policies apply to the current user. */
async function applyForce(run: Run): Promise<boolean> {
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
