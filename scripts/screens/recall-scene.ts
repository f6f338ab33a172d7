/** Pictures of recalled passages: under their message, in the prompt, and in the explanation of a message. */
import { say } from "../../test/support/page-stage.ts";
import { scriptedReplies } from "../../test/support/scripted-provider-reply.ts";
import { serveRecall } from "../../test/support/serve-recall.ts";
import { optionsOf, type Scene } from "./look.ts";

export async function shootRecall({ stage, look, shoot }: Scene): Promise<void> {
  await using chat = await serveRecall(stage, () => scriptedReplies.text("Behind the blue barrel, as you said."));
  await using opened = await stage.open(`${chat.server.url}/#/sessions/talk`, optionsOf(look));
  const { page } = opened;
  await say(page, "Where does the spare key of the boat shed hang?");
  const recalled = page.locator(".message-user .recalled").last();
  await recalled.waitFor();
  await page.locator(".message-assistant[data-seq]", { hasText: "as you said" }).waitFor();
  await shoot(page, "recalled-closed");
  await recalled.locator("summary").click();
  await shoot(page, "recalled-open");
  await page.getByRole("button", { name: "Inspect" }).click();
  await page.locator("#panel-view").getByRole("heading", { name: "Recalled passages" }).scrollIntoViewIfNeeded();
  await shoot(page, "recalled-prompt");
}
