/**
 * Goes around a damaged index of words. It holds nothing that the texts do not say, so it is begun anew; nobody is kept
 * from searching or from taking text away because of it.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { SqlContext } from "./sql-context.ts";

const DAMAGE: ReadonlySet<unknown> = new Set(["corrupt", "changed"]);

/** Whether something of the database is not as it was made; the index may be what it is. */
export function isDamage(error: unknown): error is PalimpsestError {
  return error instanceof PalimpsestError && DAMAGE.has(error.details.reason);
}

/** Whether it was begun anew. Tells of it in both cases. */
export async function mendIndex({ indexer, warnings }: SqlContext, cause: PalimpsestError): Promise<boolean> {
  const isMended = await indexer.mend();
  const then = isMended ? "it is made again, and searches take longer until then" : "searches take longer";
  warnings.tell(`The index of words cannot be used: ${then}. ${cause.message}`);
  return isMended;
}

/** Work that takes text away, once more where the index or a full disk was what kept it from being done. */
export async function despiteIndex<Result>(sql: SqlContext, work: () => Promise<Result>): Promise<Result> {
  const remove = () => sql.withRoom?.(work) ?? work();
  try {
    return await remove();
  } catch (error) {
    if (!isDamage(error) || !(await mendIndex(sql, error))) throw error;
    return remove();
  }
}
