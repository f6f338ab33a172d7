/** The server as npm runs it: when npm gets a signal or is killed, the server shuts down cleanly and frees its port. */
import { afterAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../stores/temporary-folder.ts";
import { repositoryRoot } from "../support/read-repository.ts";
import { isPortFree, isRunning, runServer } from "../support/run-server.ts";

const folder = temporaryFolder();

afterAll(() => folder.remove());

const runNpm = (args: readonly string[]) =>
  runServer({ program: "npm", args, cwd: repositoryRoot, home: folder.newPath() });

const START = ["start", "--"];
const ENDING = "Stopping after running requests.";

describe("the server that npm starts", () => {
  test.each([[START], [["run", "palimpsest", "--", "serve"]]])(
    "shuts down on a SIGTERM to npm alone (arguments of npm: %j)",
    async (args) => {
      await using server = await runNpm(args);
      expect(isRunning(server.serverPid)).toBe(true);
      server.command.kill("SIGTERM");
      expect(await server.ended).toEqual([0, null]);
      expect(server.err()).toContain(ENDING);
      expect(isRunning(server.serverPid)).toBe(false);
      expect(await isPortFree(server.port)).toBe(true);
    },
  );

  test("shuts down on Ctrl-C, which reaches npm and the server, and the server again through npm", async () => {
    await using server = await runNpm(START);
    server.signalAll("SIGINT");
    expect(await server.ended).toEqual([0, null]);
    expect(server.err()).toContain(ENDING);
    expect(await isPortFree(server.port)).toBe(true);
  });

  test("shuts down when npm is killed", async () => {
    await using server = await runNpm(START);
    server.command.kill("SIGKILL");
    expect(await server.ended).toEqual([null, "SIGKILL"]);
    await expect.poll(() => isRunning(server.serverPid), { timeout: 60_000 }).toBe(false);
    expect(server.err()).toContain(ENDING);
    expect(await isPortFree(server.port)).toBe(true);
  });
});
