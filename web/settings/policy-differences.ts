/** Differences between policies: as rows of a dotted name and a value for each, and data that a policy would delete. */
import { type Fields, readFields } from "../../src/client/fields.ts";
import { formatNumber } from "../ui/format.ts";

export interface SettingLine {
  readonly key: string;
  /** One value for each policy. */
  readonly values: readonly string[];
}

/** Settings that are not the same in all policies. */
export function listDifferences(policies: readonly Fields[]): readonly SettingLine[] {
  const flat = policies.map((policy) => new Map(flatten(policy)));
  const keys = [...new Set(flat.flatMap((each) => [...each.keys()]))].filter((key) => key !== "name");
  return keys
    .map((key) => ({ key, values: flat.map((each) => each.get(key) ?? ABSENT) }))
    .filter(({ values }) => new Set(values).size > 1);
}

export const ABSENT = "—";

function flatten(fields: Fields, before = ""): readonly (readonly [string, string])[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const key = `${before}${name}`;
    const isGroup = typeof value === "object" && value !== null && !Array.isArray(value) && !("type" in value);
    return isGroup ? flatten(readFields(value), `${key}.`) : [[key, writeSetting(value)] as const];
  });
}

function writeSetting(value: unknown): string {
  if (value === undefined) return ABSENT;
  if (typeof value === "number") return value === Number.MAX_SAFE_INTEGER ? "no limit" : writeNumber(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(writeSetting).join("; ");
  const { type, ...rest } = readFields(value);
  const others = Object.entries(rest).map(([name, each]) => `${name} ${writeSetting(each).trim()}`);
  return [String(type ?? ""), ...others].join(", ");
}

function writeNumber(value: number): string {
  return Number.isInteger(value) ? formatNumber(value) : String(value);
}

/** Describes the data that another policy would delete; empty if none. */
export function describeLoss(current: Fields, { retention }: Fields): string {
  if (retention === current.retention || retention === "keep") return "";
  const rest =
    retention === "tombstone" ? "Only ids, roles, counts and hashes are kept." : "Only ids, roles and counts are kept.";
  if (retention !== "tombstone" && retention !== "delete") return "";
  return `Summarized messages are deleted from the log. ${rest} Undo cannot restore them, search does not find them, and exports do not contain them. Export conversations that you may need first.`;
}
