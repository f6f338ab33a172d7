/** Notifications that reach whoever uses the same store: by its PostgreSQL database, or inside this process. */
import type { Notifications } from "../../ports/notifications.ts";
import { createLocalNotifications, type ListenerOptions } from "./local-notifications.ts";

/** `address` is that of the database; undefined where there is none that could tell others. */
export async function openNotifications(address: string | undefined, options: ListenerOptions): Promise<Notifications> {
  if (address === undefined) return createLocalNotifications(options);
  const { openPostgresNotifications } = await import("../postgres/postgres-notifications.ts");
  return openPostgresNotifications(address, options);
}
