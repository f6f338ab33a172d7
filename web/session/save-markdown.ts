/**
 * Saves a conversation as a file of Markdown. It is written from the same lines as every export, so that keys, tokens
 * and passwords leave it as they leave those: without their words.
 */
import { loadTakenBack } from "../api/change-past.ts";
import { readExport } from "../api/read-export.ts";
import type { LogItem } from "../api/values.ts";
import { textOf } from "../chat/parts-of-message.ts";
import { saveBytes } from "./save-file.ts";
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
