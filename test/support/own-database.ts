/** Creates a database whose owner is no superuser, because row-level security does not apply to superusers. */
import type { PostgresServer } from "./start-postgres.ts";

export async function createOwnedDatabase(server: PostgresServer): Promise<string> {
  const [url, role] = [await server.newDatabase(), await server.newRole()];
  await server.run(`ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO ${role}`);
  const address = new URL(url);
  address.username = role;
  return address.href;
}
