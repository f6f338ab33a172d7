/**
 * Saves a session as a file: the server's export, or Markdown that is written from the same export, so that secrets
 * are redacted in it too.
 */
import { loadUndoneIds } from "../api/changes.ts";
import { readExport } from "../api/log.ts";
import { exportAddress, loadExport } from "../api/sessions.ts";
import { hasToken } from "../api/token.ts";

import { type LogItem, textOf } from "../api/values.ts";
import { writeMarkdown } from "./write-markdown.ts";

const MAX_NAME_CHARACTERS = 60;

export async function saveMarkdown(id: string): Promise<void> {
  const [{ title: given, items }, undone] = await Promise.all([readExport(id), loadUndoneIds(id)]);
  const title = given || firstWords(items);
  const shown = items.filter((item) => item.type === "message" || !undone.has(item.marker.id));
  saveBytes(new Blob([writeMarkdown(title, shown)], { type: "text/markdown" }), `${fileNameOf(title)}.md`);
}

function firstWords(items: readonly LogItem[]): string {
  const first = items.find((item) => item.type === "message" && item.message.role === "user");
  return first?.type === "message" ? textOf(first.message).slice(0, MAX_NAME_CHARACTERS) : "";
}

function fileNameOf(title: string): string {
  return (
    title
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, MAX_NAME_CHARACTERS) || "conversation"
  );
}

export async function saveExport(id: string): Promise<void> {
  if (!hasToken()) return downloadFile(exportAddress(id), "");
  const { bytes, name } = await loadExport(id);
  saveBytes(bytes, name);
}

export function downloadFile(address: string, name: string): void {
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
}

export function saveBytes(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  downloadFile(url, name);
  // The browser may still be reading the file.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
