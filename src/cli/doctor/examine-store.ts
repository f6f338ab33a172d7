/** Whether the store can be opened, and what is in it. Nothing is made where there is none. */
import { existsSync } from "node:fs";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../ports/store.ts";
import { findStorePath, openStoreAt } from "../../stores/open-store.ts";
import { describeCount } from "../describe-count.ts";
import { describeStore } from "../describe-store.ts";
import { examineSessions, type SessionsOptions } from "./examine-sessions.ts";
import { bad, type Finding, good, sayFailure, warning } from "./finding.ts";

export interface StoreOptions extends SessionsOptions {
  readonly tenantId: string;
}

export async function examineStore(address: string, options: StoreOptions): Promise<readonly Finding[]> {
  const name = describeStore(address);
  const path = findStorePath(address);
  if (path !== undefined && !existsSync(path)) {
    return [warning("store", `${name} is not there yet`, "palimpsest serve makes it; or look at --store.")];
  }
  const told: string[] = [];
  let store: Store | undefined;
  try {
    store = await openStoreAt(address, { onWarning: (text) => told.push(text) });
    if (store === undefined) return [bad("store", `${name} is no address of a store`, "See palimpsest --help.")];
    const tenant = store.tenant(options.tenantId);
    const { sessions, messages } = await tenant.statistics();
    const held = `${describeCount(sessions, "session", "sessions")}, ${describeCount(messages, "message", "messages")}`;
    const opened = good("store", `${name} opens, with the schema of this version; ${options.tenantId} has ${held}`);
    const examined = await examineSessions(tenant, options);
    return [opened, ...examined, ...told.map((text) => warning("store", text, "Do what the text says."))];
  } catch (error) {
    const advice = error instanceof PalimpsestError && error.retryable ? "Try again when it is reachable." : ADVICE;
    return [bad("store", sayFailure(error), advice)];
  } finally {
    await store?.close().catch(() => undefined);
  }
}

const ADVICE = "Do what the text says; keep a copy of the store before you change anything.";
