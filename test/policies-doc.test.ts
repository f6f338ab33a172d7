/**
 * Compares docs/policies.md with the tables of the policies: every setting, trigger, renderer and key of a document has
 * its range and its default, and the six policies have the documented numbers. docs/compaction.md leaves out no
 * trigger, step or rule. `npm run check` runs this file.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { GateTerms } from "../src/core/plan/economic-gate.ts";
import type { PlanSettings } from "../src/core/plan/plan-settings.ts";
import type { StepName } from "../src/core/plan/proposal.ts";
import { SUMMARY_RULES } from "../src/core/summary/answers/accept-summary.ts";
import { mergeSources } from "../src/policies/config-sources.ts";
import { DEFAULT_POLICY } from "../src/policies/default-policy.ts";
import { DOCUMENT_KEYS, ENVIRONMENT_KEYS } from "../src/policies/document-keys.ts";
import { POLICY_MEANINGS, SETTING_MEANINGS } from "../src/policies/meanings.ts";
import { POLICY_NAMES, type PolicyInput, type PresetName } from "../src/policies/policy-input.ts";
import { PRESETS, UNCAPPED_TOKENS } from "../src/policies/presets.ts";
import { buildVariableName } from "../src/policies/read-environment.ts";
import type { SettingRule } from "../src/policies/setting-rule.ts";
import { listPaths } from "../src/policies/settings-table.ts";
import { RENDERER, TRIGGERS } from "../src/policies/variant-rule.ts";
import { resolvePolicy } from "./support/core-values.ts";
import { repositoryRoot } from "./support/read-repository.ts";

const STEPS: readonly StepName[] = ["summarise", "prune", "truncate", "shrink-tail", "cut", "unpin"];

const GATE_TERMS: readonly (keyof GateTerms)[] = [
  "removedTokens",
  "addedTokens",
  "keptTokens",
  "expectedRequests",
  "readRatio",
  "writeRatio",
  "summarizerCost",
];

const read = (path: string): string => readFileSync(join(repositoryRoot, path), "utf8");
const policies = read("docs/policies.md");

type Row = readonly string[];

/** Returns the rows of every table below a heading, up to the next heading, without header rows. */
function rowsBelow(heading: string): readonly Row[] {
  const [, after = ""] = policies.split(`\n${heading}\n`);
  const [section = ""] = after.split(/^#+ /m);
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  const rows = lines.map((line) => line.split("|").slice(1, -1));
  return rows
    .map((cells) => cells.map((cell) => cell.trim()))
    .filter((_, index) => !isRule(rows[index]) && !isRule(rows[index + 1]));
}

function isRule(row: Row | undefined): boolean {
  return row?.every((cell) => /^\s*:?-+:?\s*$/.test(cell)) ?? false;
}

const codes = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

const ABSENT = "—";

/** Parses the value in a cell. */
function readValue(cell: string): unknown {
  if (cell === ABSENT) return undefined;
  if (cell === "no cap") return UNCAPPED_TOKENS;
  const [code] = codes(cell);
  return code === undefined ? cell : JSON.parse(code);
}

/** The words for common ranges, as the document explains them. */
const RANGES = new Map(
  [
    ...policies
      .replaceAll(/\s+/g, " ")
      .matchAll(/[*_](ratio|count|number|flag)[*_](?: is)? (a (?:whole )?number[^,]*|true or false)/g),
  ].map(([, word = "", range = ""]) => [word, range] as const),
);

const rangeOf = (cell: string): string => RANGES.get(cell) ?? cell.replaceAll("`", "");

function settingAt(settings: PlanSettings, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => {
    return typeof value === "object" && value !== null
      ? Object.entries(value).find(([name]) => name === key)?.[1]
      : undefined;
  }, settings);
}

describe("docs/policies.md", () => {
  const settings = new Map(rowsBelow("## Settings").map(([name = "", ...rest]) => [codes(name)[0] ?? name, rest]));

  test("explains the four words for ranges", () => {
    expect([...RANGES.keys()]).toEqual(["ratio", "count", "number", "flag"]);
  });

  test("has every setting of the table and no other, in its order", () => {
    expect([...settings.keys()]).toEqual(listPaths().map(([path]) => path));
  });

  test.each(listPaths())("has the meaning, the allowed values and the default of %s", (path, rule) => {
    const [means = "", allowed = "", value = ""] = settings.get(path) ?? [];
    expect(means).toBe(SETTING_MEANINGS[path]);
    expect(rangeOf(allowed)).toBe(rule.allowed);
    if (path === "triggers") expect(value).toContain("#triggers");
    else expect(readValue(value)).toEqual(settingAt(DEFAULT_POLICY, path));
  });

  test("has the triggers of the default policy", () => {
    const lists = jsonBlocks(policies).filter((block) => Array.isArray(block));
    expect(lists).toEqual([DEFAULT_POLICY.triggers]);
  });

  test.each([
    ["### Triggers", kindsOf(TRIGGERS.schema.items)],
    ["### Renderers", kindsOf(RENDERER.schema)],
  ] as const)("lists the kinds and their fields below %s", (heading, kinds) => {
    const listed = rowsBelow(heading).map(([type = "", , fields = ""]) => [codes(type)[0], codes(fields)]);
    expect(listed).toEqual(kinds);
  });

  test.each(POLICY_NAMES)("says what %s does", (name) => {
    const said = POLICY_MEANINGS[name];
    const [, item = ""] = policies.replaceAll(/\s+/g, " ").split(`- **\`${name}\`** `);
    expect(item.toLowerCase()).toContain(said.toLowerCase());
  });

  test("compares the six policies wherever they differ", () => {
    const all = POLICY_NAMES.map((name) => resolvePolicy(name));
    const isPolicyRow = ({ length }: Row) => length === 1 + POLICY_NAMES.length;
    const differingRows = rowsBelow("## The six policies").filter(isPolicyRow);
    const differing = listPaths().filter(([path]) => {
      const values = all.map((each) => JSON.stringify(settingAt(each, path)));
      return !["name", "triggers", "summary.renderer"].includes(path) && new Set(values).size > 1;
    });
    expect(differingRows.map(([name = ""]) => codes(name)[0])).toEqual(differing.map(([path]) => path));
    for (const [name = "", ...cells] of differingRows) {
      const path = codes(name)[0] ?? "";
      expect([path, ...cells.map(readValue)]).toEqual([path, ...all.map((each) => settingAt(each, path))]);
    }
  });

  test("names every trigger of every policy, and only numbers that the policy has", () => {
    const rows = new Map(
      rowsBelow("## The six policies").map(([name = "", triggers = ""]) => [codes(name)[0], triggers]),
    );
    const numbersOf = (text: string): readonly number[] =>
      [...text.replaceAll(",000", "000").matchAll(/[\d.]*\d/g)].map(([number]) => Number(number));
    for (const name of POLICY_NAMES) {
      const { triggers } = resolvePolicy(name);
      const documented = rows.get(name) ?? "";
      for (const { type } of triggers) expect(documented).toContain(`\`${type}\``);
      const known = triggers.flatMap((trigger) => Object.values(trigger)).filter((value) => typeof value === "number");
      expect(known).toEqual(expect.arrayContaining([...numbersOf(documented)]));
    }
  });

  test("has every key of every document with its range and a default that changes nothing", () => {
    const rows = rowsBelow("## The documents' own keys");
    const keysOf = (preset: string) =>
      Object.entries<{ readonly rule: SettingRule }>(DOCUMENT_KEYS[preset as PresetName]);
    const all = Object.keys(PRESETS).flatMap((preset) =>
      keysOf(preset).map(([key, { rule }]) => ({ preset, key, rule })),
    );
    expect(rows.map(([preset = "", key = ""]) => [...codes(preset), ...codes(key)])).toEqual(
      all.map(({ preset, key }) => [preset, key]),
    );
    for (const [index, { preset, key, rule }] of all.entries()) {
      const [, , , allowed = "", value = ""] = rows[index] ?? [];
      expect([key, rangeOf(allowed)]).toEqual([key, rule.allowed]);
      const written = { preset, [key]: readValue(value) } as PolicyInput;
      expect(resolvePolicy(written), key).toEqual(resolvePolicy(preset as PresetName));
    }
  });

  test("names the environment variables, and the settings that have none", () => {
    const [, section = ""] = policies.split("- **Environment.**");
    const [, sentence = ""] =
      /Lists are separated by commas\. ([^.]+(?:\.\w+[^.]*)*) cannot be set/.exec(section) ?? [];
    const silent = listPaths().flatMap(([path, { fromText }]) => (fromText === undefined ? [path] : []));
    expect(codes(sentence)).toEqual(silent);
    expect(section).toContain(`\`${buildVariableName("summary.maxTokens")}\``);
    for (const key of Object.keys(ENVIRONMENT_KEYS)) expect(policies).toContain(`\`${key}\``);
  });

  test("shows only valid configuration files", () => {
    const files = jsonBlocks(policies).filter((block) => !Array.isArray(block));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(() => mergeSources({ file })).not.toThrow();
  });
});

function jsonBlocks(markdown: string): readonly unknown[] {
  return [...markdown.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => JSON.parse(text));
}

interface KindSchema {
  readonly properties: { readonly type: { readonly const: string } };
}

/** Returns each kind with its fields, from the schema that is generated from the rules. */
function kindsOf(schema: unknown): readonly (readonly [string, readonly string[]])[] {
  const { anyOf } = schema as { readonly anyOf: readonly KindSchema[] };
  return anyOf.map(({ properties }) => {
    return [properties.type.const, Object.keys(properties).filter((key) => key !== "type")] as const;
  });
}

describe("docs/compaction.md", () => {
  const compaction = read("docs/compaction.md");

  test.each([
    ["trigger", kindsOf(TRIGGERS.schema.items).map(([type]) => type)],
    ["rule for an answer", Object.keys(SUMMARY_RULES)],
    ["step", STEPS],
    ["term of the gate", GATE_TERMS],
  ] as const)("has a row for every %s", (_, names) => {
    const first = compaction
      .split("\n")
      .flatMap((line) => (line.startsWith("|") ? codes(line.split("|")[1] ?? "") : []));
    expect(names.filter((name) => !first.includes(name))).toEqual([]);
  });
});
