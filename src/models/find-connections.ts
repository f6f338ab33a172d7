/**
 * Which models can be asked, by the environment and the `server` part of a configuration file. Keys come from variables
 * only: a file names the variable that holds one. Nothing is asked of anybody here, and no message repeats a value that
 * may be secret.
 */
import { PalimpsestError } from "../core/errors.ts";
import type { Connection, ConnectionKind } from "./connection.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ServerConfig {
  /** The model that is asked where nobody names another. */
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

/** Vendors in the order in which the first one's model is the default. */
const VENDORS: readonly { readonly kind: ConnectionKind; readonly variables: readonly string[] }[] = [
  { kind: "anthropic", variables: ["ANTHROPIC_API_KEY"] },
  { kind: "openai", variables: ["OPENAI_API_KEY"] },
  { kind: "google", variables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"] },
];

/** The variable that a vendor's key is expected in. */
export function keyVariableOf(kind: string): string | undefined {
  return VENDORS.find((vendor) => vendor.kind === kind)?.variables.at(-1);
}

/** What was named on purpose comes before what happens to be set; Ollama, which may not even run, comes last. */
export function findConnections(environment: Environment, config: ServerConfig): readonly Connection[] {
  return [
    ...config.connections.map((row) => fromConfig(row, environment)),
    ...fromBaseUrl(environment),
    ...VENDORS.flatMap(({ kind, variables }) => fromKey(environment, kind, variables)),
    ...fromOllama(environment),
  ];
}

function fromConfig({ name, baseUrl, models, keyVariable, windowTokens }: ConnectionConfig, environment: Environment) {
  const apiKey = keyVariable === undefined ? undefined : read(environment, keyVariable);
  if (keyVariable !== undefined && apiKey === undefined) {
    throw invalid("server.connections", `${name} takes its key from the variable ${keyVariable}, which is not set.`);
  }
  const openedBy = `server.connections (${name})`;
  return { name, kind: "compatible", openedBy, apiKey, baseUrl, modelIds: models, windowTokens } as const;
}

function fromBaseUrl(environment: Environment): readonly Connection[] {
  const baseUrl = readUrl(environment, "PALIMPSEST_BASE_URL");
  if (baseUrl === undefined) return [];
  const model = read(environment, "PALIMPSEST_MODEL");
  return [
    {
      name: COMPATIBLE,
      kind: "compatible",
      openedBy: "PALIMPSEST_BASE_URL",
      apiKey: read(environment, "PALIMPSEST_API_KEY"),
      baseUrl,
      modelIds: model === undefined ? [] : [withoutName(model, COMPATIBLE)],
      windowTokens: readWindow(environment),
    },
  ];
}

function fromKey(environment: Environment, kind: ConnectionKind, variables: readonly string[]): readonly Connection[] {
  const openedBy = variables.find((name) => read(environment, name) !== undefined);
  const baseUrl = kind === "openai" ? readUrl(environment, "OPENAI_BASE_URL") : undefined;
  if (openedBy === undefined && baseUrl === undefined) return [];
  const apiKey = openedBy === undefined ? undefined : read(environment, openedBy);
  if (baseUrl === undefined) return [{ name: kind, kind, openedBy: openedBy ?? "", apiKey, modelIds: [] }];
  // What speaks OpenAI's protocol elsewhere rarely knows more of it than chat completions.
  const windowTokens = readWindow(environment);
  return [{ name: kind, kind: "compatible", openedBy: "OPENAI_BASE_URL", apiKey, baseUrl, modelIds: [], windowTokens }];
}

const OLLAMA_PORT = 11_434;

/** As Ollama reads it: a host, a port or both, with or without a scheme; the address that it listens on everywhere is here. */
function fromOllama(environment: Environment): readonly Connection[] {
  const given = read(environment, "OLLAMA_HOST");
  if (given === undefined) return [];
  const url = URL.parse(
    /^https?:\/\//.test(given) ? given : `http://${given.startsWith(":") ? "127.0.0.1" : ""}${given}`,
  );
  if (url === null) throw invalid("OLLAMA_HOST", "expected an address such as 127.0.0.1:11434.");
  const host = url.hostname === "0.0.0.0" || url.hostname === "[::]" ? "127.0.0.1" : url.hostname;
  const hasPort = url.port !== "" || /^https?:\/\//.test(given);
  const baseUrl = `${url.protocol}//${host}${hasPort ? url.port && `:${url.port}` : `:${OLLAMA_PORT}`}/v1`;
  const windowTokens = readWindow(environment);
  return [{ name: "ollama", kind: "compatible", openedBy: "OLLAMA_HOST", baseUrl, modelIds: [], windowTokens }];
}

const COMPATIBLE = "compatible";

function withoutName(model: string, name: string): string {
  return model.startsWith(`${name}:`) ? model.slice(name.length + 1) : model;
}

/** A blank value is none. */
export function read(environment: Environment, name: string): string | undefined {
  const text = Object.hasOwn(environment, name) ? environment[name]?.trim() : undefined;
  return text === "" ? undefined : text;
}

function readUrl(environment: Environment, name: string): string | undefined {
  const text = read(environment, name);
  return text === undefined ? undefined : checkUrl(text, name);
}

/** Without the slash at its end. What was given is not repeated: it may hold a password. */
export function checkUrl(text: string, key: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalid(key, "expected an address that begins with http:// or https://, such as http://127.0.0.1:8000/v1.");
  }
  return text.replace(/\/+$/, "");
}

function readWindow(environment: Environment): number | undefined {
  const text = read(environment, "PALIMPSEST_WINDOW_TOKENS");
  if (text === undefined) return undefined;
  const tokens = Number(text);
  if (Number.isInteger(tokens) && tokens >= 1_000) return tokens;
  throw invalid("PALIMPSEST_WINDOW_TOKENS", "expected a whole number from 1000 on.");
}

export function invalid(key: string, text: string): PalimpsestError {
  return new PalimpsestError("config-invalid", `${key}: ${text}`, { details: { key } });
}
