import { PalimpsestError } from "../../core/errors.ts";
import type { Floor } from "../../core/plan/proposal.ts";

/** The floor that a `does-not-fit` names. */
export function floorOfError(error: unknown): Floor | undefined {
  if (!(error instanceof PalimpsestError) || error.code !== "does-not-fit") return undefined;
  return error.details.floor as Floor;
}
