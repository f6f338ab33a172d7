/** Loads a server's surface for presets, apart from compose.ts, whose types must not lead to the server's. */
import type { DocumentSurface } from "../server/server-extension.ts";

export async function loadCompat(): Promise<DocumentSurface> {
  return (await import("../compat/open-compat.ts")).COMPAT;
}
