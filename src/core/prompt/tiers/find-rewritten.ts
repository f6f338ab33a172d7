/**
 * What a chosen file changes in the order that a provider knows. Its outline is not shown while it is itself, so the
 * tier that holds the outline has another text; and working files are one text, which is another one from the first
 * file on that is.
 */
import { keyOf, kindOf, pathOf, type TrackedItem } from "../../sections/tier.ts";
import type { TierTable } from "./tier-table.ts";

/** A file that is chosen now, and what it holds. */
type ChosenFile = Pick<TrackedItem, "key" | "hash">;

/** The outline of a file that is shown leaves its tier, and is not put back there when the file goes. */
export function dropCovered(table: TierTable, files: readonly ChosenFile[]): void {
  for (const { key } of files) {
    const outline = table.find(keyOf("symbol", pathOf(key)));
    if (outline !== undefined && outline.tier !== "active") table.move(outline, "active", { reason: "covered" });
  }
}

/** Tokens of the working files before the first one that is another now; undefined where all are as they were. */
export function findKeptTokens(table: TierTable, files: readonly ChosenFile[]): number | undefined {
  const now = new Map(files.map(({ key, hash }) => [key, hash]));
  const working = table.itemsIn("active").filter(({ key }) => kindOf(key) === "file");
  const gone = working.filter(({ key, hash }) => now.get(key) !== hash);
  const come = files.filter(({ key }) => table.find(key) === undefined);
  const [first] = [...gone, ...come].map(({ key }) => key).toSorted();
  if (first === undefined) return undefined;
  return working.reduce((sum, { key, tokens }) => (key < first ? sum + tokens : sum), 0);
}
