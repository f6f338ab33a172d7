/**
 * The models that a server offers: those of every connection that was found, the default first, and who writes the
 * summaries. What cannot be used is left out and told of in words that say what to do; a default that was asked for by
 * name and cannot be had is an error, because another in its place would be a surprise.
 */
import { canonicalModelId } from "../core/budget/canonical-model-id.ts";
import type { ModelCatalogue } from "../core/budget/model-catalogue.ts";
import { findFamily } from "../core/budget/model-family.ts";
import type { ModelInfo } from "../core/budget/model-info.ts";
import { connectModel, missingPackages } from "./connect-model.ts";
import type { Connection } from "./connection.ts";
import { currentModels } from "./current-models.ts";
import {
  type Environment,
  findConnections,
  invalid,
  keyVariableOf,
  read,
  type ServerConfig,
} from "./find-connections.ts";
import { listServedModels } from "./list-served-models.ts";
import type { SdkModel } from "./offline-model-prompt.ts";

export interface FoundModel {
  /** As `anthropic:claude-sonnet-5`. */
  readonly id: string;
  readonly model: SdkModel;
}

export interface FoundModels {
  /** The first is the default. None where nothing was set. */
  readonly models: readonly FoundModel[];
  /** Whoever writes summaries, the cheapest first. */
  readonly summarizers: readonly SdkModel[];
  /** A model by name, where there is a way to ask it: `connection:model`, or a model alone. */
  readonly find: (wanted: string) => SdkModel | undefined;
  /** What is known of models that no catalogue has. */
  readonly infos: Readonly<Record<string, Partial<ModelInfo>>>;
  /** What was set and cannot be used, and what to do about it. */
  readonly complaints: readonly string[];
}

export interface FindModelsOptions {
  readonly environment: Environment;
  readonly config: ServerConfig;
  readonly catalogue: ModelCatalogue;
  /** The default that was named in the call, before every other. */
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
    const missing = missingPackages(connection);
    if (missing.length > 0) complaints.push(sayMissing(connection, missing));
    return missing.length === 0;
  });
  const named = read(environment, "PALIMPSEST_MODEL");
  const wanted = model ?? named ?? config.model;
  const offers = await Promise.all(
    connections.map((connection) =>
      offerOf(connection, { catalogue, wanted, complain: (text) => complaints.push(text) }),
    ),
  );
  const key = model !== undefined ? "--model" : named !== undefined ? "PALIMPSEST_MODEL" : "server.model";
  const chosen = wanted === undefined ? undefined : chooseWanted(wanted, { key, offers, complaints });
  const models = listModels(offers, chosen);
  const find = (name: string) => {
    const found = findOffer(name, offers);
    return found && connectModel(found.offer.connection, found.modelId);
  };
  return { models, find, summarizers: findSummarizers(offers, models[0]), infos: describeWindows(offers), complaints };
}

function sayMissing({ openedBy }: Connection, missing: readonly string[]): string {
  const names = missing.join(" ");
  return `${openedBy} is set, but ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed. Run: npm install ${names}`;
}

interface Offering {
  readonly catalogue: ModelCatalogue;
  readonly wanted: string | undefined;
  readonly complain: (text: string) => void;
}

async function offerOf(connection: Connection, { catalogue, wanted, complain }: Offering): Promise<Offer> {
  const { kind, modelIds, name, openedBy } = connection;
  if (kind !== "compatible") return { connection, ...currentModels(kind, catalogue) };
  const ofItsOwn = wanted?.startsWith(`${name}:`) ? [wanted.slice(name.length + 1)] : [];
  const named = [...new Set([...ofItsOwn, ...modelIds])];
  if (named.length > 0) return { connection, ids: named, small: undefined };
  const served = await listServedModels(connection);
  if (served.type === "served") return { connection, ids: served.ids, small: undefined };
  complain(`${openedBy} is set, but ${served.reason}. Start it, or name one of its models with PALIMPSEST_MODEL.`);
  return { connection, ids: [], small: undefined };
}

interface Chosen {
  readonly offer: Offer;
  readonly modelId: string;
}

interface Choosing {
  /** Where it was asked for. */
  readonly key: string;
  readonly offers: readonly Offer[];
  readonly complaints: readonly string[];
}

/** `connection:model`, or a model alone: then one that lists it, else one whose vendor it is by its name. */
function findOffer(wanted: string, offers: readonly Offer[]): Chosen | undefined {
  const named = offers.find(({ connection }) => wanted.startsWith(`${connection.name}:`));
  if (named !== undefined) return { offer: named, modelId: wanted.slice(named.connection.name.length + 1) };
  const family = findFamily(canonicalModelId(wanted)).provider;
  const offer =
    offers.find(({ ids }) => ids.includes(wanted)) ??
    offers.find(({ connection }) => connection.kind !== "compatible" && connection.kind === family);
  return offer && { offer, modelId: wanted };
}

function chooseWanted(wanted: string, { key, offers, complaints }: Choosing): Chosen {
  const found = findOffer(wanted, offers);
  if (found !== undefined) return found;
  const family = findFamily(canonicalModelId(wanted)).provider;
  const advice = complaints.length > 0 ? complaints : [adviseOn(wanted, family, offers)];
  throw invalid(key, [`there is no way to ask ${wanted}.`, ...advice].join(" "));
}

function adviseOn(wanted: string, family: string, offers: readonly Offer[]): string {
  const variable = keyVariableOf(wanted.split(":")[0] ?? "") ?? keyVariableOf(family);
  const set =
    variable === undefined ? "No key or address of a model is set." : `Set ${variable} to a key of its vendor.`;
  const known = offers.flatMap(({ connection, ids }) => ids.map((id) => `${connection.name}:${id}`));
  if (known.length === 0) return set;
  return `${variable === undefined ? "" : `${set} `}There are: ${known.join(", ")}.`;
}

function listModels(offers: readonly Offer[], chosen: Chosen | undefined): readonly FoundModel[] {
  const all = offers.flatMap((offer) => offer.ids.map((modelId) => ({ offer, modelId })));
  const found = new Map<string, FoundModel>();
  for (const { offer, modelId } of chosen === undefined ? all : [chosen, ...all]) {
    const id = `${offer.connection.name}:${modelId}`;
    if (!found.has(id)) found.set(id, { id, model: connectModel(offer.connection, modelId) });
  }
  return [...found.values()];
}

/** The small one of whoever is asked by default, then that one itself. */
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
