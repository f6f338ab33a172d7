/** Servers, pages and common steps for tests of the page. A phone has touch and no hover. */
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { type OpenedPage, openPage, type PageOptions, SIZES } from "./open-page.ts";
import { type StartChatOptions, type StartedChat, startChat } from "./start-chat.ts";

export type ScreenSize = keyof typeof SIZES;
export const BOTH_SIZES: readonly ScreenSize[] = ["desktop", "phone"];

export interface PageStage {
  /** Starts a server with the page; its provider has an empty script by default. */
  serve(options?: Partial<StartChatOptions>): Promise<StartedChat>;
  open(url: string, options?: OpenOptions): Promise<OpenedPage>;
  /** Opens the page on a new conversation. */
  openTalk(chat: StartedChat, options?: OpenOptions): Promise<OpenedPage>;
}

export type OpenOptions = PageOptions & { readonly size?: ScreenSize | undefined };

export interface StageParts {
  /** Folder of the stores. */
  readonly folder: string;
  /** Folder of the built page. */
  readonly built: string;
  readonly browser: () => Browser;
}

export function createStage({ folder, built, browser }: StageParts): PageStage {
  let stores = 0;
  const open: PageStage["open"] = (url, { size = "desktop", ...options } = {}) =>
    openPage(browser(), { url, ...HELD[size], ...options });
  return {
    serve(options) {
      stores += 1;
      const store = `sqlite:${join(folder, `chats-${stores}.db`)}`;
      return startChat({ script: [], page: built, store, ...options });
    },
    open,
    async openTalk(chat, options) {
      await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
      return open(`${chat.server.url}/#/sessions/talk`, options);
    },
  };
}

const HELD: Readonly<Record<ScreenSize, BrowserContextOptions>> = {
  desktop: { viewport: SIZES.desktop },
  phone: { viewport: SIZES.phone, hasTouch: true, isMobile: true },
};

export async function say(page: Page, text: string): Promise<void> {
  await page.fill("#composer", text);
  await page.press("#composer", "Enter");
}

/** Shows the buttons of a message, by hover or touch. */
export async function showMessageButtons(message: Locator, size: ScreenSize = "desktop"): Promise<void> {
  if (size === "desktop") await message.hover();
  else
    await message
      .locator(".message-head, .message-body")
      .first()
      .tap({ position: { x: 4, y: 4 } });
}

/** Opens the list of conversations, which is a drawer on a phone. */
export async function showHistory(page: Page, size: ScreenSize): Promise<void> {
  if (size === "phone") await page.getByRole("button", { name: "Conversations" }).tap();
}

export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Inspect" }).click();
  await page.getByRole("tab", { name }).click();
}

/** Returns alternating messages of user and assistant, numbered from 1. */
export function writeTalk(count: number, say: (number: number) => string): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `m${index + 1}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: say(index + 1),
  }));
}
