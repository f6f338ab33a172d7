/** A relay between those who use the same store: by its PostgreSQL database, or for this process alone. */
import type { Relay } from "../../ports/relay.ts";
import { createLocalRelay } from "./local-relay.ts";

export interface RelayOptions {
  /** Told of what went wrong and was gone around: a connection that was lost, a claim that somebody else has by now. */
  readonly onWarning: (text: string) => void;
}

/** `address` is that of the database; undefined where there is none that others could share. */
export async function openRelay(address: string | undefined, options: RelayOptions): Promise<Relay> {
  if (address === undefined) return createLocalRelay();
  const { openPostgresRelay } = await import("../postgres/postgres-relay.ts");
  return openPostgresRelay(address, options);
}
