/** Reads pages in a thread of their own: a page can be made so that its markup takes long, or more memory than there is. */
import type { Page } from "./fetch-link.ts";
import type { PageText } from "./read-page.ts";
import { BackgroundThread } from "./thread/background-thread.ts";

/** One for the process: pages are few. */
const thread = new BackgroundThread({ timeoutMs: 15_000, idleMs: 30_000, mostHeapMegabytes: 512 });

export async function readInThread(page: Page): Promise<PageText> {
  const answer = await thread.ask({ type: "page", page });
  if (answer.type === "page") return answer.page;
  throw new Error(answer.type === "failed" ? `it cannot be read: ${answer.reason}` : "it cannot be read");
}
