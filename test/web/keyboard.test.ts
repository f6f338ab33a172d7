/**
 * The whole page by keyboard: every control is reachable, shows its focus, returns the focus, and has no accessibility
 * violation; on a desktop in light colors and on a phone in dark ones.
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { findAccessibilityViolations, SIZES } from "../support/open-page.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";

const MAX_STEPS = 120;
const stage = stagePage();

/** Closes the list of shortcuts and opens it again in one task, as can happen on a busy page. */
const CLOSE_AND_OPEN = `(() => {
  document.querySelector("dialog.help").dispatchEvent(new Event("cancel", { cancelable: true }));
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "/", ctrlKey: true }));
})()`;

/** Accessible name and visibility of the focused element. */
const READ_FOCUS = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return { name: "", isSeen: true };
  const style = getComputedStyle(element);
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  const { width, height } = element.getBoundingClientRect();
  const labels = [...(element.labels ?? [])].map((label) => label.textContent);
  const name = element.getAttribute("aria-label") ?? (labels.join(" ") || element.textContent || "");
  return { name: name.replace(/\\s+/g, " ").trim(), isSeen: (ring || style.boxShadow !== "none") && width * height > 0 };
})()`;

interface FocusedElement {
  readonly name: string;
  readonly isSeen: boolean;
}

const readFocus = (page: Page): Promise<FocusedElement> => page.evaluate(READ_FOCUS);

/** Tabs to a control; every control on the way has to show its focus. */
async function tabTo(page: Page, name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  for (let step = 0; step < MAX_STEPS; step += 1) {
    await page.keyboard.press(key);
    const focused = await readFocus(page);
    expect(focused, `the focus is seen at “${focused.name}”`).toMatchObject({ isSeen: true });
    if (name.test(focused.name)) return;
  }
  throw new Error(`${name} is not reached by ${key}.`);
}

async function expectFocus(page: Page, name: RegExp): Promise<void> {
  await expect.poll(async () => (await readFocus(page)).name).toMatch(name);
}

const cases = [
  { size: "desktop", colorScheme: "light" },
  { size: "phone", colorScheme: "dark" },
] as const;

test.each(cases)("the page works by keyboard on a $size in $colorScheme mode", async ({ size, colorScheme }) => {
  const script = [scriptedReplies.text("Under the **third** flowerpot."), scriptedReplies.text("Still there.")];
  await using chat = await stage.serve({ script });
  const options = { viewport: SIZES[size], colorScheme, reducedMotion: "reduce" } as const;
  await using opened = await stage.open(chat.server.url, options);
  const { page, problems } = opened;
  const isPhone = size === "phone";
  const clear = async (stop: string) => expect(await findAccessibilityViolations(page), stop).toEqual([]);

  // The first control skips the list of conversations.
  await page.locator(".start-choice").first().waitFor();
  await page.keyboard.press("Tab");
  await expectFocus(page, /Skip to conversation/);
  await clear("the first screen");
  await page.keyboard.press("Enter");
  await expectFocus(page, /^Chat/);
  await page.keyboard.press("Enter");

  // After a turn the composer has the focus.
  await expectFocus(page, /^Message$/);
  for (const text of ["Where is the key?", "And now?"]) {
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
    await page.locator(".message-assistant[data-seq]", { hasText: text === "And now?" ? "Still" : "Under" }).waitFor();
    await expectFocus(page, /^Message$/);
  }
  await clear("a conversation");

  // Letters move between messages; each message has its buttons.
  await tabTo(page, /^Clear context$/);
  await page.keyboard.press("k");
  await expectFocus(page, /Where is the key|Under the third|And now|Still there/);
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("k");
  await expectFocus(page, /Where is the key/);
  await tabTo(page, /^Pin$/);
  await page.keyboard.press("Enter");
  const first = page.locator('.message[data-seq="1"]');
  await expect.poll(() => first.getAttribute("data-fate")).toBe("pinned");
  await expectFocus(page, /^Unpin$/);
  await tabTo(page, /^Explain$/);
  await page.keyboard.press("Enter");
  await page.locator(".explained").waitFor();
  await expectFocus(page, /^Message$/);
  await clear("a message explained");

  // Arrows switch tabs; Escape returns the focus.
  await page.keyboard.press("ArrowLeft");
  await expectFocus(page, /^Summaries$/);
  await page.getByText("No summary yet").waitFor();
  await clear("summaries");
  await page.keyboard.press("ArrowLeft");
  await expectFocus(page, /^What the model sees$/);
  await page.locator(".prompt-block").first().waitFor();
  await clear("what the model sees");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(".inspector").count()).toBe(0);
  await expectFocus(page, /^Explain$/);

  // The strip can be used as a list.
  await tabTo(page, /1 message, pinned/);
  await page.locator(".spot-label").waitFor();
  await page.keyboard.press("ArrowDown");
  await expectFocus(page, /3 messages, word for word/);
  await clear("the strip");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement.dataset.seq")).toBeTruthy();

  // Undo removes the pin; the list of shortcuts opens and closes without moving the focus.
  await page.keyboard.press("/");
  await expectFocus(page, /^Message$/);
  await tabTo(page, /^Undo$/);
  await page.keyboard.press("Enter");
  await expect.poll(() => first.getAttribute("data-fate")).toBe("verbatim");
  await expectFocus(page, /^Undo$/);
  await page.keyboard.press("?");
  await page.locator("dialog.help[open]").waitFor();
  await expectFocus(page, /^Keyboard shortcuts$/);
  await clear("the keyboard shortcuts");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator("dialog.help[open]").count()).toBe(0);
  await expectFocus(page, /^Undo$/);
  // In the composer `?` is a character, and Ctrl with a slash opens the list.
  await page.keyboard.press("/");
  await expectFocus(page, /^Message$/);
  await page.keyboard.type("?");
  await page.keyboard.press("Control+/");
  await page.locator("dialog.help[open]", { hasText: "Ctrl /" }).waitFor();
  // A late close event of the first dialog does not close the second.
  await page.evaluate(CLOSE_AND_OPEN);
  await page.locator("dialog.help[open]").waitFor();
  await page.keyboard.press("Escape");
  await expectFocus(page, /^Message$/);
  expect(await page.inputValue("#composer")).toBe("?");
  await page.keyboard.press("Backspace");
  await tabTo(page, /^Undo$/);

  // The search in the list of conversations.
  if (isPhone) {
    await tabTo(page, /conversations/i, "Shift+Tab");
    await page.keyboard.press("Enter");
    await expectFocus(page, /^Search all messages/);
    await page.keyboard.press("Escape");
    await expectFocus(page, /^Conversations$/);
  }
  await page.keyboard.press("s");
  await expectFocus(page, /^Search all messages/);
  await page.keyboard.type("flowerpot");
  await page.locator(".snippet mark").first().waitFor();
  await clear("a search");
  await tabTo(page, /flowerpot/);
  await page.keyboard.press("Enter");
  await expectFocus(page, /^Assistant.*Under the third flowerpot/);

  // Deleting and undoing.
  await tabTo(page, /^Conversation menu$/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.locator(".menu:popover-open").waitFor();
  await clear("the menu");
  await tabTo(page, /^Delete$/);
  await page.keyboard.press("Enter");
  const bar = page.locator(".undo-bar");
  await bar.waitFor();
  await clear("deleted");
  await tabTo(page, /^Undo$/);
  await page.keyboard.press("Enter");
  await expect.poll(() => bar.count()).toBe(0);
  expect((await chat.server.ask("GET", "/api/sessions")).body.sessions).toHaveLength(1);
  expect(problems).toEqual([]);
});
