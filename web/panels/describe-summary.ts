/** What a summary saved, who wrote it at what cost, why, and whether it was checked: sentences of a person. */
import type { Summary } from "../api/values.ts";
import { sayReasonWhole } from "../ui/describe-reason.ts";
import { writeCost, writeCount, writeShare, writeWhole } from "../ui/format.ts";

export function sayFigures(summary: Summary): string {
  const { tokensBefore, tokensAfter, author, isEdited, costUsd, reason } = summary;
  const size = `${writeWhole(tokensBefore)} → ${writeCount(tokensAfter, "token")}`;
  const cost = costUsd === undefined || costUsd === 0 ? "at no cost" : `for ${writeCost(costUsd)}`;
  const written = isEdited ? "edited by hand" : `written by ${author}, ${cost}`;
  return [`${size}, ${written}.`, sayReasonWhole(reason), sayChecked(summary)].filter((said) => said !== "").join(" ");
}

function sayChecked({ verification, isEdited }: Summary): string {
  if (verification === undefined) return isEdited ? "What somebody writes is not checked." : "It was not checked.";
  const { score, claims, restored, removedClaims } = verification;
  const mended = `${writeWhole(restored)} put back, ${writeWhole(removedClaims)} removed`;
  return `Checked: ${writeShare(score)} of ${writeCount(claims, "claim")} held, ${mended}.`;
}
