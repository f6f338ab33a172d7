/**
 * Finds the models that a server offers: those of every connection, the default first, and the models for summaries.
 * Unusable connections are left out with a message that says what to do. A default that was named and is unavailable is
 * an error and is never replaced silently.
 */
import { normalizeModelId } from "../core/budget/find-model.ts";
import { findFamily } from "../core/budget/model-family.ts";
import type { ModelCatalogue, ModelInfo } from "../core/budget/model-info.ts";
import { isObject } from "../core/check-value.ts";
import { connectModel, findMissingPackages } from "./connect-model.ts";
import { findCurrentModels } from "./current-models.ts";
import {
  type Connection,
  createConfigError,
  type Environment,
  findConnections,
  findKeyVariable,
  readVariable,
  type ServerConfig,
} from "./find-connections.ts";
import type { SdkModel } from "./offline-model-format.ts";

export interface FoundModel {
  /** Such as `anthropic:claude-sonnet-5`. */
  readonly id: string;
  readonly model: SdkModel;
}

export interface FoundModels {
  /** The first is the default. Empty if nothing is configured. */
  readonly models: readonly FoundModel[];
  /** Models for summaries, the cheapest first. */
  readonly summarizers: readonly SdkModel[];
  /** Finds a model by `connection:model`, or by a model's name alone. */
  readonly find: (wanted: string) => SdkModel | undefined;
  /** Information on models that the catalogue lacks. */
  readonly infos: Readonly<Record<string, Partial<ModelInfo>>>;
  /** Connections that cannot be used, and what to do about each. */
  readonly complaints: readonly string[];
}

export interface FindModelsOptions {
  readonly environment: Environment;
  readonly config: ServerConfig;
  readonly catalogue: ModelCatalogue;
  /** The default named in the call; it wins over every other. */
  readonly model?: string | undefined;
}

interface Offer {
  readonly connection: Connection;
  readonly ids: readonly string[];
  readonly small: string | undefined;
}

export async function findModels({ environment, config, catalogue, model }: FindModelsOptions): Promise<FoundModels> {
  const complaints: string[] = [];
  const connections = findConnections(environment, config).filter((connection) => {
    const missing = findMissingPackages(connection);
    if (missing.length > 0) complaints.push(describeMissing(connection, missing));
    return missing.length === 0;
  });
  const named = readVariable(environment, "PALIMPSEST_MODEL");
  const wanted = model ?? named ?? config.model;
  const offers = await Promise.all(connections.map((each) => buildOffer(each, catalogue, wanted, complaints)));
  const key = model !== undefined ? "--model" : named !== undefined ? "PALIMPSEST_MODEL" : "server.model";
  const chosen = wanted === undefined ? undefined : chooseWanted(wanted, key, offers, complaints);
  const models = listModels(offers, chosen);
  const find = (name: string) => {
    const found = findOffer(name, offers);
    return found && connectModel(found.offer.connection, found.modelId);
  };
  return { models, find, summarizers: findSummarizers(offers, models[0]), infos: describeWindows(offers), complaints };
}

function describeMissing({ openedBy }: Connection, missing: readonly string[]): string {
  const are = missing.length === 1 ? "is" : "are";
  return `${openedBy} is set, but ${missing.join(" and ")} ${are} not installed. Run: npm install ${missing.join(" ")}`;
}

async function buildOffer(
  connection: Connection,
  catalogue: ModelCatalogue,
  wanted: string | undefined,
  complaints: string[],
): Promise<Offer> {
  const { kind, modelIds, name, openedBy } = connection;
  if (kind !== "compatible") return { connection, ...findCurrentModels(kind, catalogue) };
  const ofItsOwn = wanted?.startsWith(`${name}:`) ? [wanted.slice(name.length + 1)] : [];
  const named = [...new Set([...ofItsOwn, ...modelIds])];
  if (named.length > 0) return { connection, ids: named, small: undefined };
  const served = await listServedModels(connection);
  if (served.type === "served") return { connection, ids: served.ids, small: undefined };
  complaints.push(
    `${openedBy} is set, but ${served.reason}. Start the server, or name one of its models with PALIMPSEST_MODEL.`,
  );
  return { connection, ids: [], small: undefined };
}

interface ModelChoice {
  readonly offer: Offer;
  readonly modelId: string;
}

/** Finds the connection for `connection:model` or for a model alone: one that lists it, else its vendor's by name. */
function findOffer(wanted: string, offers: readonly Offer[]): ModelChoice | undefined {
  const named = offers.find(({ connection }) => wanted.startsWith(`${connection.name}:`));
  if (named !== undefined) return { offer: named, modelId: wanted.slice(named.connection.name.length + 1) };
  const family = findFamily(normalizeModelId(wanted)).provider;
  const offer =
    offers.find(({ ids }) => ids.includes(wanted)) ??
    offers.find(({ connection }) => connection.kind !== "compatible" && connection.kind === family);
  return offer && { offer, modelId: wanted };
}

/** `key` is the option or variable that named the model. */
function chooseWanted(
  wanted: string,
  key: string,
  offers: readonly Offer[],
  complaints: readonly string[],
): ModelChoice {
  const found = findOffer(wanted, offers);
  if (found !== undefined) return found;
  const family = findFamily(normalizeModelId(wanted)).provider;
  const advice = complaints.length > 0 ? complaints : [adviseOnMissing(wanted, family, offers)];
  throw createConfigError(key, [`the model ${wanted} is not available.`, ...advice].join(" "));
}

const NOTHING_CONFIGURED =
  "No API key or model server is configured. Set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, OLLAMA_HOST or PALIMPSEST_BASE_URL.";

function adviseOnMissing(wanted: string, family: string, offers: readonly Offer[]): string {
  const variable = findKeyVariable(wanted.split(":")[0] ?? "") ?? findKeyVariable(family);
  const set = variable === undefined ? NOTHING_CONFIGURED : `Set ${variable} to your API key.`;
  const known = offers.flatMap(({ connection, ids }) => ids.map((id) => `${connection.name}:${id}`));
  if (known.length === 0) return set;
  return `${variable === undefined ? "" : `${set} `}Available: ${known.join(", ")}.`;
}

function listModels(offers: readonly Offer[], chosen: ModelChoice | undefined): readonly FoundModel[] {
  const all = offers.flatMap((offer) => offer.ids.map((modelId) => ({ offer, modelId })));
  const found = new Map<string, FoundModel>();
  for (const { offer, modelId } of chosen === undefined ? all : [chosen, ...all]) {
    const id = `${offer.connection.name}:${modelId}`;
    if (!found.has(id)) found.set(id, { id, model: connectModel(offer.connection, modelId) });
  }
  return [...found.values()];
}

/** Returns the small model of the default's vendor, then the default. */
function findSummarizers(offers: readonly Offer[], first: FoundModel | undefined): readonly SdkModel[] {
  if (first === undefined) return [];
  const offer = offers.find(({ connection }) => connection.name === first.model.provider);
  const { small } = offer ?? {};
  if (offer === undefined || small === undefined || small === first.model.modelId) return [first.model];
  return [connectModel(offer.connection, small), first.model];
}

function describeWindows(offers: readonly Offer[]): Readonly<Record<string, Partial<ModelInfo>>> {
  const rows = offers.flatMap(({ connection: { windowTokens }, ids }) =>
    windowTokens === undefined ? [] : ids.map((id) => [id, { windowTokens }] as const),
  );
  return Object.fromEntries(rows);
}

/** A local server answers at once or is not running. */
const TIMEOUT_MS = 1_500;
const MAX_BYTES = 1_000_000;
const MAX_MODELS = 50;

export type ServedModels =
  | { readonly type: "served"; readonly ids: readonly string[] }
  | { readonly type: "unknown"; readonly reason: string };

/** Lists the models of a server with OpenAI's API. The reason never names its address, which may contain a password. */
export async function listServedModels({ baseUrl, apiKey }: Connection): Promise<ServedModels> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) return { type: "unknown", reason: `the server answered with status ${response.status}` };
    const ids = text.length > MAX_BYTES ? [] : readIds(JSON.parse(text));
    return ids.length === 0 ? { type: "unknown", reason: "the server lists no models" } : { type: "served", ids };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return {
      type: "unknown",
      reason: isLate ? `the server did not answer within ${TIMEOUT_MS} ms` : "the server cannot be reached",
    };
  }
}

function readIds(answer: unknown): readonly string[] {
  const rows: readonly unknown[] = isObject(answer) && Array.isArray(answer.data) ? answer.data : [];
  const ids = rows.map((row) => (isObject(row) && typeof row.id === "string" ? row.id : ""));
  return ids.filter((id) => id !== "" && id.length <= 200).slice(0, MAX_MODELS);
}
