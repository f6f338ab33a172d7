/** A policy as lines of a dotted name and a value, so that policies can be laid beside each other. */
import { type Fields, readFields } from "../api/fields.ts";
import { writeWhole } from "../ui/format.ts";

export interface SettingLine {
  readonly key: string;
  /** One for each policy, in their order. */
  readonly values: readonly string[];
}

/** Only what is not the same in all of them. */
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
  if (typeof value === "number") return value === Number.MAX_SAFE_INTEGER ? "no cap" : writeNumber(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(writeSetting).join("; ");
  const { type, ...rest } = readFields(value);
  const others = Object.entries(rest).map(([name, each]) => `${name} ${writeSetting(each).trim()}`);
  return [String(type ?? ""), ...others].join(", ");
}

function writeNumber(value: number): string {
  return Number.isInteger(value) ? writeWhole(value) : String(value);
}

export function sayLoss(current: Fields, { retention }: Fields): string {
  if (retention === current.retention || retention === "keep") return "";
  const left = retention === "tombstone" ? "Only their places stay." : "Nothing of them stays.";
  if (retention !== "tombstone" && retention !== "delete") return "";
  return `Messages that were summarised are deleted from the log. ${left} Undo does not bring them back, search does not find them, and an export does not hold them: save one first if you may need their words.`;
}
