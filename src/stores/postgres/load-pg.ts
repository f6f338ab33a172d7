/** Loads the driver for PostgreSQL when a store of that kind is opened. It is the user's to install, and nobody else's. */
import { PalimpsestError } from "../../core/errors.ts";

export type PgModule = typeof import("pg");

export async function loadPg(): Promise<PgModule> {
  try {
    return await import("pg");
  } catch (error) {
    if (!isMissing(error)) throw error;
    const text = "store: PostgreSQL needs the package pg, which is not installed. Run: npm install pg";
    throw new PalimpsestError("config-invalid", text, { cause: error, details: { key: "store" } });
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}
