/** `palimpsest policies`: lists the named policies, compares them, explains a setting, checks a configuration file. */
import { readServerConfig } from "../../models/read-server-config.ts";
import { createPolicySource, readConfigFile } from "../../policies/config-sources.ts";
import { POLICY_MEANINGS, SETTING_MEANINGS } from "../../policies/meanings.ts";
import { POLICY_NAMES, type PolicyName } from "../../policies/policy-input.ts";
import { buildVariableName } from "../../policies/read-environment.ts";
import { listPaths } from "../../policies/settings-table.ts";
import { describeChanges, findPolicy, listDifferences, settingsOf, showSetting } from "../policies/policy-settings.ts";
import { JSON_OPTION } from "../setup/store-options.ts";
import { alignColumns } from "../terminal/align-columns.ts";
import { type Command, CommandFailure, EXIT_USAGE, type Invocation } from "../terminal/command.ts";

export const command: Command = {
  usage: "policies [compare <policy>… | explain <policy or setting> | validate <file>] [--json]",
  about: [
    "Without arguments: the named policies, a sentence each. A policy decides when and how sessions compact.",
    "  compare    the settings in which the policies, or those that you name, differ",
    "  explain    what a policy does and its settings, or what a setting means and which values it may have",
    "  validate   checks a configuration file without using it; the exit code is 2 if something is wrong",
  ],
  options: { json: JSON_OPTION },
  positionalCount: [0, 1 + POLICY_NAMES.length],
  examples: [
    "palimpsest policies compare default ratio-chain",
    "palimpsest policies explain tail.messages",
    "palimpsest policies validate ./palimpsest.config.json",
  ],
  async run(invocation) {
    const [verb, ...names] = invocation.positionals;
    const [name] = names;
    if (verb === undefined) return listPolicies(invocation);
    if (verb === "compare") return compare(invocation, names.length === 0 ? POLICY_NAMES : names.map(requirePolicy));
    if (names.length !== 1 || name === undefined) throw wrongUsage();
    if (verb === "explain") return explain(invocation, name);
    if (verb === "validate") return validate(invocation, name);
    throw wrongUsage();
  },
};

function wrongUsage(): CommandFailure {
  return new CommandFailure(`Expected: palimpsest ${command.usage}`, EXIT_USAGE);
}

function requirePolicy(given: string): PolicyName {
  const name = findPolicy(given);
  if (name !== undefined) return name;
  throw new CommandFailure(`Unknown policy ${given}. The policies are ${POLICY_NAMES.join(", ")}.`, EXIT_USAGE);
}

async function listPolicies({ flag, terminal, say }: Invocation): Promise<void> {
  const rows = POLICY_NAMES.map((name) => ({ name, means: POLICY_MEANINGS[name] }));
  if (flag("json")) return terminal.print(JSON.stringify(rows));
  for (const line of alignColumns(rows.map(({ name, means }) => [name, means]))) await say(line);
}

async function compare({ flag, terminal, say }: Invocation, names: readonly PolicyName[]): Promise<void> {
  const policies = names.map(settingsOf);
  const rows = listDifferences(policies).map((path) => [
    path,
    ...policies.map((settings) => showSetting(settings, path)),
  ]);
  if (flag("json"))
    return terminal.print(JSON.stringify(Object.fromEntries(names.map((name) => [name, settingsOf(name)]))));
  for (const line of alignColumns([["setting", ...names], ...rows.filter(isShort)])) await say(line);
  for (const [path = "", ...values] of rows.filter((row) => !isShort(row))) {
    await say("");
    await say(path);
    for (const line of alignColumns(names.map((name, index) => [`  ${name}`, values[index] ?? ""]))) await say(line);
  }
}

const MAX_CELL = 24;

/** Long values, such as lists of triggers, get a line each. */
function isShort(row: readonly string[]): boolean {
  return row.every((cell, index) => index === 0 || cell.length <= MAX_CELL);
}

async function explain(invocation: Invocation, given: string): Promise<void> {
  const name = findPolicy(given);
  return name === undefined ? explainSetting(invocation, given) : explainPolicy(invocation, name);
}

async function explainPolicy({ flag, terminal, say }: Invocation, name: PolicyName): Promise<void> {
  const settings = settingsOf(name);
  if (flag("json")) return terminal.print(JSON.stringify({ name, means: POLICY_MEANINGS[name], settings }));
  await say(`${name}: ${POLICY_MEANINGS[name]}`);
  await say("");
  for (const line of alignColumns(listPaths().map(([path]) => [path, showSetting(settings, path)]))) await say(line);
}

async function explainSetting({ flag, terminal, say }: Invocation, path: string): Promise<void> {
  const found = listPaths().filter(([each]) => each === path || each.startsWith(`${path}.`));
  if (found.length === 0) {
    const { findNearest } = await import("../../core/check-value.ts");
    const nearest = findNearest(path, [...POLICY_NAMES, ...listPaths().map(([each]) => each)]);
    const advice =
      nearest === undefined ? "palimpsest policies explain default lists them." : `Did you mean ${nearest}?`;
    throw new CommandFailure(`There is no policy or setting ${path}. ${advice}`, EXIT_USAGE);
  }
  const rows = found.map(([each, { allowed, fromText }]) => ({
    setting: each,
    means: SETTING_MEANINGS[each] ?? "",
    allowed,
    variable: fromText === undefined ? undefined : buildVariableName(each),
    values: Object.fromEntries(POLICY_NAMES.map((name) => [name, showSetting(settingsOf(name), each)])),
  }));
  if (flag("json")) return terminal.print(JSON.stringify(rows));
  for (const { setting, means, allowed, variable, values } of rows) {
    await say(`${setting}: ${means}`);
    await say(`  allowed: ${allowed}`);
    if (variable !== undefined) await say(`  variable: ${variable}`);
    for (const line of alignColumns(Object.entries(values).map(([name, value]) => [`  ${name}`, value])))
      await say(line);
  }
}

/** Reads the file as `palimpsest serve` does, without variables. */
async function validate({ flag, terminal, say }: Invocation, path: string): Promise<void> {
  readServerConfig(readConfigFile(path));
  const policy = createPolicySource({ path }).current();
  if (flag("json")) return terminal.print(JSON.stringify({ type: "valid", path, policy }));
  await say(`${path} is valid. Policy: ${policy.name}`);
  for (const line of describeChanges(policy)) await say(`  ${line}`);
}
