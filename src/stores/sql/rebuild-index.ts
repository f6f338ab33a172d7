/**
 * Recovers from a damaged search index. It holds nothing but what the texts contain, so it is rebuilt; searches and
 * deletions keep working meanwhile.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { SqlContext } from "./sql-context.ts";

const DAMAGE: ReadonlySet<unknown> = new Set(["corrupt", "changed"]);

/** Returns whether an error means damage, possibly only to the index. */
export function isDamageError(error: unknown): error is PalimpsestError {
  return error instanceof PalimpsestError && DAMAGE.has(error.details.reason);
}

/** Rebuilds the index and warns. Returns false if it cannot be rebuilt. */
export async function rebuildIndex({ indexer, warnings }: SqlContext, cause: PalimpsestError): Promise<boolean> {
  const isRebuilt = await indexer.rebuild();
  const effect = isRebuilt ? "it is being rebuilt, and searches take longer until then" : "searches take longer";
  warnings.warn(`The search index cannot be used: ${effect}. ${cause.message}`);
  return isRebuilt;
}

/** Runs a deletion, and once more if a damaged index or a full disk made it fail. */
export async function withIndexRecovery<Result>(sql: SqlContext, work: () => Promise<Result>): Promise<Result> {
  const remove = () => sql.withRoom?.(work) ?? work();
  try {
    return await remove();
  } catch (error) {
    if (!isDamageError(error) || !(await rebuildIndex(sql, error))) throw error;
    return remove();
  }
}
