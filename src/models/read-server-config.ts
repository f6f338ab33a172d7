/**
 * Reads the `server` section of a configuration file: the default model, and servers of OpenAI's protocol by name. It
 * must not contain keys; a value that looks like one is refused without being repeated.
 */
import { describeUnknownKey, type Fields, isObject } from "../core/check-value.ts";
import { type ConnectionConfig, createConfigError, requireUrl, type ServerConfig } from "./find-connections.ts";

const NOTHING: ServerConfig = { connections: [] };
const KEYS = ["model", "connections"];
const CONNECTION_KEYS = ["name", "baseUrl", "models", "keyVariable", "windowTokens"];
/** Reserved, because they would hide a vendor's own name. */
const RESERVED_NAMES = ["anthropic", "openai", "google", "ollama", "compatible", "offline"];

export function readServerConfig(file: unknown): ServerConfig {
  const part = isObject(file) ? file.server : undefined;
  if (part === undefined) return NOTHING;
  const server = requireRecord(part, "server", KEYS);
  const { model, connections = [] } = server;
  if (model !== undefined && !isShortText(model)) throw createConfigError("server.model", "expected a model name.");
  if (!Array.isArray(connections)) throw createConfigError("server.connections", "expected a list.");
  return { model, connections: connections.map(readConnection) };
}

function readConnection(row: unknown, index: number): ConnectionConfig {
  const key = `server.connections[${index}]`;
  const { name, baseUrl, models = [], keyVariable, windowTokens } = requireRecord(row, key, CONNECTION_KEYS);
  if (!isShortText(name) || !/^[a-z][a-z0-9-]{0,30}$/.test(name) || RESERVED_NAMES.includes(name)) {
    throw createConfigError(`${key}.name`, `expected a short lower-case name other than ${RESERVED_NAMES.join(", ")}.`);
  }
  if (!isShortText(baseUrl))
    throw createConfigError(`${key}.baseUrl`, "expected the address of an OpenAI-compatible server.");
  if (!Array.isArray(models) || !models.every(isShortText))
    throw createConfigError(`${key}.models`, "expected a list of model names.");
  if (keyVariable !== undefined && !(isShortText(keyVariable) && /^[A-Z][A-Z0-9_]*$/.test(keyVariable))) {
    throw createConfigError(`${key}.keyVariable`, "expected the name of the variable that holds the key, not the key.");
  }
  if (windowTokens !== undefined && !isTokens(windowTokens)) {
    throw createConfigError(`${key}.windowTokens`, "expected a whole number of at least 1000.");
  }
  return { name, baseUrl: requireUrl(baseUrl, `${key}.baseUrl`), models, keyVariable, windowTokens };
}

function requireRecord(value: unknown, key: string, known: readonly string[]): Fields {
  if (!isObject(value)) throw createConfigError(key, `expected an object with ${known.join(", ")}.`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value;
  const advice = /key|token|secret/i.test(unknown) ? " API keys are read from environment variables only." : "";
  throw createConfigError(key, `${describeUnknownKey(unknown, known, "field")}${advice}`);
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 500;
}

function isTokens(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1_000;
}
