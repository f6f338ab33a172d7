/** `palimpsest config`: the configuration in effect, the source of each part, and what it changes. */
import { existsSync } from "node:fs";
import { createPolicySource } from "../../policies/config-sources.ts";
import { openPolicies } from "../../policies/policy-file.ts";
import { describeChanges } from "../policies/policy-settings.ts";
import { findServer, SERVER_OPTION, withServer } from "../setup/connect-server.ts";
import { ENGINE_OPTIONS, readEngineSetup } from "../setup/engine-setup.ts";
import { isMissing, readStoreAddress } from "../setup/store-options.ts";
import { alignColumns } from "../terminal/align-columns.ts";
import type { Command, Invocation } from "../terminal/command.ts";
import { hideCredentials } from "../terminal/terminal-text.ts";

/** The configuration is the same for all tenants. */
const { tenant: _, ...OPTIONS } = ENGINE_OPTIONS;

export const command: Command = {
  usage: "config [--config <file>] [--server <url>] [--json]",
  about: [
    "Shows the configuration that palimpsest serve and the other commands use: home folder, store, file, variables,",
    "models, and the settings that differ from the named policy. With --server: that server's policy and models.",
    "Keys are never shown. palimpsest init writes a configuration file.",
  ],
  options: { ...OPTIONS, server: SERVER_OPTION },
  positionalCount: [0, 0],
  examples: ["palimpsest config", "palimpsest config --json", "palimpsest config --server http://127.0.0.1:7420"],
  async run(invocation) {
    const shown = findServer(invocation) === undefined ? await readOwn(invocation) : await readRemote(invocation);
    if (invocation.flag("json")) return invocation.terminal.print(JSON.stringify(shown));
    for (const line of alignColumns(listRows(shown))) await invocation.say(line);
    for (const text of shown.warnings ?? []) invocation.terminal.note(text);
  },
};

interface ShownConfig {
  readonly home?: string;
  readonly store?: { readonly address: string; readonly exists: boolean };
  readonly file?: { readonly path: string; readonly exists: boolean };
  readonly sources: readonly { readonly type: string; readonly names?: readonly string[] | undefined }[];
  readonly models: readonly string[];
  readonly summarizers?: readonly string[];
  readonly policy: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
}

async function readOwn(invocation: Invocation): Promise<ShownConfig> {
  const { environment } = invocation.terminal;
  const { home, configFile: path, found, unknownVariables } = await readEngineSetup(invocation);
  const store = readStoreAddress(invocation);
  return {
    home,
    store: { address: hideCredentials(store), exists: !(await isMissing(store)) },
    file: { path, exists: existsSync(path) },
    sources: openPolicies({ configFile: path, environment }).sources(),
    models: found.models.map(({ id }) => id),
    summarizers: found.summarizers.map(({ provider, modelId }) => `${provider}:${modelId}`),
    policy: { ...createPolicySource({ path, environment }).current() },
    warnings: [...found.complaints, ...unknownVariables],
  };
}

async function readRemote(invocation: Invocation): Promise<ShownConfig> {
  const { policy, sources, models } = await withServer(invocation, {}, ({ client }) => client.readSettings());
  return { policy, sources, models: models.map(({ id }) => id) };
}

function listRows({ home, store, file, sources, models, summarizers, policy }: ShownConfig) {
  const variables = sources.flatMap(({ names = [] }) => names);
  const [first = "", ...others] = describeChanges(policy);
  return [
    ...(home === undefined ? [] : [["home", home]]),
    ...(store === undefined ? [] : [["store", `${store.address}${store.exists ? "" : " (not created yet)"}`]]),
    ...(file === undefined
      ? []
      : [["file", `${file.path}${file.exists ? "" : " (none; palimpsest init writes one)"}`]]),
    ["variables", variables.length === 0 ? "none" : variables.join(", ")],
    ["models", models.length === 0 ? "offline: it quotes earlier messages" : models.join(", ")],
    ...(summarizers === undefined ? [] : [["summaries", [...summarizers, "code"].join(", then ")]]),
    ["policy", String(policy.name)],
    ...(first === "" ? [] : [["changed", first], ...others.map((line) => ["", line])]),
  ];
}
