/** Puts the engine together. The only file that names concrete adapters. */
import { randomBytes } from "node:crypto";
import type { ModelInfo } from "./core/budget/model-info.ts";
import { FORMAT_NAMES, type FormatName } from "./core/message/formats/format.ts";
import { createCatalogue } from "./counters/create-catalogue.ts";
import { createCounters } from "./counters/create-counters.ts";
import { ANYTHING, checkOptions, invalidOption, oneOf, TEXT, TOKENS } from "./engine/check-options.ts";
import { createIds } from "./engine/create-ids.ts";
import type { EngineContext, SizeOptions } from "./engine/engine-context.ts";
import { createEmitter } from "./engine/events.ts";
import { type Fitted, fitHistory } from "./engine/fit.ts";
import type { FitState } from "./engine/fit-state.ts";
import { Palimpsest } from "./engine/palimpsest.ts";
import { findLimits, loadCounts } from "./engine/prompt-size.ts";
import { type PolicyInput, resolvePolicy } from "./policies/resolve-policy.ts";
import type { Clock } from "./ports/clock.ts";
import type { Ids } from "./ports/ids.ts";
import type { Store } from "./ports/store.ts";
import { createMemoryStore } from "./stores/memory/memory-store.ts";

export interface OpenOptions extends SizeOptions {
  /** `"memory:"`, or a store of your own. */
  readonly store?: string | Store | undefined;
  /** Whose sessions these are. Nothing of one tenant is seen by another. */
  readonly tenant?: string | undefined;
  readonly policy?: PolicyInput | undefined;
  /** What you know better of models, by id. */
  readonly models?: Readonly<Record<string, Partial<ModelInfo>>> | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: Ids | undefined;
}

const SIZE_RULES = { model: TEXT, counter: TEXT, budgetTokens: TOKENS, windowTokens: TOKENS, reserveTokens: TOKENS };
const SHARED_RULES = { ...SIZE_RULES, policy: ANYTHING, models: ANYTHING };
const OPEN_RULES = { ...SHARED_RULES, store: ANYTHING, tenant: TEXT, clock: ANYTHING, ids: ANYTHING };
const FIT_RULES = { ...SHARED_RULES, format: oneOf(...FORMAT_NAMES), state: ANYTHING };

export async function openPalimpsest(options: OpenOptions = {}): Promise<Palimpsest> {
  checkOptions(options, OPEN_RULES, "openPalimpsest");
  const store = openStore(options.store ?? "memory:");
  return new Palimpsest(createContext(options, store), store);
}

export interface FitOptions extends SizeOptions {
  readonly policy?: PolicyInput | undefined;
  readonly models?: Readonly<Record<string, Partial<ModelInfo>>> | undefined;
  /** The shape of the history, where it should not be told from the items. */
  readonly format?: FormatName | undefined;
  /** What the last call gave back: only messages after it are read. */
  readonly state?: FitState | undefined;
}

/** The same message shape out as in: pruned, folded, valid, inside the budget. */
export async function fit<Item>(history: readonly Item[], options: FitOptions = {}): Promise<Fitted<Item>> {
  checkOptions(options, FIT_RULES, "fit");
  const context = createContext(options, createMemoryStore());
  const [limits, counts] = await Promise.all([findLimits(context, {}), loadCounts(context, {})]);
  return fitHistory(history, {
    limits,
    counts,
    settings: context.settings,
    format: options.format,
    state: options.state,
  });
}

function createContext(options: Omit<OpenOptions, "store">, store: Store): EngineContext {
  const clock = options.clock ?? { now: () => Date.now() };
  const randomHex = (digits: number) =>
    randomBytes(Math.ceil(digits / 2))
      .toString("hex")
      .slice(0, digits);
  return {
    store: store.tenant(options.tenant ?? "local"),
    counters: createCounters(),
    catalogue: createCatalogue({ overrides: options.models }),
    clock,
    ids: options.ids ?? createIds({ clock, randomHex }),
    emitter: createEmitter(),
    settings: resolvePolicy(options.policy),
    defaults: checkSizes(options),
  };
}

function openStore(store: string | Store): Store {
  if (typeof store === "object" && typeof store.tenant === "function") return store;
  if (store === "memory:") return createMemoryStore();
  throw invalidOption("store", store, '"memory:" or a Store');
}

function checkSizes({ model, counter, budgetTokens, windowTokens, reserveTokens }: SizeOptions): SizeOptions {
  if (windowTokens !== undefined && reserveTokens !== undefined && reserveTokens > windowTokens) {
    throw invalidOption("reserveTokens", reserveTokens, `at most the windowTokens, ${windowTokens}`);
  }
  return { model, counter, budgetTokens, windowTokens, reserveTokens };
}
