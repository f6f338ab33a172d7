/** Reads pages in a separate thread: hostile markup can take a long time or exhaust the memory. */

import { BackgroundThread } from "../thread/background-thread.ts";
import type { Page } from "./fetch-link.ts";
import type { PageText } from "./read-page.ts";

/** One thread for the process, because pages are few. */
const thread = new BackgroundThread({ timeoutMs: 15_000, idleMs: 30_000, maxHeapMegabytes: 512 });

export async function readInThread(page: Page): Promise<PageText> {
  const answer = await thread.run({ type: "page", page });
  if (answer.type === "page") return answer.page;
  throw new Error(answer.type === "failed" ? `it cannot be read: ${answer.reason}` : "it cannot be read");
}
