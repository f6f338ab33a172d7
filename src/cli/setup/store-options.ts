/** The options for where sessions are stored. Reading never creates a store, so a mistyped path leaves nothing. */
import { access } from "node:fs/promises";
import { PalimpsestError } from "../../core/errors.ts";
import { findStorePath } from "../../stores/open-store.ts";
import type { CommandOption, Invocation } from "../terminal/command.ts";
import { explainError } from "../terminal/terminal-text.ts";
import { findHome, makeHome, toHomeStoreAddress } from "./find-home.ts";

export const JSON_OPTION: CommandOption = { help: "Print results as JSON, for programs." };

export const STORE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  store: {
    value: "<address>",
    help: "Where sessions are kept. Default: PALIMPSEST_STORE, else the file that palimpsest serve uses.",
  },
  tenant: { value: "<name>", help: 'Owner of the sessions. Default: "local".' },
  json: JSON_OPTION,
};

export const HOME_OPTION: CommandOption = {
  value: "<folder>",
  help: "Folder of the store and the configuration. Default: PALIMPSEST_HOME, else your data folder.",
};

export function readStoreAddress(invocation: Invocation): string {
  return findNamedStore(invocation) ?? toHomeStoreAddress(homeOf(invocation));
}

/** Creates the home folder if the store is in it. A named store creates what it needs by itself. */
export async function prepareStore(invocation: Invocation): Promise<string> {
  if (findNamedStore(invocation) === undefined) await makeHome(homeOf(invocation));
  return readStoreAddress(invocation);
}

/** Throws `session-not-found` if opening the store would create it. */
export async function requireExistingStore(invocation: Invocation): Promise<void> {
  const path = findStorePath(readStoreAddress(invocation));
  if (path === undefined) return;
  await access(path).catch((error: unknown) => {
    const reason = `${path} cannot be read: ${explainError(error)}`;
    const advice = "Check --store and PALIMPSEST_STORE; palimpsest serve and palimpsest import create a new store.";
    throw new PalimpsestError("session-not-found", `store: ${reason}. ${advice}`, {
      details: { key: "store" },
      cause: error,
    });
  });
}

export async function isMissing(store: string): Promise<boolean> {
  const path = findStorePath(store);
  if (path === undefined) return false;
  return access(path).then(
    () => false,
    () => true,
  );
}

function homeOf({ text, terminal: { environment } }: Invocation): string {
  return findHome({ environment, given: text("home") });
}

function findNamedStore({ text, terminal }: Invocation): string | undefined {
  const store = text("store") ?? terminal.environment.PALIMPSEST_STORE;
  return store === "" ? undefined : store;
}
