/** Images of a message: given in every way that a browser has, sent, and shown. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { scriptedReplies } from "../../src/testing/scripted-provider-reply.ts";
import { findBarriers } from "../support/open-page.ts";
import { BOTH_SIZES, say } from "../support/page-stage.ts";
import { stagePage } from "../support/stage-page.ts";

const stage = stagePage();

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

describe.each(BOTH_SIZES)("images on a %s", (size) => {
  test("are chosen, dropped and pasted, five to a message, left out again, sent and shown", async () => {
    await using chat = await stage.serve({ script: [scriptedReplies.text("A dot.")] });
    await using opened = await stage.openTalk(chat, { size });
    const { page, problems } = opened;
    const shelf = page.getByRole("list", { name: "Images of this message" }).getByRole("listitem");
    const named = (name: string) => ({ name, mimeType: "image/png", buffer: PIXEL });
    await page.getByLabel("Images", { exact: true }).setInputFiles([named("one.png"), named("two.png")]);
    await expect.poll(() => shelf.count()).toBe(2);
    for (const kind of ["paste", "drop"]) await give(page, kind);
    await expect.poll(() => shelf.count()).toBe(4);
    await page.getByLabel("Images", { exact: true }).setInputFiles([named("five.png"), named("six.png")]);
    await page.getByText("A message takes 5 images; the others were left out.").waitFor();
    await expect.poll(() => shelf.count()).toBe(5);
    const note = { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("no image") };
    await page.getByLabel("Images", { exact: true }).setInputFiles(note);
    await page.getByText("note.txt is no PNG, JPEG, GIF or WebP image.").waitFor();
    expect(await findBarriers(page)).toEqual([]);
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
    expect(JSON.stringify(chat.provider.requests.at(-1)?.body)).toContain(PIXEL.toString("base64"));
    expect(problems).toEqual([]);
  });
});

/** A file as a browser hands it over. */
async function give(page: Page, kind: string): Promise<void> {
  // Written as text: this side of the tests knows no browser's types.
  await page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob("${PIXEL.toString("base64")}"), (character) => character.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], "${kind}.png", { type: "image/png" }));
    const options = { bubbles: true, cancelable: true, clipboardData: transfer, dataTransfer: transfer };
    const event = "${kind}" === "paste" ? new ClipboardEvent("paste", options) : new DragEvent("drop", options);
    document.querySelector("#composer").dispatchEvent(event);
  })()`);
}
