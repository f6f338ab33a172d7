/** `palimpsest init`: writes a configuration file with comments, and says which models it found. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readVariable } from "../../models/find-connections.ts";
import { CONFIG_FILE } from "../../policies/config-sources.ts";
import { POLICY_MEANINGS, SETTING_MEANINGS } from "../../policies/meanings.ts";
import { POLICY_NAMES, type PolicyName } from "../../policies/policy-input.ts";
import { isWritable, settingsOf, showSetting } from "../policies/policy-settings.ts";
import { ENGINE_OPTIONS, readEngineSetup } from "../setup/engine-setup.ts";
import { findHome, makeHome } from "../setup/find-home.ts";
import { HOME_OPTION, JSON_OPTION } from "../setup/store-options.ts";
import { type Command, CommandFailure, EXIT_CODES, type Invocation } from "../terminal/command.ts";
import { invalidCliOption, readChoice } from "../terminal/read-option.ts";
import { explainError } from "../terminal/terminal-text.ts";

export const command: Command = {
  usage: "init [--policy <name>] [--config <file>] [--json]",
  about: [
    "Writes a configuration file in which comments explain the settings that people change most, and says which models",
    "were found. An existing file is never changed. Keys stay in environment variables.",
    "palimpsest policies lists the policies; palimpsest config shows the settings in effect.",
  ],
  options: {
    policy: { value: "<name>", help: `${POLICY_NAMES.join(", ")}. Default: default.` },
    config: { value: "<file>", help: `Default: PALIMPSEST_CONFIG, else ${CONFIG_FILE} in the home folder.` },
    home: HOME_OPTION,
    json: JSON_OPTION,
  },
  positionalCount: [0, 0],
  examples: ["palimpsest init", "palimpsest init --policy workspace --config ./palimpsest.config.json"],
  async run(invocation) {
    const policy = readChoice(invocation, "policy", POLICY_NAMES) ?? "default";
    const path = await findFile(invocation);
    await writeNew(path, writeConfig(policy));
    const { found } = await readEngineSetup({
      ...invocation,
      text: (name) =>
        name === "config" ? path : Object.hasOwn(ENGINE_OPTIONS, name) ? invocation.text(name) : undefined,
    });
    const models = found.models.map(({ id }) => id);
    if (invocation.flag("json")) {
      return invocation.terminal.print(JSON.stringify({ path, policy, models, problems: found.complaints }));
    }
    await invocation.say(`Created ${path}`);
    await invocation.say(models.length === 0 ? NO_MODELS : `Models found: ${models.join(", ")}`);
    for (const complaint of found.complaints) invocation.terminal.note(complaint);
  },
};

const NO_MODELS =
  "No model was found, so the offline model answers and code writes summaries. Set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OLLAMA_HOST to connect one.";

async function findFile(invocation: Invocation): Promise<string> {
  const { text, terminal } = invocation;
  const named = text("config") ?? readVariable(terminal.environment, "PALIMPSEST_CONFIG");
  if (named !== undefined) return resolve(named);
  const home = findHome({ environment: terminal.environment, given: text("home") });
  await makeHome(home);
  return join(home, CONFIG_FILE);
}

/** Only the owner can read the file, as when the page writes it. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      const text = `${path} exists already and was not changed. Edit it, or name another file with --config.`;
      throw new CommandFailure(text, EXIT_CODES["session-exists"]);
    }
    throw invalidCliOption("config", `${path} cannot be written: ${explainError(error)}.`, error);
  }
}

/** The settings that people change most, by group. */
const OFTEN_CHANGED: Readonly<Record<string, readonly string[]>> = {
  "": ["triggerRatio", "triggerTokens", "retention"],
  tail: ["messages", "tokens"],
  summary: ["maxTokens", "headings", "modelPreference"],
  recall: ["enabled"],
};

function writeConfig(policy: PolicyName): string {
  const groups = Object.entries(OFTEN_CHANGED).flatMap(([group, fields]) => {
    const indent = group === "" ? "  " : "    ";
    const lines = fields.flatMap((field) => writeSetting(policy, group === "" ? field : `${group}.${field}`, indent));
    return group === "" ? ["", ...lines] : ["", `  "${group}": {`, ...lines, "  },"];
  });
  return `${[
    "// Configuration of Palimpsest: JSON with comments. Running servers follow changes of the policy.",
    "// palimpsest policies explain <setting> says what a setting means; palimpsest config shows the settings in effect.",
    "// If the policy is saved on the page, only these comments at the top stay.",
    "{",
    ...wrapComment(`The policy to start from. ${POLICY_MEANINGS[policy]}`, "  "),
    `  "preset": "${policy}",`,
    "",
    "  // Remove the slashes in front of a setting to change it. The values are those of the policy, or examples.",
    ...groups,
    "",
    "  // Models. Keys are read from environment variables, such as ANTHROPIC_API_KEY.",
    '  "server": {',
    "    // The default model.",
    '    // "model": "anthropic:claude-sonnet-5",',
    "    // Servers with OpenAI's protocol.",
    '    "connections": [',
    '      // { "name": "local", "baseUrl": "http://127.0.0.1:8000/v1", "models": ["qwen3"], "windowTokens": 40960 },',
    "    ],",
    "  },",
    "}",
  ].join("\n")}\n`;
}

/** For settings that the policy leaves open. */
const EXAMPLES: Readonly<Record<string, string>> = {
  triggerTokens: "24000",
  "tail.messages": "6",
  "tail.tokens": "4000",
  "summary.maxTokens": "2000",
  "recall.enabled": "true",
};

function writeSetting(policy: PolicyName, path: string, indent: string): readonly string[] {
  const shown = showSetting(settingsOf(policy), path);
  const value = isWritable(shown) ? shown : EXAMPLES[path];
  return [...wrapComment(SETTING_MEANINGS[path] ?? "", indent), `${indent}// "${path.split(".").at(-1)}": ${value},`];
}

const WIDTH = 110;

function wrapComment(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}// ${word}`);
  }
  return lines;
}
