/** Lists the warnings of a prompt: a guessed window, unreadable messages, and files that are not shown. */
import type { SessionSnapshot } from "../state/find-need.ts";
import { describeShedFiles } from "./shed-files.ts";

export function listWarnings({ fullLimits, conversation, workspace }: SessionSnapshot): readonly string[] {
  const { shed = [], gone = [], unread = [] } = workspace?.gathered ?? {};
  return [
    fullLimits.warning,
    warnUnreadable(conversation.unreadableCount),
    workspace?.gathered.warning,
    shed.length === 0 ? undefined : describeShedFiles(shed),
    unread.length === 0 ? undefined : `These files could not be read and are not shown: ${unread.join(", ")}.`,
    gone.length === 0 ? undefined : `These files no longer exist, or may not be shown: ${gone.join(", ")}.`,
  ].filter((text) => text !== undefined);
}

function warnUnreadable(count: number): string | undefined {
  if (count === 0) return undefined;
  const [what, whose] = count === 1 ? ["1 message", "its"] : [`${count} messages`, "their"];
  return `${what} could not be read from the store; the prompt has a marker in ${whose} place.`;
}
