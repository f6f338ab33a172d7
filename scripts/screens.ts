/**
 * `npm run screens` takes a picture of every screen of the page, light and dark, on a desktop and on a phone, into the
 * folder `artifacts/screens`, which git ignores. It uses the offline model and scripted ones, so it needs no key.
 * `--docs` also copies the three pictures of the README to docs/images; names such as `phone-dark` select looks.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPage, launchBrowser } from "../test/support/open-page.ts";
import { createStage } from "../test/support/page-stage.ts";
import { shootChat } from "./screens/chat-scene.ts";
import { createPictureTaker, type ScreenLook } from "./screens/look.ts";
import { shootRecall } from "./screens/recall-scene.ts";
import { playSample, shootSample } from "./screens/sample-scene.ts";
import { shootCompactions, shootFullWindow, shootHint, shootPreview, shootWorkspace } from "./screens/state-scenes.ts";

const root = join(import.meta.dirname, "..");
const target = join(root, "artifacts/screens");
const work = mkdtempSync(join(tmpdir(), "palimpsest-screens-"));

const SHOWN_IN_DOCS: Readonly<Record<string, string>> = {
  "a-layer-lifted-small-light": "conversation",
  "first-screen-small-dark": "first-screen",
  "what-the-model-sees-phone-light": "what-the-model-sees",
};

const named = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const LOOKS = (["desktop", "phone", "small", "narrow"] as const)
  .flatMap((size) => (["light", "dark"] as const).map((colorScheme): ScreenLook => ({ size, colorScheme })))
  .filter(({ size, colorScheme }) => named.length === 0 || named.includes(`${size}-${colorScheme}`));

mkdirSync(target, { recursive: true });
const browser = await launchBrowser();
try {
  const built = join(work, "web");
  buildPage(built);
  const stage = createStage({ folder: work, built, browser: () => browser });
  await using chat = await stage.serve();
  const sample = await playSample(chat);
  for (const look of LOOKS) {
    const scene = { stage, look, shoot: createPictureTaker(target, look) };
    await shootSample(scene, sample);
    // In the other looks only the sample is shown, to check that it fits into less space.
    if (look.size === "small" || (look.colorScheme === "dark" && look.size === "narrow")) continue;
    await shootChat(scene);
    await shootCompactions(scene);
    await shootHint(scene);
    await shootFullWindow(scene);
    await shootPreview(scene);
    await shootWorkspace(scene, work);
    await shootRecall(scene);
  }
  if (process.argv.includes("--docs")) {
    mkdirSync(join(root, "docs/images"), { recursive: true });
    for (const [name, shown] of Object.entries(SHOWN_IN_DOCS)) {
      copyFileSync(join(target, `${name}.png`), join(root, `docs/images/${shown}.png`));
    }
  }
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
