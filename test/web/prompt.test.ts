/** The prompt in every provider's format. */
import { describe, expect, test } from "vitest";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { openTab } from "../support/page-stage.ts";
import { PIXEL } from "../support/pixel.ts";
import { stagePage } from "../support/stage-page.ts";

const stage = stagePage();

const CALLS = [
  {
    role: "user",
    parts: [
      { type: "text", text: "What does it cost?" },
      { type: "image", mediaType: "image/png", source: { type: "data", base64: PIXEL } },
    ],
  },
  {
    role: "assistant",
    parts: [
      { type: "tool-call", callId: "c1", tool: "read_sheet", input: { name: "plan-a" } },
      { type: "tool-call", callId: "c2", tool: "read_calendar", input: { week: 17 } },
    ],
  },
  toolAnswer({ callId: "c1", tool: "read_sheet", text: "crate 12.50\n".repeat(90), failed: false }),
  toolAnswer({ callId: "c2", tool: "read_calendar", text: "It does not answer.", failed: true }),
  { role: "assistant", parts: [{ type: "text", text: "It costs 5,120 euros." }] },
];

function toolAnswer({ text, ...result }: { callId: string; tool: string; text: string; failed: boolean }): object {
  return { role: "tool", parts: [{ type: "tool-result", ...result, output: { type: "text", text } }] };
}

const FONT_OF_CODE = 'getComputedStyle(document.querySelector(".prompt-blocks pre")).fontFamily';

describe("the prompt of the inspector", () => {
  test("shows tool calls and results as code and images as thumbnails, in every format", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "A talk" });
    await chat.server.ask("POST", "/api/sessions/talk/messages", { messages: CALLS, format: "palimpsest" });
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    await openTab(page, "What the model sees");
    const blocks = page.locator(".prompt-blocks");
    const piece = (words: string) => blocks.locator(".prompt-piece", { hasText: words });
    const options = page.getByLabel("Format").locator("option");
    await expect.poll(() => options.count()).toBe(5);
    const formats = await options.allTextContents();
    for (const format of formats) {
      await page.getByLabel("Format").selectOption(format);
      await piece("Calls read_sheet").waitFor();
      expect(await piece("Calls read_sheet").locator("pre").textContent(), format).toBe('{\n  "name": "plan-a"\n}');
      const result = piece("read_sheet returned").locator("pre");
      expect(await page.evaluate(FONT_OF_CODE), format).toContain("monospace");
      expect((await result.textContent())?.length, format).toBeLessThan(200);
      await piece("read_sheet returned")
        .getByRole("button", { name: /^Show [\d,]+ more characters$/ })
        .click();
      expect((await result.textContent())?.length, format).toBeGreaterThan(1_000);
      expect(await piece("read_calendar").last().locator("pre").textContent(), format).toBe("It does not answer.");
      const picture = blocks.locator(".prompt-media", { hasText: "image/png, 70 bytes" }).locator("img");
      await expect.poll(() => picture.evaluate((image) => Reflect.get(image, "naturalWidth"))).toBe(1);
    }
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});
