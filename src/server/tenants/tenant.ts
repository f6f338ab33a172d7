/** What the server holds for one tenant: its engine, which sees its sessions and nobody else's, and what happens there. */
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { EventFeed } from "./event-feed.ts";

export interface Tenant {
  readonly id: string;
  readonly engine: Palimpsest;
  readonly feed: EventFeed;
}
