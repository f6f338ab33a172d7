/**
 * Opens what connects the processes that share a store: notifications and the relay. With a PostgreSQL address both run
 * over that database; without one they stay inside this process.
 */
import type { Notifications } from "../ports/notifications.ts";
import type { Relay } from "../ports/relay.ts";
import { createLocalNotifications, type ListenerOptions } from "./shared/local-notifications.ts";
import { createLocalRelay, type RelayOptions } from "./shared/local-relay.ts";

export async function openNotifications(address: string | undefined, options: ListenerOptions): Promise<Notifications> {
  if (address === undefined) return createLocalNotifications(options);
  const { openPostgresNotifications } = await import("./postgres/postgres-notifications.ts");
  return openPostgresNotifications(address, options);
}

export async function openRelay(address: string | undefined, options: RelayOptions): Promise<Relay> {
  if (address === undefined) return createLocalRelay();
  const { openPostgresRelay } = await import("./postgres/postgres-relay.ts");
  return openPostgresRelay(address, options);
}
