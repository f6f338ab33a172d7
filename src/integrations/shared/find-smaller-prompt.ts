/** Handles a provider that refuses a prompt as too long. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Prompt } from "../../engine/prompt/prompt.ts";
import type { Session } from "../../engine/session/session.ts";

/** A prompt that the provider refuses as too long is made smaller at most this often. */
export const MAX_SMALLER = 3;

/** Returns undefined if the error does not say that the prompt was too long. */
export async function findSmallerPrompt(
  session: Session,
  { error, promptId }: { readonly error: unknown; readonly promptId: string },
): Promise<Prompt | undefined> {
  try {
    return await session.refused(error, { promptId });
  } catch (thrown) {
    if (thrown instanceof PalimpsestError && thrown.code === "not-too-long") return undefined;
    throw thrown;
  }
}
