/**
 * What an engine is opened with, so that a command does to a session what the server would do to it: the home folder, the
 * configuration file, the models and who writes summaries.
 */
import { existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { PalimpsestError } from "../core/errors.ts";
import { loadCatalogue } from "../counters/create-catalogue.ts";
import type { OpenOptions } from "../index.ts";
import { type FoundModels, findModels } from "../models/find-models.ts";
import { OFFLINE_MODEL_ID } from "../models/offline-model.ts";
import { readServerConfig } from "../models/read-server-config.ts";
import { CONFIG_FILE, readConfigFile } from "../policies/config-sources.ts";
import type { CommandOption, Invocation } from "./command.ts";
import { describeFailure } from "./describe-failure.ts";
import { findHome } from "./find-home.ts";
import { findUnknownVariables } from "./find-unknown-variables.ts";
import { HOME_OPTION, STORE_OPTIONS } from "./store-options.ts";

/** Small enough to see compactions in an afternoon's chat; the offline model itself would take anything. */
const OFFLINE_WINDOW_TOKENS = 16_384;

export const ENGINE_OPTIONS: Readonly<Record<string, CommandOption>> = {
  ...STORE_OPTIONS,
  home: HOME_OPTION,
  config: { type: "string", value: "<file>", help: "Policy and models; palimpsest.config.json in the home folder." },
};

export interface EngineSetup {
  readonly home: string;
  readonly configFile: string;
  readonly found: FoundModels;
  /** What is set in the environment and read by nothing, in sentences. */
  readonly unknownVariables: readonly string[];
  readonly engine: Pick<
    OpenOptions,
    "model" | "models" | "summarizer" | "findSummarizer" | "configFile" | "environment"
  >;
}

export interface SetupOptions {
  /** The default model that was named in the call. */
  readonly model?: string | undefined;
}

export async function readEngineSetup(
  { text, terminal: { environment } }: Invocation,
  { model }: SetupOptions = {},
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

/** A file that was named and is not there would mean the defaults, in silence. */
async function requireFile(path: string): Promise<void> {
  await access(path).catch((error: unknown) => {
    const reason = `${path} cannot be read: ${describeFailure(error)}.`;
    throw new PalimpsestError("config-invalid", `--config: ${reason}`, { details: { key: "config" }, cause: error });
  });
}

function modelsOf({
  models,
  summarizers,
  find,
  infos,
}: FoundModels): Pick<OpenOptions, "model" | "models" | "summarizer" | "findSummarizer"> {
  const offline = { [OFFLINE_MODEL_ID]: { windowTokens: OFFLINE_WINDOW_TOKENS, maxOutputTokens: 1_024 } };
  return {
    model: models[0]?.model.modelId ?? OFFLINE_MODEL_ID,
    models: { ...offline, ...infos },
    summarizer: summarizers.length === 0 ? "offline" : summarizers,
    findSummarizer: find,
  };
}
