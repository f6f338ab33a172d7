/** Loads the driver `pg` when a PostgreSQL store is opened. It is an optional dependency. */
import { PalimpsestError } from "../../core/errors.ts";

export type PgModule = typeof import("pg");

export async function loadPg(): Promise<PgModule> {
  try {
    return await import("pg");
  } catch (error) {
    if (!isModuleMissing(error)) throw error;
    const text = "store: PostgreSQL needs the package pg, which is not installed. Run: npm install pg";
    throw new PalimpsestError("config-invalid", text, { cause: error, details: { key: "store" } });
  }
}

export function isModuleMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}
