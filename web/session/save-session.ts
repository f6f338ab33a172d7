/**
 * Saves a conversation as a file of Markdown. It is written from the same lines as every export, so that keys, tokens
 * and passwords leave it as they leave those: without their words.
 */
import { loadTakenBack } from "../api/changes.ts";
import { readExport } from "../api/read-export.ts";
import { exportAddress, loadExport } from "../api/sessions.ts";
import { hasToken } from "../api/token.ts";
import type { LogItem } from "../api/values.ts";
import { textOf } from "../chat/parts-of-message.ts";
import { writeMarkdown } from "./write-markdown.ts";

const LONGEST_NAME = 60;

export async function saveMarkdown(id: string): Promise<void> {
  const [{ title: given, items }, takenBack] = await Promise.all([readExport(id), loadTakenBack(id)]);
  const title = given || firstWords(items);
  const held = items.filter((item) => item.type === "message" || !takenBack.has(item.marker.id));
  saveBytes(new Blob([writeMarkdown(title, held)], { type: "text/markdown" }), `${nameOf(title)}.md`);
}

function firstWords(items: readonly LogItem[]): string {
  const first = items.find((item) => item.type === "message" && item.message.role === "user");
  return first?.type === "message" ? textOf(first.message).slice(0, LONGEST_NAME) : "";
}

function nameOf(title: string): string {
  return (
    title
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, LONGEST_NAME) || "conversation"
  );
}

export async function saveExport(id: string): Promise<void> {
  if (!hasToken()) return saveLink(exportAddress(id), "");
  const { bytes, name } = await loadExport(id);
  saveBytes(bytes, name);
}

/** Hands something to the browser to be saved as a file. */
export function saveLink(address: string, name: string): void {
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
}

export function saveBytes(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  saveLink(url, name);
  // A browser may still be reading it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
