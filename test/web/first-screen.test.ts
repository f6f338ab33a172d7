/** The first screen: its three buttons, its size in bytes, themes and small screens. */
import { describe, expect, test } from "vitest";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { say } from "../support/page-stage.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";

const stage = stagePage();

test("the first screen is smaller than its size limit", () => {
  expect(stage.buildOutput()).toMatch(/first screen: \d+\.\d kB of 250\.0 kB/);
});

/** keyboard.test.ts checks the others: a desktop in light colors and a phone in dark ones. */
const THEMES = [
  { size: "desktop", colorScheme: "dark" },
  { size: "phone", colorScheme: "light" },
] as const;

describe.each(THEMES)("the first screen on a $size in the $colorScheme theme", ({ size, colorScheme }) => {
  test("has three buttons and no accessibility violation", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.open(chat.server.url, { size, colorScheme });
    const choices = opened.page.locator(".start-choice strong");
    await expect.poll(() => choices.allTextContents()).toEqual(["Chat", "Open the sample", "Import a transcript"]);
    const dropping = opened.page.getByText("You can also drop the file here.");
    expect(await dropping.isVisible()).toBe(size === "desktop");
    expect(await findAccessibilityViolations(opened.page)).toEqual([]);
    expect(opened.problems).toEqual([]);
  });
});

describe("the first screen", () => {
  test("imports a transcript in another format", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.open(chat.server.url);
    const messages = [
      { role: "user", content: "Where is the key?" },
      { role: "assistant", content: "Under the third flowerpot." },
    ];
    const buffer = Buffer.from(JSON.stringify({ messages }));
    const chosen = opened.page.waitForEvent("filechooser");
    await opened.page.getByRole("button", { name: "Import a transcript" }).click();
    await (await chosen).setFiles({ name: "keys.json", mimeType: "application/json", buffer });
    await opened.page.locator(".message-assistant", { hasText: "third flowerpot" }).waitFor();
    expect(await opened.page.locator("h1").textContent()).toBe("keys");
    expect(opened.problems).toEqual([]);
  });
});

describe("the user's preference", () => {
  test("for a theme is read from the system, can be changed, and is applied before the page is drawn", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.open(chat.server.url, { colorScheme: "dark" });
    const { page, problems } = opened;
    const paper = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    const dark = await paper();
    await page.getByRole("button", { name: "Theme: system" }).click();
    await expect.poll(paper).not.toBe(dark);
    const light = await paper();
    // Read before the page's script runs, so that the other theme never flashes.
    await page.addInitScript({
      content: `new MutationObserver((_, observer) => {
        if (document.body === null) return;
        observer.disconnect();
        window.first = document.documentElement.dataset.theme;
      }).observe(document, { childList: true, subtree: true });`,
    });
    await page.reload();
    await page.locator(".start-choice").first().waitFor();
    expect(await page.evaluate("window.first")).toBe("light");
    expect(await paper()).toBe(light);
    await page.getByRole("button", { name: "Theme: light" }).click();
    await expect.poll(paper).toBe(dark);
    expect(problems).toEqual([]);
  });

  test("for reduced motion turns off all transitions", async () => {
    await using chat = await stage.serve();
    await using opened = await stage.open(chat.server.url, { reducedMotion: "reduce" });
    await opened.page.locator(".start-choice").first().waitFor();
    const moving =
      "document.querySelectorAll('*').values().filter(e => getComputedStyle(e).transitionDuration.split(', ').some(d => parseFloat(d) > 0)).toArray().length";
    expect(await opened.page.evaluate(moving)).toBe(0);
    await using usual = await stage.open(chat.server.url);
    await usual.page.locator(".start-choice").first().waitFor();
    expect(await usual.page.evaluate(moving)).toBeGreaterThan(0);
  });
});

describe("the page on a screen of 320 pixels", () => {
  test("never scrolls sideways, neither with a conversation nor with the inspector or a dialog", async () => {
    await using chat = await stage.serve({ script: [scriptedReplies.text("Yes.")] });
    const viewport = { width: 320, height: 640 };
    await using opened = await stage.open(chat.server.url, { size: "phone", viewport });
    const { page, problems } = opened;
    const width = () => page.evaluate("document.documentElement.scrollWidth");
    const boxOf = async (selector: string) => {
      const { x, width: wide } = (await page.locator(selector).first().boundingBox()) ?? { x: -1, width: 999 };
      return { left: x, right: x + wide };
    };
    const inside = async (selector: string, frame = { left: 0, right: 320 }) => {
      const { left, right } = await boxOf(selector);
      expect(left >= frame.left && right <= frame.right, selector).toBe(true);
    };
    await page.locator(".start-choice").first().waitFor();
    expect(await width()).toBe(320);
    await page.getByRole("button", { name: /^Chat/ }).tap();
    await page.locator(".empty").waitFor();
    expect(await width()).toBe(320);
    // With a message, the strip uses some of the width.
    await say(page, "Does it fit?");
    await page.locator(".message-assistant[data-seq]").waitFor();
    await page.locator(".strip-pane").waitFor();
    const tools = await boxOf(".composer-tools");
    for (const tool of ["Image", "Compact", "Undo", "Clear context", "Send"]) {
      await inside(`.composer-tools button:has-text("${tool}")`, tools);
    }
    expect(await width()).toBe(320);
    await page.getByRole("button", { name: "Inspect" }).tap();
    await page.locator(".inspector").waitFor();
    await inside(".inspector");
    await page.getByRole("tab", { name: "Workspace" }).tap();
    await inside(".tabs [aria-selected=true]");
    await page.getByRole("button", { name: "Close", exact: true }).tap();
    await page.getByRole("button", { name: "Settings" }).tap();
    await inside("dialog.sheet");
    expect(await width()).toBe(320);
    expect(problems).toEqual([]);
  });
});
