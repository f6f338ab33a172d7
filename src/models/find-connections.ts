/**
 * Finds the configured connections from the environment and the `server` section of a configuration file. Keys come
 * from variables only: a file names the variable. It makes no requests, and no message repeats a value that may be
 * secret.
 */
import { PalimpsestError } from "../core/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ServerConfig {
  readonly model?: string | undefined;
  readonly connections: readonly ConnectionConfig[];
}

export interface ConnectionConfig {
  readonly name: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly keyVariable?: string | undefined;
  readonly windowTokens?: number | undefined;
}

/** Vendors in order of preference for the default model. */
const VENDORS: readonly { readonly kind: ConnectionKind; readonly variables: readonly string[] }[] = [
  { kind: "anthropic", variables: ["ANTHROPIC_API_KEY"] },
  { kind: "openai", variables: ["OPENAI_API_KEY"] },
  { kind: "google", variables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"] },
];

/** Returns the variable that holds a vendor's key. */
export function findKeyVariable(kind: string): string | undefined {
  return VENDORS.find((vendor) => vendor.kind === kind)?.variables.at(-1);
}

/** Explicit configuration comes first; Ollama, which may not be running, comes last. */
export function findConnections(environment: Environment, config: ServerConfig): readonly Connection[] {
  return [
    ...config.connections.map((row) => fromConfig(row, environment)),
    ...fromBaseUrl(environment),
    ...VENDORS.flatMap(({ kind, variables }) => fromKey(environment, kind, variables)),
    ...fromOllama(environment),
  ];
}

function fromConfig({ name, baseUrl, models, keyVariable, windowTokens }: ConnectionConfig, environment: Environment) {
  const apiKey = keyVariable === undefined ? undefined : readVariable(environment, keyVariable);
  if (keyVariable !== undefined && apiKey === undefined) {
    const text = `${name} takes its key from the variable ${keyVariable}, which is not set. Set it, or remove "keyVariable".`;
    throw createConfigError("server.connections", text);
  }
  const openedBy = `server.connections (${name})`;
  return { name, kind: "compatible", openedBy, apiKey, baseUrl, modelIds: models, windowTokens } as const;
}

function fromBaseUrl(environment: Environment): readonly Connection[] {
  const baseUrl = readUrl(environment, "PALIMPSEST_BASE_URL");
  if (baseUrl === undefined) return [];
  const model = readVariable(environment, "PALIMPSEST_MODEL");
  const modelIds = model === undefined ? [] : [model.replace(/^compatible:/, "")];
  const apiKey = readVariable(environment, "PALIMPSEST_API_KEY");
  const openedBy = "PALIMPSEST_BASE_URL";
  const windowTokens = readWindow(environment);
  return [{ name: "compatible", kind: "compatible", openedBy, apiKey, baseUrl, modelIds, windowTokens }];
}

function fromKey(environment: Environment, kind: ConnectionKind, variables: readonly string[]): readonly Connection[] {
  const openedBy = variables.find((name) => readVariable(environment, name) !== undefined);
  const baseUrl = kind === "openai" ? readUrl(environment, "OPENAI_BASE_URL") : undefined;
  if (openedBy === undefined && baseUrl === undefined) return [];
  const apiKey = openedBy === undefined ? undefined : readVariable(environment, openedBy);
  if (baseUrl === undefined) return [{ name: kind, kind, openedBy: openedBy ?? "", apiKey, modelIds: [] }];
  // Other servers of OpenAI's protocol rarely support more than chat completions.
  const windowTokens = readWindow(environment);
  return [{ name: kind, kind: "compatible", openedBy: "OPENAI_BASE_URL", apiKey, baseUrl, modelIds: [], windowTokens }];
}

const OLLAMA_PORT = 11_434;

/** Reads the variable like Ollama: a host, a port or both, with or without a scheme; 0.0.0.0 means this machine. */
function fromOllama(environment: Environment): readonly Connection[] {
  const given = readVariable(environment, "OLLAMA_HOST");
  if (given === undefined) return [];
  const hasScheme = /^https?:\/\//.test(given);
  const url = URL.parse(hasScheme ? given : `http://${given.startsWith(":") ? "127.0.0.1" : ""}${given}`);
  if (url === null) throw createConfigError("OLLAMA_HOST", "expected an address such as 127.0.0.1:11434.");
  const host = url.hostname === "0.0.0.0" || url.hostname === "[::]" ? "127.0.0.1" : url.hostname;
  const port = url.port === "" && !hasScheme ? OLLAMA_PORT : url.port;
  const baseUrl = `${url.protocol}//${host}${port && `:${port}`}/v1`;
  const windowTokens = readWindow(environment);
  return [{ name: "ollama", kind: "compatible", openedBy: "OLLAMA_HOST", baseUrl, modelIds: [], windowTokens }];
}

/** Returns undefined for a blank value. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const text = Object.hasOwn(environment, name) ? environment[name]?.trim() : undefined;
  return text === "" ? undefined : text;
}

function readUrl(environment: Environment, name: string): string | undefined {
  const text = readVariable(environment, name);
  return text === undefined ? undefined : requireUrl(text, name);
}

/** Removes a trailing slash. Errors do not repeat the value, because it may contain a password. */
export function requireUrl(text: string, key: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const expected = "an address that begins with http:// or https://, such as http://127.0.0.1:8000/v1";
    throw createConfigError(key, `expected ${expected}.`);
  }
  return text.replace(/\/+$/, "");
}

function readWindow(environment: Environment): number | undefined {
  const text = readVariable(environment, "PALIMPSEST_WINDOW_TOKENS");
  if (text === undefined) return undefined;
  const tokens = Number(text);
  if (Number.isInteger(tokens) && tokens >= 1_000) return tokens;
  throw createConfigError("PALIMPSEST_WINDOW_TOKENS", "expected a whole number of at least 1000.");
}

export function createConfigError(key: string, text: string): PalimpsestError {
  return new PalimpsestError("config-invalid", `${key}: ${text}`, { details: { key } });
}

export type ConnectionKind = "anthropic" | "openai" | "google" | "compatible";

/** Vendor, address and key of a model server. Only this value holds the key. */
export interface Connection {
  /** Prefix of its model names, such as `anthropic` or `ollama`. */
  readonly name: string;
  readonly kind: ConnectionKind;
  /** The variable or configuration key that configured it, for messages. */
  readonly openedBy: string;
  readonly apiKey?: string | undefined;
  /** Address, unless it is the vendor's own. */
  readonly baseUrl?: string | undefined;
  /** Configured models, the preferred one first. Empty: known models, or those that the server lists. */
  readonly modelIds: readonly string[];
  /** Context window of its models, if the catalogue lacks them. */
  readonly windowTokens?: number | undefined;
}
