import { expect, test } from "vitest";
import { openPalimpsest } from "../../compose.ts";
import { LastPrompts } from "./last-prompts.ts";

async function promptFor(words: string) {
  const palimpsest = await openPalimpsest({ store: "memory:" });
  const session = await palimpsest.session("s");
  return { session, prompt: await session.prompt({ next: { role: "user", content: words } }) };
}

test("the last prompt of the least recently used session is forgotten first", async () => {
  const prompts = new LastPrompts({ maxSessions: 2 });
  const { session, prompt } = await promptFor("Hello.");
  for (const tenantId of ["a", "b", "a", "c"]) prompts.keep({ tenantId, sessionId: "s" }, prompt);
  const isKnown = async (tenantId: string) => (await prompts.find(tenantId, session))?.prompt !== undefined;
  expect([await isKnown("a"), await isKnown("b"), await isKnown("c")]).toEqual([true, false, true]);
});

test("a prompt above the size limit is not remembered, but a later prompt is", async () => {
  const prompts = new LastPrompts({ maxCharacters: 1_000 });
  const large = await promptFor("word ".repeat(400));
  prompts.keep({ tenantId: "a", sessionId: "s" }, large.prompt);
  expect((await prompts.find("a", large.session))?.prompt).toBeUndefined();
  const small = await promptFor("Hello.");
  prompts.keep({ tenantId: "a", sessionId: "s" }, small.prompt);
  expect((await prompts.find("a", small.session))?.prompt).toBe(small.prompt);
});
