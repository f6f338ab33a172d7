/** The JSON schema of a configuration file, built from the tables that files are read by. */
import type { JsonObject } from "../core/message/json.ts";
import { SETTING_MEANINGS } from "./meanings.ts";
import { POLICY_NAMES, type PolicyName } from "./policy-input.ts";
import { listDocumentKeys } from "./policy-layer.ts";
import type { SettingRule } from "./setting-rule.ts";
import { isGroup, SETTINGS, type SettingGroup } from "./settings-table.ts";

/** The JSON schema of configuration files. */
export const CONFIG_SCHEMA: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Configuration of Palimpsest",
  anyOf: [{ enum: POLICY_NAMES }, ...POLICY_NAMES.map(policySchema)],
  $defs: Object.fromEntries([...SETTINGS].map(([key, entry]) => [key, entrySchema(key, entry)])),
};

function policySchema(name: PolicyName): JsonObject {
  const properties = settingProperties(name);
  return {
    type: "object",
    properties: {
      $schema: { type: "string" },
      server: { type: "object" },
      preset: { const: name },
      ...properties,
      models: { type: "object", additionalProperties: { type: "object", properties, additionalProperties: false } },
    },
    required: name === "default" ? [] : ["preset"],
    additionalProperties: false,
  };
}

function settingProperties(name: PolicyName): JsonObject {
  const settings = [...SETTINGS.keys()].map((key) => [key, { $ref: `#/$defs/${key}` }]);
  const ofDocument = [...listDocumentKeys(name)].map(([key, { rule }]) => [key, documentKeySchema(key, rule)]);
  return Object.fromEntries([...settings, ...ofDocument]);
}

/** If a document's key is also the name of a setting, accepts both: the document's value and the setting's group. */
function documentKeySchema(key: string, rule: SettingRule): JsonObject {
  return SETTINGS.has(key) ? { anyOf: [rule.schema, { $ref: `#/$defs/${key}` }] } : rule.schema;
}

function entrySchema(key: string, entry: SettingRule | SettingGroup): JsonObject {
  if (!isGroup(entry)) return describe(key, entry);
  const fields = Object.entries(entry.fields).map(([name, rule]) => [name, describe(`${key}.${name}`, rule)]);
  const group: JsonObject = { type: "object", properties: Object.fromEntries(fields), additionalProperties: false };
  return entry.mayBeOff ? { anyOf: [{ const: false }, group] } : group;
}

/** Adds what the setting does, which editors show. */
function describe(path: string, { schema }: SettingRule): JsonObject {
  return { ...schema, description: SETTING_MEANINGS[path] ?? "" };
}
