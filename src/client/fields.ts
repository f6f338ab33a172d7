/** Reads fields of unknown values. A missing field, or one of another type, reads as empty. */
import { type Fields, isObject } from "../core/check-value.ts";

export type { Fields };

export function readFields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function findText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function readNumber(value: unknown): number {
  return findNumber(value) ?? 0;
}

export function findNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
