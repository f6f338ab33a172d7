/** Whether a prompt tells its provider what to remember: as its request says, else as the policy does. */

import type { PromptRequest } from "../context/prompt-request.ts";
import type { SessionSnapshot } from "../state/find-need.ts";

interface Asked {
  readonly request: Pick<PromptRequest, "breakpoints">;
  readonly snapshot: Pick<SessionSnapshot, "settings">;
  /** A smaller view made for this request. */
  readonly passing?: unknown;
}

export function wantsBreakpoints({ request, snapshot, passing }: Asked): boolean {
  if (request.breakpoints !== undefined) return request.breakpoints;
  const { breakpoints = "always", enabled } = snapshot.settings;
  switch (breakpoints) {
    case "always":
      return true;
    case "never":
      return false;
    case "with-compaction":
      // A view that was made for one request because nothing could be written is not one that the next will have.
      return enabled && passing === undefined;
    default:
      return breakpoints satisfies never;
  }
}
