/** Loads the server's extension for presets. Not in compose.ts, so that its types do not depend on the server's. */
import type { DocumentSurface } from "../server/server-extension.ts";

export async function loadCompat(): Promise<DocumentSurface> {
  return (await import("../compat/open-compat.ts")).COMPAT;
}
