/** Reads JSON of data sets. A value of an unexpected shape is read as empty. */
import { readdirSync, readFileSync } from "node:fs";

export type Json = Readonly<Record<string, unknown>>;

/** Returns the sorted names of the JSON files of a folder; an empty list if there is no such folder. */
export function listJson(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

export function readJson(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
}

export function objectOf(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
