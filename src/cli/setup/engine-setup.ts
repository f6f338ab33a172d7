/** The engine's options from the home folder, the configuration file and the environment, as the server reads them. */
import { existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { findNearest } from "../../core/check-value.ts";
import { listWords } from "../../core/language/list-words.ts";
import { loadCatalogue } from "../../counters/create-catalogue.ts";
import type { OpenOptions } from "../../index.ts";
import { type FoundModels, findModels } from "../../models/find-models.ts";
import { OFFLINE_MODEL_ID } from "../../models/offline-model.ts";
import { readServerConfig } from "../../models/read-server-config.ts";
import { CONFIG_FILE, readConfigFile } from "../../policies/config-sources.ts";
import { type Environment, listVariables } from "../../policies/read-environment.ts";
import type { CommandOption, Invocation } from "../terminal/command.ts";
import { invalidCliOption } from "../terminal/read-option.ts";
import { explainError } from "../terminal/terminal-text.ts";
import { findHome } from "./find-home.ts";
import { HOME_OPTION, STORE_OPTIONS } from "./store-options.ts";

/** Small, so that compactions can be seen in a short chat; the offline model itself has no limit. */
const OFFLINE_WINDOW_TOKENS = 16_384;

export const ENGINE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...STORE_OPTIONS,
  home: HOME_OPTION,
  config: { value: "<file>", help: "Policy and models. Default: palimpsest.config.json in the home folder." },
};

export interface EngineSetup {
  readonly home: string;
  readonly configFile: string;
  readonly found: FoundModels;
  readonly unknownVariables: readonly string[];
  readonly engine: ReturnType<typeof modelsOf> & Pick<OpenOptions, "configFile" | "environment">;
}

export async function readEngineSetup(
  { text, terminal: { environment } }: Invocation,
  model?: string | undefined,
): Promise<EngineSetup> {
  const home = findHome({ environment, given: text("home") });
  const named = text("config") ?? environment.PALIMPSEST_CONFIG;
  const configFile = named ?? join(home, CONFIG_FILE);
  if (named !== undefined) await requireFile(named);
  const file = named !== undefined || existsSync(configFile) ? readConfigFile(configFile) : undefined;
  const config = readServerConfig(file);
  const found = await findModels({ environment, config, catalogue: await loadCatalogue(), model });
  const keys = config.connections.flatMap(({ keyVariable }) => keyVariable ?? []);
  const unknownVariables = findUnknownVariables(environment, keys);
  return { home, configFile, found, unknownVariables, engine: { ...modelsOf(found), configFile, environment } };
}

/** A named file that is missing must not silently mean the defaults. */
async function requireFile(path: string): Promise<void> {
  await access(path).catch((error: unknown) => {
    throw invalidCliOption("config", `${path} cannot be read: ${explainError(error)}.`, error);
  });
}

function modelsOf({ models, summarizers, find, infos }: FoundModels) {
  const offline = { [OFFLINE_MODEL_ID]: { windowTokens: OFFLINE_WINDOW_TOKENS, maxOutputTokens: 1_024 } };
  return {
    model: models[0]?.model.modelId ?? OFFLINE_MODEL_ID,
    models: { ...offline, ...infos },
    summarizer: summarizers.length === 0 ? ("offline" as const) : summarizers,
    findSummarizer: find,
  };
}

const PREFIX = "PALIMPSEST_";
/** Variables that the commands and the search for models read. */
const OWN = listWords(
  "HOME STORE CONFIG PORT TOKENS SERVER TOKEN MODEL BASE_URL API_KEY WINDOW_TOKENS SESSION_ENTRIES IMPORT_MESSAGES GATEWAY_OPENAI_KEY GATEWAY_ANTHROPIC_KEY",
);

/** Finds unknown variables with the product's prefix, except `named` ones. A misspelled one would be ignored. */
export function findUnknownVariables(environment: Environment, named: readonly string[]): readonly string[] {
  const settings = listVariables().filter((name) => name.startsWith(PREFIX));
  const known = [...OWN, ...settings.map((name) => name.slice(PREFIX.length))];
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !named.includes(name));
  return unknown
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => !known.includes(name))
    .map((name) => {
      const nearest = findNearest(name, known);
      const advice =
        nearest === undefined
          ? "docs/serve.md and docs/policies.md list the variables."
          : `Did you mean ${PREFIX}${nearest}?`;
      return `${PREFIX}${name} is set, but nothing reads it. ${advice}`;
    });
}
