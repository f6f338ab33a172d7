/** Whether a session is the bundled sample, which the server names so that it can be told. */
import type { SessionLine } from "../api/values.ts";

export function isSample({ id }: SessionLine): boolean {
  return id.startsWith("sample-");
}
