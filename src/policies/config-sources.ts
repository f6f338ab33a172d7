/**
 * Where a policy comes from: defaults, then a file, then the environment, then the call; what comes later wins. A source
 * is asked for its settings each time they are needed and looks at its file again when that has changed, so that a
 * running process follows it. A file that has become wrong changes nothing and is told of once.
 */
import { readFileSync, statSync } from "node:fs";
import { PalimpsestError } from "../core/errors.ts";
import type { PolicyInput, PolicySettings } from "./policy-input.ts";
import { type PolicyLayer, readLayer } from "./policy-layer.ts";
import { type Environment, readEnvironment } from "./read-environment.ts";
import { chooseSettings, type ResolvedPolicy, resolveLayers } from "./resolve-layers.ts";
import { invalidSetting, isRecord } from "./setting-rule.ts";

export const CONFIG_FILE = "palimpsest.config.json";

export interface PolicySources {
  /** What the configuration file says, already parsed. */
  readonly file?: unknown;
  readonly environment?: Environment | undefined;
  readonly call?: PolicyInput | undefined;
}

interface FixedSources extends Omit<PolicySources, "file"> {
  readonly standard?: PolicySettings | undefined;
}

export function mergeSources({ file, environment, call }: PolicySources): PolicySettings {
  return mergeLayers(readFileLayer(file), { environment, call }).settings;
}

function readFileLayer(file: unknown): PolicyLayer | undefined {
  return file === undefined ? undefined : readLayer(withoutOthersKeys(file));
}

function mergeLayers(file: PolicyLayer | undefined, { environment, call, standard }: FixedSources): ResolvedPolicy {
  const layers = file === undefined ? [] : [file];
  const below = () => layers.at(-1)?.preset ?? "default";
  if (environment !== undefined) layers.push(...readEnvironment(environment, below()));
  if (call !== undefined) layers.push(readLayer(call, { below: below() }));
  return resolveLayers(layers, standard);
}

/** Editors find the schema of a file by its key; `server` is read by whoever starts one. Neither is about the policy. */
function withoutOthersKeys(file: unknown): unknown {
  if (!isRecord(file)) return file;
  const { $schema, server: _, ...rest } = file;
  if ($schema !== undefined && typeof $schema !== "string") throw invalidSetting("$schema", $schema, "a text");
  return rest;
}

export interface PolicySource {
  /** The settings as of now, for one model or for any. Throws nothing once the source was made. */
  current(model?: string): PolicySettings;
}

export interface PolicySourceOptions {
  /** The configuration file. One that is not there says nothing until it is. */
  readonly path?: string | undefined;
  /** Read once. */
  readonly environment?: Environment | undefined;
  readonly call?: PolicyInput | undefined;
  /** Takes the place of the default policy while no source says when to compact. */
  readonly standard?: PolicySettings | undefined;
  /** Told once of each version of the file that cannot be used; the last good settings stay. */
  readonly onError?: ((error: PalimpsestError) => void) | undefined;
}

/** Throws `config-invalid` where the sources are wrong from the start. */
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
      if (path !== undefined && now === GONE) throw invalidFile(path, "is gone; the last good settings stay");
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

const GONE = "gone";

/** Changes whenever the file does, also when it is replaced by one of the same size within one tick of a coarse clock. */
function readStamp(path: string | undefined): string {
  if (path === undefined) return GONE;
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(" ");
  } catch {
    // Whatever keeps us from looking at it, there is no file that could be read.
    return GONE;
  }
}

/** The stamp was taken before reading: a file that changes meanwhile has another one next time. */
function load(path: string | undefined, stamp: string, sources: FixedSources): ResolvedPolicy {
  const file = path === undefined || stamp === GONE ? undefined : loadFileLayer(path);
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

export function readConfigFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw invalidFile(path, "cannot be read as JSON", error);
  }
}

function invalidFile(path: string, what: string, cause?: unknown): PalimpsestError {
  const details = { key: "path", allowed: "a file with JSON", path };
  return new PalimpsestError("config-invalid", `${path}: the file ${what}.`, { details, cause });
}
