/**
 * Opens the engine that a command works with, from its options and the environment, and closes it afterwards. What only
 * reads makes no store: at a path that was mistyped there is nothing to be found, and nothing is left there.
 */
import { access } from "node:fs/promises";
import { PalimpsestError } from "../core/errors.ts";
import type { Palimpsest } from "../engine/palimpsest.ts";
import type { OpenOptions } from "../index.ts";
import { findStorePath } from "../stores/open-store.ts";
import type { CommandOption, Invocation } from "./command.ts";
import { describeFailure } from "./describe-failure.ts";
import { findHome, homeStore, makeHome } from "./find-home.ts";

export const STORE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  store: {
    type: "string",
    value: "<address>",
    help: "Where sessions are kept; PALIMPSEST_STORE without it, else the file that the server keeps.",
  },
  tenant: { type: "string", value: "<name>", help: 'Whose sessions; "local" without it.' },
  json: { type: "boolean", help: "Results as JSON, for programs." },
};

export const HOME_OPTION: CommandOption = {
  type: "string",
  value: "<folder>",
  help: "PALIMPSEST_HOME without it, else the data folder of the user.",
};

export function requireStore(invocation: Invocation): string {
  return findNamedStore(invocation) ?? homeStore(homeOf(invocation));
}

function homeOf({ text, terminal: { environment } }: Invocation): string {
  return findHome({ environment, given: text("home") });
}

function findNamedStore({ text, terminal }: Invocation): string | undefined {
  const store = text("store") ?? terminal.environment.PALIMPSEST_STORE;
  return store === "" ? undefined : store;
}

/** For commands that work with what is there. */
export async function withStored<Result>(
  invocation: Invocation,
  use: (palimpsest: Palimpsest) => Promise<Result>,
  options: OpenOptions = {},
): Promise<Result> {
  await requireStored(requireStore(invocation));
  return withPalimpsest(invocation, options, use);
}

/** Whether whoever opens the store would make it. */
export async function isMissing(store: string): Promise<boolean> {
  const path = findStorePath(store);
  if (path === undefined) return false;
  return access(path).then(
    () => false,
    () => true,
  );
}

async function requireStored(store: string): Promise<void> {
  const path = findStorePath(store);
  if (path === undefined) return;
  await access(path).catch((error: unknown) => {
    const reason = `${path} cannot be read: ${describeFailure(error)}`;
    const advice =
      "Look at the path in --store or PALIMPSEST_STORE; a new store is made by palimpsest serve or import.";
    throw new PalimpsestError("session-not-found", `store: ${reason}. ${advice}`, { cause: error });
  });
}

export async function withPalimpsest<Result>(
  invocation: Invocation,
  options: OpenOptions,
  use: (palimpsest: Palimpsest) => Promise<Result>,
): Promise<Result> {
  const store = requireStore(invocation);
  if (findNamedStore(invocation) === undefined) await makeHome(homeOf(invocation));
  const { openPalimpsest } = await import("../index.ts");
  const palimpsest = await openPalimpsest({ store, tenant: invocation.text("tenant"), ...options });
  const told = new Set<string>();
  palimpsest.on("warning", ({ text }) => {
    // A warning about the engine's set-up comes with every session.
    if (!told.has(text)) invocation.terminal.note(text);
    told.add(text);
  });
  try {
    return await use(palimpsest);
  } finally {
    await palimpsest.close();
  }
}

/** A whole number from one on, or the one to take without it. */
export function readCount({ text }: Invocation, name: string, otherwise: number): number {
  const given = text(name);
  if (given === undefined) return otherwise;
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new PalimpsestError("config-invalid", `--${name}: expected a whole number of at least 1, found ${given}.`);
}
