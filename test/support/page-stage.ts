/**
 * Where the page is played: servers whose stores are files of one folder, pages as a person holds them, and the steps
 * that many tests share. A phone is touched and does not hover.
 */
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { type OpenedPage, openPage, SIZES } from "./open-page.ts";
import { type StartChat, type StartedChat, startChat } from "./start-chat.ts";

export type Size = keyof typeof SIZES;
export const BOTH_SIZES: readonly Size[] = ["desktop", "phone"];

export interface PageStage {
  /** A server with the page on it; the provider says nothing unless told. */
  serve(options?: Partial<StartChat>): Promise<StartedChat>;
  open(url: string, options?: OpenOptions): Promise<OpenedPage>;
  /** On a conversation that is made for it. */
  openTalk(chat: StartedChat, options?: OpenOptions): Promise<OpenedPage>;
}

export type OpenOptions = BrowserContextOptions & { readonly size?: Size | undefined };

export interface StageParts {
  /** For the stores. */
  readonly folder: string;
  /** Where the page was built. */
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

const HELD: Readonly<Record<Size, BrowserContextOptions>> = {
  desktop: { viewport: SIZES.desktop },
  phone: { viewport: SIZES.phone, hasTouch: true, isMobile: true },
};

export async function say(page: Page, text: string): Promise<void> {
  await page.fill("#composer", text);
  await page.press("#composer", "Enter");
}

/** Brings out what can be done with a message: the pointer over it, or a finger on it. */
export async function reach(message: Locator, size: Size = "desktop"): Promise<void> {
  if (size === "desktop") await message.hover();
  else
    await message
      .locator(".message-head, .message-body")
      .first()
      .tap({ position: { x: 4, y: 4 } });
}

/** Where a phone hides the list of conversations, it is opened first. */
export async function showHistory(page: Page, size: Size): Promise<void> {
  if (size === "phone") await page.getByRole("button", { name: "Conversations" }).tap();
}

export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Look inside" }).click();
  await page.getByRole("tab", { name }).click();
}

/** Messages of somebody and an assistant in turn, numbered from 1. */
export function writeTalk(count: number, say: (number: number) => string): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `m${index + 1}`,
    role: index % 2 === 0 ? "user" : "assistant",
    content: say(index + 1),
  }));
}
