/** Recalled passages on the page: under the message they were recalled for, in the prompt, and on the strip. */
import { describe, expect, test } from "vitest";
import { findAccessibilityViolations, SIZES } from "../support/open-page.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { serveRecall } from "../support/serve-recall.ts";
import { stagePage } from "../support/stage-page.ts";

const stage = stagePage();

describe("a message for which earlier ones were recalled", () => {
  test("shows them with the matched words and the cost, and each can be left out, restored and pinned", async () => {
    await using chat = await serveRecall(stage, () => scriptedReplies.text("Behind the blue barrel."));
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, { viewport: SIZES.desktop });
    const { page } = opened;
    await page.fill("#composer", "Where does the spare key of the boat shed hang?");
    await page.press("#composer", "Enter");
    const recalled = page.locator(".message-user .recalled").last();
    await recalled.locator("summary", { hasText: /^1 earlier message recalled, \d+ tokens$/ }).click();
    await recalled.getByText("The spare key of the boat shed hangs behind the blue barrel.").waitFor();
    expect(await recalled.locator("mark").allTextContents()).toEqual(expect.arrayContaining(["spare", "key"]));
    expect(await page.locator(".recall-mark").count()).toBe(1);
    await page.getByRole("button", { name: "Inspect" }).click();
    const panel = page.locator("#panel-view");
    await panel.getByRole("heading", { name: "Recalled passages" }).waitFor();
    await panel.locator(".prompt-block", { hasText: "recalled passages" }).waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await recalled.getByRole("button", { name: "Leave out" }).click();
    await recalled.getByText("Nothing recalled: all passages are left out or pinned").waitFor();
    await expect.poll(() => page.locator(".recall-mark").count()).toBe(0);
    await expect.poll(() => panel.locator(".prompt-block", { hasText: "recalled passages" }).count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).first().click();
    await page.getByText("Recalled passages quote the message again.").waitFor();
    await recalled.getByRole("button", { name: "Pin" }).click();
    await recalled.locator(".fate-name", { hasText: "pinned" }).waitFor();
    const { body } = await chat.server.ask("GET", "/api/sessions/talk/entries?types=dismiss,undo,pin");
    expect(body.entries.map(({ type }: { readonly type: string }) => type)).toEqual(["dismiss", "undo", "pin"]);
    expect(opened.problems).toEqual([]);
  });
});
