/**
 * Loads what a server offers for the documents of presets. It stands apart from compose.ts, whose types the package
 * exports: those of the server would lead programs to the types of the AI SDK.
 */
import type { DocumentSurface } from "../server/server-extension.ts";

export async function loadCompat(): Promise<DocumentSurface> {
  return (await import("../compat/open-compat.ts")).COMPAT;
}
