/** The largest session and the largest import are settings of `palimpsest serve`. */
import { expect, test } from "vitest";
import { newFolders } from "../support/new-folders.ts";
import { runCommand } from "../support/run-command.ts";
import { startServe } from "../support/serve-process.ts";

const newFolder = newFolders("serve-limits");

test("an option or a variable sets the limits of sessions and imports, and their errors name the option", async () => {
  const environment = { PALIMPSEST_HOME: newFolder(), PALIMPSEST_SESSION_ENTRIES: "2" };
  await using server = await startServe({ args: ["--import-messages", "3"], environment });
  const send = async (path: string, type: string, body: string) => {
    const headers = { "content-type": type };
    const answer = await fetch(`${server.url}/api/sessions${path}`, { method: "POST", headers, body });
    return { status: answer.status, text: await answer.text() };
  };
  const lines = (count: number) => '{"role":"user","content":"hi"}\n'.repeat(count);
  expect((await send("/import?id=a", "application/x-ndjson", lines(2))).status).toBe(200);
  const tooLarge = await send("/import?id=b", "application/x-ndjson", lines(4));
  expect(tooLarge).toMatchObject({ status: 422, text: expect.stringContaining("--import-messages") });
  expect((await send("", "application/json", '{"id":"c"}')).status).toBe(200);
  const append = () => send("/c/messages", "application/json", '{"messages":{"role":"user","content":"hi"}}');
  expect([(await append()).status, (await append()).status]).toEqual([200, 200]);
  expect(await append()).toMatchObject({ status: 422, text: expect.stringContaining("--session-entries") });
});

test("palimpsest serve refuses a limit that is not a number", async () => {
  const refused = await runCommand(["serve", "--session-entries", "many"], { PALIMPSEST_HOME: newFolder() });
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("--session-entries") });
});
