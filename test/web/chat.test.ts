/** The chat in a real browser, against a real server with a scripted provider. */
import { describe, expect, test } from "vitest";
import { findAccessibilityViolations } from "../support/open-page.ts";
import { BOTH_SIZES, say, showMessageButtons } from "../support/page-stage.ts";
import type { ProviderScript } from "../support/scripted-provider.ts";
import { scriptedReplies } from "../support/scripted-provider-reply.ts";
import { stagePage } from "../support/stage-page.ts";

const { text, held, serverError, unauthorised, toolCall } = scriptedReplies;
const stage = stagePage();

describe.each(BOTH_SIZES)("a chat on a %s", (size) => {
  test("keeps the partial answer when the user stops the answer", async () => {
    await using chat = await stage.serve({
      script: [held("A first sentence that came. ".repeat(40), new Promise(() => undefined))],
    });
    await using opened = await stage.open(chat.server.url, { size });
    const { page, problems } = opened;
    await page.click("text=Chat");
    await say(page, "Tell me everything.");
    await page.locator(".message-assistant", { hasText: "A first" }).waitFor();
    if (size === "phone") await page.getByRole("button", { name: "Stop" }).tap();
    else await page.press("#composer", "Escape");
    await page.locator(".message-assistant[data-seq]", { hasText: "A first" }).locator("text=/^Stopped\\.$/").waitFor();
    await page.getByRole("button", { name: "Send" }).waitFor();
    expect(await page.locator(".message").count()).toBe(2);
    expect(problems).toEqual([]);
  });
});

describe("a chat", () => {
  test("shows a reply as Markdown with code to copy, and shows it again after a reload", async () => {
    const written = "Use **this**:\n\n```ts\nconst answer = 42;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |";
    await using chat = await stage.serve({ script: [text(written)] });
    const permissions = ["clipboard-read", "clipboard-write"];
    await using opened = await stage.open(chat.server.url, { permissions });
    const { page, problems } = opened;
    await page.click("text=Chat");
    await say(page, "How?");
    const reply = page.locator(".message-assistant[data-seq]");
    for (const round of ["streamed", "reloaded"]) {
      await reply.locator("pre", { hasText: "const answer = 42;" }).waitFor();
      expect(await reply.locator("strong").textContent(), round).toBe("this");
      expect(await reply.locator("td").allTextContents(), round).toEqual(["1", "2"]);
      expect(await page.locator(".message-user .plain-text").allTextContents(), round).toEqual(["How?"]);
      expect(await page.locator(".message").count(), round).toBe(2);
      if (round === "streamed") await page.reload();
    }
    await reply.getByRole("button", { name: "Copy code" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe("const answer = 42;");
    await showMessageButtons(reply);
    await reply.getByRole("button", { name: "Copy message" }).click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(written);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("marks an answer that the server interrupted", async () => {
    const script = [text("A first sentence that came. ".repeat(100))];
    await using chat = await stage.serve({ chat: { streamCharacters: 1_000 }, script });
    await using opened = await stage.open(chat.server.url);
    const { page } = opened;
    await page.click("text=Chat");
    await say(page, "Tell me everything.");
    const answer = page.locator(".message-assistant[data-seq]", { hasText: "A first" });
    await answer.locator("text=/^Interrupted\\.$/").waitFor();
    expect(await answer.textContent()).not.toContain("[interrupted]");
  });

  test("creates a branch for an edit or a regenerated answer, and keeps every branch", async () => {
    const script = ["It is red.", "It is blue.", "It is azure."].map(text);
    await using chat = await stage.serve({ script });
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    const reply = (words: string) => page.locator(".message-assistant[data-seq]", { hasText: words });
    await page.click("text=Chat");
    await say(page, "Which colour has the door?");
    await reply("It is red.").waitFor();
    await showMessageButtons(page.locator(".message-user"));
    await page.getByRole("button", { name: "Edit" }).click();
    await say(page, "Which colour has the gate?");
    await reply("It is blue.").waitFor();
    expect(await page.locator(".message-user .plain-text").allTextContents()).toEqual(["Which colour has the gate?"]);
    await showMessageButtons(reply("It is blue."));
    await page.getByRole("button", { name: "Regenerate" }).click();
    await reply("It is azure.").waitFor();
    const branches = page.getByRole("navigation", { name: "Branches from here" });
    await expect.poll(() => branches.textContent()).toContain("3/3");
    expect(await findAccessibilityViolations(page)).toEqual([]);
    for (const [words, place] of [
      ["It is blue.", "2/3"],
      ["It is red.", "1/3"],
    ] as const) {
      await branches.getByRole("link", { name: "Previous branch" }).click();
      await reply(words).waitFor();
      await expect.poll(() => branches.textContent()).toContain(place);
    }
    // The arrow key edits the last message while the composer is empty.
    await page.press("#composer", "ArrowUp");
    await expect.poll(() => page.inputValue("#composer")).toBe("Which colour has the door?");
    expect(problems).toEqual([]);
  });

  test("shows why there is no answer, retries on request, and shows why a turn with failing tool calls ended", async () => {
    const script: ProviderScript = (_request, index) => {
      if (index === 0) return { type: "raw", status: 400, body: "no" };
      return index === 1 ? text("Now it works.") : toolCall("launch", { to: "moon" });
    };
    await using chat = await stage.serve({ script });
    await using opened = await stage.open(chat.server.url);
    const { page } = opened;
    await page.click("text=Chat");
    await say(page, "Are you there?");
    await page.getByRole("alert").getByRole("button", { name: "Try again" }).click();
    await page.locator(".message-assistant[data-seq]", { hasText: "Now it works." }).waitFor();
    expect(await page.locator(".message-user").count()).toBe(1);
    await expect.poll(() => page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await say(page, "Launch it.");
    await page.getByRole("alert").getByText("The model's tool calls failed 3 times; the last was launch").waitFor();
    expect(chat.provider.requests).toHaveLength(5);
  });

  test("uses the chosen model, and shows the usage of its context window", async () => {
    const other = { id: "anthropic:claude-haiku-4-5", wire: "anthropic" } as const;
    await using chat = await stage.serve({ other, script: [text("From the other one.")] });
    await using opened = await stage.openTalk(chat);
    const { page, problems } = opened;
    const bar = page.getByRole("progressbar", { name: "Context window usage" });
    const before = await bar.getAttribute("aria-valuetext");
    await page.getByLabel("Model").selectOption(other.id);
    await expect.poll(() => bar.getAttribute("aria-valuetext")).not.toBe(before);
    expect(await bar.getAttribute("aria-valuetext")).toMatch(/ of 19[\d.]+K tokens/);
    await say(page, "Who are you?");
    await page.locator(".message-assistant[data-seq]", { hasText: "From the other one." }).waitFor();
    expect(chat.provider.requests.map(({ body }) => body.model)).toEqual(["claude-haiku-4-5"]);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("shows tool calls collapsed, and expands them", async () => {
    await using chat = await stage.serve();
    await chat.server.ask("POST", "/api/sessions", { id: "talk", title: "Sheets" });
    const call = (id: string, name: string) => ({ type: "tool-call", callId: id, tool: "read_sheet", input: { name } });
    const result = (id: string, words: string, failed: boolean) => ({
      role: "tool",
      parts: [{ type: "tool-result", callId: id, tool: "read_sheet", output: { type: "text", text: words }, failed }],
    });
    const messages = [
      { role: "user", parts: [{ type: "text", text: "What do both cost?" }] },
      { role: "assistant", parts: [call("c1", "plan-a"), call("c2", "plan-b")] },
      result("c1", "Plan A: 5,120 euros", false),
      result("c2", "no such sheet", true),
    ];
    const body = { messages, format: "palimpsest" };
    expect((await chat.server.ask("POST", "/api/sessions/talk/messages", body)).status).toBe(200);
    await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`);
    const { page, problems } = opened;
    const rounds = page.locator("details.tool");
    await expect.poll(() => rounds.locator(".tool-state").allTextContents()).toEqual(["done", "failed"]);
    expect(await page.getByText("Plan A: 5,120 euros").isVisible()).toBe(false);
    await rounds.first().locator("summary").click();
    expect(await page.getByText("Plan A: 5,120 euros").isVisible()).toBe(true);
    await rounds.last().locator("summary").click();
    expect(await rounds.last().textContent()).toContain("Error");
    expect(await findAccessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

describe("the composer", () => {
  test.for(BOTH_SIZES)(
    "has room for all its buttons next to a long model name, with the pointer type of a %s",
    async (size) => {
      const other = { id: "proxy:claude-sonnet-5-with-a-long-name-2026-11-16", wire: "anthropic" } as const;
      await using chat = await stage.serve({ other });
      await chat.server.ask("POST", "/api/sessions", { id: "talk" });
      await chat.server.ask("POST", "/api/sessions/talk/messages", { messages: [{ role: "user", content: "Hello." }] });
      const viewport = { width: 1_440, height: 900 };
      await using opened = await stage.openTalk(chat, { size, viewport });
      const { page, problems } = opened;
      await page.locator(".strip").waitFor();
      await page.getByLabel("Model").selectOption(other.id);
      await page.getByRole("button", { name: "Inspect" }).click();
      for (const width of [1_440, 1_024, 430, 390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        const close = page.getByRole("button", { name: "Close", exact: true });
        // On a small screen the panel covers the composer.
        if (width < 1_000 && (await close.count()) > 0) await close.click();
        expect(await page.evaluate(OUT_OF_COMPOSER), `at ${width}`).toEqual([]);
      }
      await page.setViewportSize(viewport);
      expect(await page.evaluate(OUT_OF_COMPOSER), "without the panel").toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  test("lists the commands, and keeps the text of an unknown command", async () => {
    await using chat = await stage.serve({ script: [text("It is a folder."), text("It is a word.")] });
    await using opened = await stage.openTalk(chat, { size: "phone" });
    const { page, problems } = opened;
    const hint = page.locator(`#${await page.locator("#composer").getAttribute("aria-describedby")}`);
    const listed = () => hint.locator(".mono").allTextContents();
    await page.locator("#composer").pressSequentially("/");
    await expect.poll(listed).toEqual(["/compact", "/resummarize", "/clear", "/pin", "/undo"]);
    expect(await page.evaluate(OUT_OF_COMPOSER)).toEqual([]);
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await page.locator("#composer").pressSequentially("c");
    await expect.poll(listed).toEqual(["/compact", "/clear"]);
    for (const written of ["/", "/help", "/foo of mine"]) {
      await say(page, written);
      await hint.getByText(`Unknown command ${written.split(" ")[0]}. Commands: /compact,`).waitFor();
      expect(await page.inputValue("#composer")).toBe(written);
    }
    expect(await findAccessibilityViolations(page)).toEqual([]);
    for (const [written, reply] of [
      ["/usr/bin is what?", "It is a folder."],
      [" /foo", "It is a word."],
    ] as const) {
      await say(page, written);
      await page.locator(".message-assistant[data-seq]", { hasText: reply }).waitFor();
    }
    expect(await page.locator(".message-user .plain-text").allTextContents()).toEqual(["/usr/bin is what?", "/foo"]);
    expect(await hint.textContent()).toBe("");
    expect(problems).toEqual([]);
  });
});

/** Names of buttons that cross the edge of the composer, overlap the next one, or need a second line. */
const OUT_OF_COMPOSER = `(() => {
  const edge = document.querySelector(".composer").getBoundingClientRect();
  const tools = [...document.querySelectorAll(".composer-tools :is(button, select)")];
  return tools.flatMap((tool, index) => {
    const box = tool.getBoundingClientRect();
    const next = tools[index + 1]?.getBoundingClientRect().left ?? edge.right;
    const isIn = box.left >= edge.left && box.right <= next && box.bottom <= edge.bottom && box.width >= 32;
    const isOneLine = box.height <= 40;
    return isIn && isOneLine ? [] : [[tool.textContent, box.left, box.right, box.height].join(" ")];
  });
})()`;

/** Records every status of a running answer, and whether the answer had text at that moment. */
const WATCH_STATUS = `(() => {
  window.seen = new Set();
  new MutationObserver(() => {
    const status = document.querySelector(".message-assistant [role=status]");
    if (status === null) return;
    const isAnswering = status.closest(".message").querySelector(".prose") !== null;
    window.seen.add((isAnswering ? "answering: " : "") + status.textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;

describe("an answer", () => {
  test("that is requested again shows the attempt and the reason until it arrives", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    const shownAttempts = [1, 2, 3].map(() => Promise.withResolvers<void>());
    shownAttempts[0]?.resolve();
    const script: ProviderScript = async (_request, index) => {
      await shownAttempts[index]?.promise;
      return index < 2 ? serverError(503) : held("Here I am after all.", rest);
    };
    await using chat = await stage.serve({ script });
    await using opened = await stage.openTalk(chat);
    const { page, problems } = opened;
    await page.locator("#composer").waitFor();
    await page.evaluate(WATCH_STATUS);
    await say(page, "Are you there?");
    for (const attempt of [2, 3]) {
      await page.getByText(`Retrying (${attempt} of 5)`).waitFor();
      shownAttempts[attempt - 1]?.resolve();
    }
    await page.locator(".message-assistant[aria-busy=true]", { hasText: "Here" }).waitFor();
    goOn();
    await page.locator(".message-assistant[data-seq]", { hasText: "Here I am after all." }).waitFor();
    const seen: readonly string[] = await page.evaluate("[...window.seen]");
    const retries = seen.filter((words) => words.includes("Retrying"));
    expect(retries).toEqual([2, 3].map((attempt) => expect.stringMatching(`^Retrying \\(${attempt} of 5\\): .*503`)));
    expect(problems).toEqual([]);
  });

  test("continues after the page is reloaded while it streams", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    await using chat = await stage.serve({ script: [held("One sentence after the other. ".repeat(6), rest)] });
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    await page.click("text=Chat");
    await say(page, "Take your time.");
    await page.locator(".message-assistant", { hasText: "One sentence" }).waitFor();
    await page.reload();
    await page.locator(".message-assistant[aria-busy=true]", { hasText: "One sentence" }).waitFor();
    goOn();
    await page.locator(".message-assistant[data-seq]").waitFor();
    expect(await page.locator(".message-user .plain-text").allTextContents()).toEqual(["Take your time."]);
    await expect.poll(() => page.locator(".message").count()).toBe(2);
    const came = await page.locator(".message-assistant .prose").textContent();
    expect(came?.match(/One sentence after the other\./g)).toHaveLength(6);
    expect(problems).toEqual([]);
  });

  test("is announced to screen readers when it is complete, and not before", async () => {
    const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
    const script = [held("One sentence after the other.", rest), text("Another one."), unauthorised()];
    await using chat = await stage.serve({ script });
    await using opened = await stage.open(chat.server.url);
    const { page } = opened;
    await page.click("text=Chat");
    const log = page.getByRole("log");
    expect(await log.getAttribute("aria-live")).toBe("polite");
    await say(page, "Read it to me.");
    await page.locator(".message-assistant[aria-busy=true]", { hasText: "One sen" }).waitFor();
    expect(await log.textContent()).toBe("");
    goOn();
    await expect.poll(async () => (await log.textContent())?.trim()).toBe("One sentence after the other.");
    expect(await page.locator("#composer").evaluate((field) => field.matches(":focus"))).toBe(true);
    // An earlier answer is never announced again.
    const announced = await page.evaluateHandle(`(() => {
      const [announced, log] = [[], document.querySelector("[role=log]")];
      new MutationObserver(() => announced.push(log.textContent)).observe(log, { childList: true, characterData: true, subtree: true });
      return announced;
    })()`);
    await say(page, "And now?");
    await expect.poll(async () => (await log.textContent())?.trim()).toBe("Another one.");
    await say(page, "Once more?");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    expect(await announced.jsonValue()).toEqual(["Another one."]);
  });

  test("with scripts or external resources is shown as text", async () => {
    const written = [
      "<script>window.ran = 1</script><img src=x onerror='window.ran = 1'>",
      "![pixel](http://127.0.0.1:9/pixel.png)",
      "[click](javascript:window.ran=1) <iframe src='http://127.0.0.1:9/'></iframe>",
      "<style>@import url(http://127.0.0.1:9/x.css)</style>",
    ].join("\n\n");
    await using chat = await stage.serve({ script: [text(written)] });
    await using opened = await stage.open(chat.server.url);
    const { page, problems } = opened;
    await page.click("text=Chat");
    await say(page, written);
    const reply = page.locator(".message-assistant[data-seq]");
    await reply.locator(".withheld", { hasText: "pixel" }).waitFor();
    expect(await page.evaluate("window.ran")).toBeUndefined();
    expect(await page.locator(".message :is(script, img, iframe, style)").count()).toBe(0);
    expect(await reply.locator("a").count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
