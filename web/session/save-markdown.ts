/** Saves a conversation as a file of Markdown. It is read page by page and written here; the server sends no page of it. */

import { readPage } from "../api/log.ts";
import { showEntries } from "../api/read-entries.ts";
import type { LogItem, SessionLine } from "../api/values.ts";
import { writeMarkdown } from "./write-markdown.ts";

const PAGE_ENTRIES = 500;

export async function saveMarkdown({ id, title, preview }: SessionLine): Promise<void> {
  const items: LogItem[] = [];
  for (let afterSeq = 0, isFull = true; isFull; ) {
    const page = await readPage(id, { afterSeq, limit: PAGE_ENTRIES });
    items.push(...showEntries(page.entries, { sessionId: id }));
    afterSeq = page.entries.at(-1)?.seq ?? afterSeq;
    isFull = page.isFull;
  }
  const url = URL.createObjectURL(new Blob([writeMarkdown(title || preview, items)], { type: "text/markdown" }));
  Object.assign(document.createElement("a"), { href: url, download: `${nameOf(title || preview)}.md` }).click();
  // A browser may still be reading it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function nameOf(title: string): string {
  return (
    title
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 60) || "conversation"
  );
}
