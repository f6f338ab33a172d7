/** Reads a policy from its file too. A running process follows the file; an invalid one changes nothing. */
import { readFileSync, statSync } from "node:fs";
import { invalidOption } from "../core/check-options.ts";
import { isPlainObject } from "../core/check-value.ts";
import { PalimpsestError } from "../core/errors.ts";
import type { PolicySettings } from "./policy-input.ts";
import { type PolicyLayer, readLayer } from "./policy-layer.ts";
import { type FixedSources, mergeLayers, type PolicySource } from "./policy-source.ts";
import { parseRelaxedJson } from "./relaxed-json.ts";
import { chooseSettings, type ResolvedPolicy } from "./resolve-layers.ts";

export const CONFIG_FILE = "palimpsest.config.json";

export interface PolicySources extends Omit<FixedSources, "standard"> {
  readonly file?: unknown;
}

export function mergeSources({ file, environment, call }: PolicySources): PolicySettings {
  return mergeLayers(readFileLayer(file), { environment, call }).settings;
}

function readFileLayer(file: unknown): PolicyLayer | undefined {
  return file === undefined ? undefined : readLayer(removeForeignKeys(file));
}

/** Removes keys that are not part of the policy: `$schema` is for editors, `server` for the server. */
function removeForeignKeys(file: unknown): unknown {
  if (!isPlainObject(file)) return file;
  const { $schema, server: _, ...rest } = file;
  if ($schema !== undefined && typeof $schema !== "string") throw invalidOption("$schema", $schema, "a string");
  return rest;
}

export interface PolicySourceOptions extends FixedSources {
  /** The configuration file. A missing file has no effect until it exists. */
  readonly path?: string | undefined;
  /** Called once for each invalid version of the file; the last valid settings stay in use. */
  readonly onError?: ((error: PalimpsestError) => void) | undefined;
}

/** Throws `config-invalid` if the sources are invalid at creation. */
export function createPolicySource({
  path,
  environment,
  call,
  standard,
  onError,
}: PolicySourceOptions = {}): PolicySource {
  const fixed = { environment: environment === undefined ? undefined : { ...environment }, call, standard };
  let stamp = readStamp(path);
  let resolved = load(path, stamp, fixed);
  const refresh = (): void => {
    const now = readStamp(path);
    if (now === stamp) return;
    stamp = now;
    try {
      if (path !== undefined && now === MISSING)
        throw createFileError(path, "was deleted; the last valid settings stay in use");
      resolved = load(path, now, fixed);
    } catch (error) {
      if (!(error instanceof PalimpsestError)) throw error;
      onError?.(error);
    }
  };
  return {
    current(model) {
      refresh();
      return chooseSettings(resolved, model);
    },
  };
}

const MISSING = "gone";

/** Changes with the file, even if it is replaced by one of the same size within one tick of a coarse clock. */
function readStamp(path: string | undefined): string {
  if (path === undefined) return MISSING;
  try {
    // Most servers have no file, and an error takes longer than the look.
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return MISSING;
    const { ino, size, mtimeNs, ctimeNs } = found;
    return [ino, size, mtimeNs, ctimeNs].join(" ");
  } catch {
    // An unreadable file counts as missing.
    return MISSING;
  }
}

/** The stamp is taken before reading: a file that changes in the meantime gets another one next time. */
function load(path: string | undefined, stamp: string, sources: FixedSources): ResolvedPolicy {
  const file = path === undefined || stamp === MISSING ? undefined : loadFileLayer(path);
  return mergeLayers(file, sources);
}

function loadFileLayer(path: string): PolicyLayer | undefined {
  const file = readConfigFile(path);
  try {
    return readFileLayer(file);
  } catch (error) {
    if (!(error instanceof PalimpsestError)) throw error;
    const { code, message, details } = error;
    throw new PalimpsestError(code, `${path}: ${message}`, { details: { ...details, path }, cause: error });
  }
}

/** Reads JSON with comments. */
export function readConfigFile(path: string): unknown {
  try {
    return parseRelaxedJson(readConfigText(path));
  } catch (error) {
    const [place = ""] = /line \d+ column \d+/.exec(String(error)) ?? [];
    throw createFileError(path, `cannot be read as JSON${place === "" ? "" : `, see ${place}`}`, error);
  }
}

export function readConfigText(path: string): string {
  return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
}

function createFileError(path: string, what: string, cause?: unknown): PalimpsestError {
  const details = { key: "path", allowed: "a file with JSON", path };
  return new PalimpsestError("config-invalid", `${path}: the file ${what}.`, { details, cause });
}
