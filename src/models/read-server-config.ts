/**
 * The `server` part of a configuration file: which model is the default, and servers of OpenAI's protocol by name. It is
 * read when the server starts. A key has no place in it; what looks like one is refused without being repeated.
 */
import { type ConnectionConfig, checkUrl, invalid, type ServerConfig } from "./find-connections.ts";

const NOTHING: ServerConfig = { connections: [] };
const KEYS = ["model", "connections"];
const CONNECTION_KEYS = ["name", "baseUrl", "models", "keyVariable", "windowTokens"];
/** Such a name would hide a vendor's own. */
const TAKEN = ["anthropic", "openai", "google", "ollama", "compatible", "offline"];

export function readServerConfig(file: unknown): ServerConfig {
  const part = isRecord(file) ? file.server : undefined;
  if (part === undefined) return NOTHING;
  const server = requireRecord(part, "server", KEYS);
  const { model, connections = [] } = server;
  if (model !== undefined && !isWord(model)) throw invalid("server.model", "expected the name of a model.");
  if (!Array.isArray(connections)) throw invalid("server.connections", "expected a list.");
  return { model, connections: connections.map(readConnection) };
}

function readConnection(row: unknown, index: number): ConnectionConfig {
  const key = `server.connections[${index}]`;
  const { name, baseUrl, models = [], keyVariable, windowTokens } = requireRecord(row, key, CONNECTION_KEYS);
  if (!isWord(name) || !/^[a-z][a-z0-9-]{0,30}$/.test(name) || TAKEN.includes(name)) {
    throw invalid(`${key}.name`, `expected a short name in small letters that is none of ${TAKEN.join(", ")}.`);
  }
  if (!isWord(baseUrl)) throw invalid(`${key}.baseUrl`, "expected the address of a server of OpenAI's protocol.");
  if (!Array.isArray(models) || !models.every(isWord)) throw invalid(`${key}.models`, "expected a list of names.");
  if (keyVariable !== undefined && !(isWord(keyVariable) && /^[A-Z][A-Z0-9_]*$/.test(keyVariable))) {
    throw invalid(`${key}.keyVariable`, "expected the name of the variable that holds the key, not the key.");
  }
  if (windowTokens !== undefined && !isTokens(windowTokens)) {
    throw invalid(`${key}.windowTokens`, "expected a whole number from 1000 on.");
  }
  return { name, baseUrl: checkUrl(baseUrl, `${key}.baseUrl`), models, keyVariable, windowTokens };
}

function requireRecord(value: unknown, key: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw invalid(key, `expected an object with ${known.join(", ")}.`);
  if (Object.keys(value).every((name) => known.includes(name))) return value;
  throw invalid(key, `expected nothing but ${known.join(", ")}. Keys of models are read from variables only.`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 500;
}

function isTokens(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1_000;
}
