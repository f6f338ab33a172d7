/** Pictures of a chat: its empty screen, answers, failures and branches. */
import type { Page } from "playwright-core";
import { type OpenOptions, openTab, say } from "../../test/support/page-stage.ts";
import type { ProviderScript } from "../../test/support/scripted-provider.ts";
import { scriptedReplies } from "../../test/support/scripted-provider-reply.ts";
import type { StartedChat } from "../../test/support/start-chat.ts";
import { optionsOf, type Scene } from "./look.ts";

const CODE = `The **third quay** has a crane for 12 t. In code:

\`\`\`ts
export function liftable(crates: readonly Crate[]): readonly Crate[] {
  return crates.filter(({ tonnes }) => tonnes <= 12);
}
\`\`\`

| Quay | Crane | Free |
|------|-------|------|
| 2    | 8 t   | no   |
| 3    | 12 t  | yes  |

> Booked from Monday on; see [the plan](https://example.org/plan).
`;

const script: ProviderScript = ({ body }) => {
  const asked = JSON.stringify(Array.isArray(body.messages) ? body.messages.at(-1) : "");
  if (asked.includes("slowly")) return scriptedReplies.slow("The first ship comes at noon. ".repeat(40), 30);
  if (asked.includes("fail")) return { type: "raw", status: 400, body: "no" };
  return scriptedReplies.text(CODE);
};

const call = (callId: string, tool: string, input: object) => ({ type: "tool-call", callId, tool, input });
const result = (callId: string, tool: string, { text, failed }: { text: string; failed: boolean }) => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, tool, output: { type: "text", text }, failed }],
});

const TOOLS = [
  { role: "user", parts: [{ type: "text", text: "What do both plans cost, and is the crane free?" }] },
  {
    role: "assistant",
    parts: [
      { type: "reasoning", text: "Two sheets and the calendar of the harbour." },
      call("c1", "read_sheet", { name: "plan-a" }),
      call("c2", "read_calendar", { place: "third quay", week: 17 }),
    ],
  },
  result("c1", "read_sheet", { text: "Plan A\ncrane    1,200\ncrates   3,920\ntotal    5,120 euros", failed: false }),
  result("c2", "read_calendar", { text: "The calendar does not answer.", failed: true }),
  { role: "assistant", parts: [{ type: "text", text: "Plan A comes to 5,120 euros. The calendar did not answer." }] },
];

/** A small visible drawing. */
const DRAW = `(() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 200 });
  const context = canvas.getContext("2d");
  context.fillStyle = "#c9d6df";
  context.fillRect(0, 0, 320, 200);
  context.fillStyle = "#3b5166";
  context.fillRect(0, 140, 320, 60);
  context.fillRect(150, 40, 12, 100);
  context.fillRect(70, 40, 160, 8);
  return canvas.toDataURL("image/png");
})()`;

export async function shootChat({ stage, look, shoot }: Scene): Promise<void> {
  await using chat = await stage.serve({ script });
  const options = optionsOf(look);
  const { url } = chat.server;
  await using opened = await stage.open(url, options);
  const { page } = opened;
  await page.locator(".start-choice").first().waitFor();
  await shoot(page, "nothing-yet");
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "notes.json", mimeType: "x", buffer: Buffer.from("{}") });
  await page.locator(".first-error", { hasText: "notes.json" }).waitFor();
  await shoot(page, "import-refused");
  await shootImages(page, shoot);
  await shootEnds({ page, shoot });
  await shootTools(chat, { stage, look, shoot });
  await shootImport({ url, stage, shoot }, options);
}

async function shootImages(page: Page, shoot: Scene["shoot"]): Promise<void> {
  await page.locator(".start-choice").first().click();
  await page.locator(".empty").waitFor();
  await shoot(page, "conversation-empty");
  await page.fill("#composer", "/");
  await shoot(page, "commands");
  await page.fill("#composer", "");
  await openTab(page, "Summaries");
  await page.getByText("No summary yet").waitFor();
  await shoot(page, "summaries-empty");
  await page.getByRole("tab", { name: "Message" }).click();
  await shoot(page, "message-empty");
  await page.getByRole("button", { name: "Close", exact: true }).click();
  const drawn: string = await page.evaluate(DRAW);
  const buffer = Buffer.from(drawn.slice(drawn.indexOf(",") + 1), "base64");
  const names = ["crane.png", "quay.png"];
  await page
    .getByLabel("Images", { exact: true })
    .setInputFiles(names.map((name) => ({ name, mimeType: "image/png", buffer })));
  await page.locator(".pending-uploads li").nth(1).waitFor();
  await shoot(page, "images-chosen");
  await page.getByRole("button", { name: "Remove quay.png" }).click();
  await say(page, "Where can this crane stand?");
  await page.locator(".message-assistant[data-seq]").waitFor();
  await page.locator(".message-user img.picture").waitFor();
  await shoot(page, "image-and-code");
  await openTab(page, "Usage");
  await page.locator(".usage-totals").first().waitFor();
  await shoot(page, "usage-figures");
  await page.getByRole("button", { name: "Close", exact: true }).click();
}

async function shootEnds({ page, shoot }: Pick<Scene, "shoot"> & { readonly page: Page }): Promise<void> {
  const asked = page.locator(".message-user[data-seq]");
  await asked.focus();
  await asked.getByRole("button", { name: "Edit" }).click();
  await page.locator(".editing").waitFor();
  await shoot(page, "editing");
  await say(page, "Where can a smaller crane stand?");
  await page.locator(".branches").waitFor();
  await page.locator(".message-assistant[data-seq]").waitFor();
  await page.locator(".conversation").evaluate((frame) => frame.scrollTo(0, 0));
  await shoot(page, "branches");
  await say(page, "Say it slowly.");
  await page.locator(".message-assistant[aria-busy=true]", { hasText: "The first" }).waitFor();
  await shoot(page, "answering");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Send" }).waitFor();
  await say(page, "Now fail.");
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await shoot(page, "no-answer");
  await page.getByRole("button", { name: "Conversation menu" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.locator(".undo-bar").waitFor();
  await shoot(page, "deleted");
}

async function shootTools({ server }: StartedChat, { stage, look, shoot }: Scene): Promise<void> {
  await server.ask("POST", "/api/sessions", { id: "tools", title: "The plans" });
  await server.ask("POST", "/api/sessions/tools/messages", { messages: TOOLS, format: "palimpsest" });
  await using opened = await stage.open(`${server.url}/#/sessions/tools`, optionsOf(look));
  const { page } = opened;
  await page.locator("details.tool").nth(1).waitFor();
  await shoot(page, "tools-folded");
  for (const round of await page.locator("details.tool > summary").all()) await round.click();
  await shoot(page, "tools-open");
  await openTab(page, "What the model sees");
  await page.locator(".prompt-piece").first().scrollIntoViewIfNeeded();
  await shoot(page, "tools-in-the-prompt");
}

type Import = Pick<Scene, "stage" | "shoot"> & { readonly url: string };

async function shootImport({ url, stage, shoot }: Import, options: OpenOptions): Promise<void> {
  await using opened = await stage.open(url, options);
  const { page } = opened;
  const messages = [
    { role: "user", content: "Where is the key?" },
    { role: "assistant", content: "Under the third flowerpot." },
  ];
  const buffer = Buffer.from(JSON.stringify({ messages }));
  await page.locator("input[type=file]").setInputFiles({ name: "keys.json", mimeType: "application/json", buffer });
  await page.locator(".message-assistant", { hasText: "third flowerpot" }).waitFor();
  await shoot(page, "imported");
}
