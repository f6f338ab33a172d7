/** Images of a message: added, uploaded, sent and shown. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { say } from "../support/page-stage.ts";
import { PIXEL } from "../support/pixel.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";

const stage = stagePage();

const BYTES = Buffer.from(PIXEL, "base64");

describe("images", () => {
  test("can be chosen, dropped or pasted, up to five, and then removed or sent", async () => {
    await using chat = await stage.serve({ script: [scriptedReplies.text("A dot.")] });
    await using opened = await stage.openTalk(chat);
    const { page, problems } = opened;
    const shelf = page.getByRole("list", { name: "Images of this message" }).getByRole("listitem");
    const named = (name: string) => ({ name, mimeType: "image/png", buffer: BYTES });
    await page.getByLabel("Images", { exact: true }).setInputFiles([named("one.png"), named("two.png")]);
    await expect.poll(() => shelf.count()).toBe(2);
    for (const kind of ["paste", "drop"]) await addFile(page, kind);
    await expect.poll(() => shelf.count()).toBe(4);
    await page.getByLabel("Images", { exact: true }).setInputFiles([named("five.png"), named("six.png")]);
    await page.getByText("A message can have at most 5 images; the others were not added.").waitFor();
    await expect.poll(() => shelf.count()).toBe(5);
    const note = { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("no image") };
    await page.getByLabel("Images", { exact: true }).setInputFiles(note);
    await page.getByText("note.txt is not a PNG, JPEG, GIF or WebP image.").waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    for (const name of ["two.png", "paste.png", "drop.png"]) {
      await page.getByRole("button", { name: `Remove ${name}` }).click();
    }
    await say(page, "What is this?");
    await page.locator(".message-assistant[data-seq]", { hasText: "A dot." }).waitFor();
    const pictures = page.locator(".message-user[data-seq] img.picture");
    await expect.poll(() => pictures.count()).toBe(2);
    const width = () => page.evaluate("document.querySelector('.message-user img.picture').naturalWidth");
    await expect.poll(width).toBe(1);
    expect(await shelf.count()).toBe(0);
    expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).toContain(PIXEL);
    expect(problems).toEqual([]);
  });
});

describe("images of a message that was not sent", () => {
  const CHAT = "**/api/chat";
  const shelfOf = (page: Page) => page.getByRole("list", { name: "Images of this message" }).getByRole("listitem");
  const choose = (page: Page, names: readonly string[]) =>
    page
      .getByLabel("Images", { exact: true })
      .setInputFiles(names.map((name) => ({ name, mimeType: "image/png", buffer: BYTES })));
  const written = (page: Page) => page.inputValue("#composer");
  const names = (page: Page) =>
    shelfOf(page)
      .locator("img")
      .evaluateAll((all) => all.map(({ alt }) => alt));

  test("are restored with its text if it was too large, if the server could not be reached, and after a reload or a move to another conversation", async () => {
    await using chat = await stage.serve({ script: () => scriptedReplies.text("A dot.") });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    await choose(page, ["one.png", "two.png"]);
    await expect.poll(() => shelfOf(page).count()).toBe(2);
    await say(page, "y".repeat(1_100_000));
    await page.locator(".notice-failed").waitFor();
    await expect.poll(() => names(page)).toEqual(["one.png", "two.png"]);
    await page.getByRole("button", { name: "Remove one.png" }).click();

    // A draft keeps its images when the page is reloaded.
    await page.fill("#composer", "What is this?");
    await page.reload();
    await expect.poll(() => names(page)).toEqual(["two.png"]);
    expect(await page.evaluate("document.querySelector('.pending-uploads img').naturalWidth")).toBe(1);

    await page.route(CHAT, (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
    await page.press("#composer", "Enter");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await expect.poll(() => shelfOf(page).count()).toBe(0);
    await page.reload();
    await expect.poll(() => names(page)).toEqual(["two.png"]);
    expect(await written(page)).toBe("What is this?");
    await page.unroute(CHAT);
    await page.press("#composer", "Enter");
    await page.locator(".message-assistant[data-seq]", { hasText: "A dot." }).waitFor();
    expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).toContain(PIXEL);
    await page.reload();
    await page.locator(".message-user[data-seq] img.picture").waitFor();
    expect(await shelfOf(page).count()).toBe(0);

    await choose(page, ["three.png"]);
    await expect.poll(() => names(page)).toEqual(["three.png"]);
    await page.fill("#composer", "And this?");
    await chat.server.ask("DELETE", "/api/sessions/talk");
    await page.getByRole("button", { name: "Move draft to a new conversation" }).click();
    await expect.poll(() => names(page)).toEqual(["three.png"]);
    expect(await written(page)).toBe("And this?");
    await page.press("#composer", "Enter");
    await page.locator(".message-assistant[data-seq]", { hasText: "A dot." }).waitFor();
    await expect.poll(() => page.locator(".message-user[data-seq] img.picture").count()).toBe(1);
  });

  test("keep the order in which they were chosen, even if a later upload ends first", async () => {
    await using chat = await stage.serve({ script: () => scriptedReplies.text("A dot.") });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    const held: (() => Promise<void>)[] = [];
    await page.route("**/images", async (route) => {
      if (held.length > 0) return route.continue();
      held.push(() => route.continue());
    });
    await choose(page, ["one.png", "two.png"]);
    await expect.poll(() => names(page)).toEqual(["two.png"]);
    await held[0]?.();
    await expect.poll(() => names(page)).toEqual(["one.png", "two.png"]);
  });

  test("are uploaded again before a retry, and listed in a notice if the browser has no copy", async () => {
    await using chat = await stage.serve({ script: () => scriptedReplies.text("A dot.") });
    await using opened = await stage.openTalk(chat);
    const { page } = opened;
    await choose(page, ["one.png"]);
    await expect.poll(() => shelfOf(page).count()).toBe(1);
    let sent = 0;
    await page.route("**/images", (route) => {
      sent += 1;
      return route.continue();
    });
    await page.route(CHAT, (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
    await say(page, "What is this?");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.unroute(CHAT);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".message-assistant[data-seq]", { hasText: "A dot." }).waitFor();
    expect(sent).toBe(1);

    await choose(page, ["lost.png"]);
    await expect.poll(() => names(page)).toEqual(["lost.png"]);
    await page.evaluate("indexedDB.deleteDatabase('palimpsest')");
    await page.reload();
    await page.getByText("The browser has lost lost.png. Add it again.").waitFor();
  });
});

/** Pastes or drops a file. */
async function addFile(page: Page, kind: string): Promise<void> {
  // A string, because tests have no DOM types.
  await page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob("${PIXEL}"), (character) => character.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], "${kind}.png", { type: "image/png" }));
    const options = { bubbles: true, cancelable: true, clipboardData: transfer, dataTransfer: transfer };
    const event = "${kind}" === "paste" ? new ClipboardEvent("paste", options) : new DragEvent("drop", options);
    document.querySelector("#composer").dispatchEvent(event);
  })()`);
}
