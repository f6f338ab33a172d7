/** Pictures of the sample, which is folded more than once: the conversation, its strip, and the panels. */
import type { Page } from "playwright-core";
import type { StartedChat } from "../../test/support/start-chat.ts";
import { optionsOf, type Scene } from "./look.ts";

const TURNS = 45;

export interface PlayedSample {
  readonly url: string;
  readonly id: string;
}

export async function playSample({ server }: StartedChat): Promise<PlayedSample> {
  const { id } = (await server.ask("POST", "/api/sample", {})).body.session;
  for (let turn = 0; turn < TURNS; turn += 1) await server.ask("POST", `/api/sessions/${id}/sample/next`, {});
  return { url: server.url, id };
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Keys work only outside of text fields. */
async function leaveField(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.evaluate("document.activeElement?.blur()");
}

/** The steps share one page; each begins where the previous one ended. */
const SCREENS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  conversation: async (page) => {
    await page.locator(".message").first().waitFor();
    await page.locator(".strip .sheet").first().waitFor({ state: "attached" });
  },
  "a-layer-lifted": async (page) => {
    await page.getByRole("list", { name: "Messages of the log, by state" }).getByRole("button").first().focus();
    await page.keyboard.press("Home");
    await page.locator(".strip .sheet-lifted").first().waitFor({ state: "attached" });
  },
  folded: async (page) => {
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.locator('.message[data-fate="summarised"]').first().waitFor();
  },
  zoomed: async (page) => {
    await press(page, "Zoom in");
    await page.locator(".strip-range", { hasText: "–" }).waitFor();
  },
  "what-the-model-sees": async (page) => {
    await press(page, "Show the whole log");
    await press(page, "Inspect");
    await page.locator(".prompt-block").first().waitFor();
  },
  summaries: async (page) => {
    await page.getByRole("tab", { name: "Summaries" }).click();
    await page.locator(".summary-live").waitFor();
  },
  "source-messages": async (page) => {
    await page.locator(".summary-live").getByText("Source messages").click();
    const block = page.locator(".summary-live .prompt-block").first();
    await block.waitFor();
    await block.scrollIntoViewIfNeeded();
  },
  "why-not": async (page) => {
    await page.getByRole("tab", { name: "Message" }).click();
    await page.getByLabel("Why doesn't the model know that?").fill("furnace hall");
    await page.locator(".why-not li").first().waitFor();
  },
  usage: async (page) => {
    await page.getByRole("tab", { name: "Usage" }).click();
    await page.locator(".inspector-body h3").first().waitFor();
  },
  explain: async (page) => {
    await press(page, "Close");
    const message = page.locator('.message[data-seq="1"]');
    await message.focus();
    await message.getByRole("button", { name: "Explain" }).click();
    await page.locator(".explained").waitFor();
  },
  "message-tools": async (page) => {
    await press(page, "Close");
    await page.locator('.message[data-seq="3"]').focus();
  },
  quoted: async (page) => {
    await page.locator('.message[data-seq="3"]').getByRole("button", { name: "Quote" }).click();
    await page.locator(".quoted-messages li").waitFor();
  },
  "budget-details": async (page) => {
    await page.locator(".budget-text").click();
    await page.locator(".budget-details:popover-open").waitFor();
  },
  search: async (page) => {
    await leaveField(page);
    await page.keyboard.press("s");
    await page.locator("#search:focus").waitFor();
    await page.keyboard.type("furnace");
    await page.locator(".snippet mark").first().waitFor();
  },
  "search-without-match": async (page) => {
    await page.locator("#search").fill("walrus");
    await page.getByRole("status").filter({ hasText: "0 matches" }).waitFor();
  },
  menu: async (page) => {
    await page.locator("#search").fill("");
    await page.keyboard.press("Escape");
    await press(page, "Conversation menu");
    await page.locator(".menu:popover-open").waitFor();
  },
  keys: async (page) => {
    await leaveField(page);
    await page.keyboard.press("?");
    await page.locator("dialog.help[open]").waitFor();
  },
  palette: async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("co");
    await page.getByRole("option").nth(4).waitFor();
  },
  settings: async (page) => {
    await page.keyboard.press("Escape");
    await press(page, "Settings");
    await page.locator(".compare td").first().waitFor();
  },
  "settings-refused": async (page) => {
    await page.locator("#policy").fill('{ "preset": "default", "targetRatio": 7 }');
    await page.locator(".policy-checked", { hasText: "found 7" }).waitFor();
  },
};

export async function shootSample({ stage, look, shoot }: Scene, { url, id }: PlayedSample): Promise<void> {
  await using opened = await stage.open(url, optionsOf(look));
  const { page } = opened;
  await page.locator(".start-choice").first().waitFor();
  await shoot(page, "first-screen");
  await page.evaluate(`location.assign("#/sessions/${id}")`);
  for (const [name, go] of Object.entries(SCREENS)) {
    await go(page);
    await shoot(page, name);
  }
}
