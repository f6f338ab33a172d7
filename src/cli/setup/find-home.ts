/** The home folder with sessions, configuration and tokens, which only its user can read. */
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { explainError } from "../terminal/terminal-text.ts";

export const STORE_FILE = "palimpsest.db";
export const TOKENS_FILE = "tokens.json";
const PRIVATE_FOLDER = 0o700;

export interface HomeOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly given?: string | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

export function findHome({ environment, given, platform = process.platform }: HomeOptions): string {
  const chosen = given ?? nonBlank(environment.PALIMPSEST_HOME);
  if (chosen !== undefined) return resolve(chosen);
  const user = nonBlank(environment.HOME) ?? nonBlank(environment.USERPROFILE) ?? homedir();
  if (platform === "win32") {
    return join(nonBlank(environment.LOCALAPPDATA) ?? join(user, "AppData", "Local"), "Palimpsest");
  }
  if (platform === "darwin") return join(user, "Library", "Application Support", "Palimpsest");
  return join(nonBlank(environment.XDG_DATA_HOME) ?? join(user, ".local", "share"), "palimpsest");
}

/** Creates the folder if it is missing; an existing one keeps its permissions. */
export async function makeHome(home: string): Promise<void> {
  try {
    await mkdir(home, { recursive: true, mode: PRIVATE_FOLDER });
  } catch (error) {
    const reason = `${home} cannot be created: ${explainError(error)}.`;
    const text = `home: ${reason} Choose another folder with --home or PALIMPSEST_HOME.`;
    throw new PalimpsestError("config-invalid", text, { details: { key: "home" }, cause: error });
  }
}

export function toHomeStoreAddress(home: string): string {
  return `sqlite:${join(home, STORE_FILE)}`;
}

function nonBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}
