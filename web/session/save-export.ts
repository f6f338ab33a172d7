/** Saves a conversation as the server exports it: by a link, or where a token has to go with it, from a copy. */
import { exportAddress, loadExport } from "../api/sessions.ts";
import { hasToken } from "../api/token.ts";
import { saveBytes, saveLink } from "./save-file.ts";

export async function saveExport(id: string): Promise<void> {
  if (!hasToken()) return saveLink(exportAddress(id), "");
  const { bytes, name } = await loadExport(id);
  saveBytes(bytes, name);
}
