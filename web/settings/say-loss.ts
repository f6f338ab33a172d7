/** What is lost for good under another policy and is kept under this one; empty where nothing is. */
import type { Fields } from "../api/fields.ts";

export function sayLoss(current: Fields, { retention }: Fields): string {
  if (retention === current.retention || retention === "keep") return "";
  const left = retention === "tombstone" ? "Only their places stay." : "Nothing of them stays.";
  if (retention !== "tombstone" && retention !== "delete") return "";
  return `Messages that were summarised are deleted from the log. ${left} Undo does not bring them back, search does not find them, and an export does not hold them: save one first if you may need their words.`;
}
