/** A clone with `npm ci --omit=dev`, which lacks the build tools of the page and the optional packages of models. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repositoryRoot } from "./support/read-repository.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-lean-"));
const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(repositoryRoot, "package.json"), "utf8"),
);

beforeAll(() => {
  for (const name of ["src", "scripts", "package.json"]) {
    cpSync(join(repositoryRoot, name), join(folder, name), { recursive: true });
  }
  for (const name of Object.keys(dependencies)) {
    const place = join(folder, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(repositoryRoot, "node_modules", name), place, "junction");
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the installation prints that the page is left out, and how to build it", () => {
  const { status, stdout } = spawnSync(process.execPath, ["scripts/prepare.mjs"], { cwd: folder, encoding: "utf8" });
  expect(status).toBe(0);
  expect(stdout).toMatch(/The page is not built.*npm ci without --omit=dev/);
});

test("the server starts, answers chats offline, and reports what is missing and how to install it", async () => {
  const args = ["src/cli/main.ts", "serve", "--port", "0", "--home", join(folder, "home")];
  const env = { ANTHROPIC_API_KEY: "sk-none" };
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"], env });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let notes = "";
  child.stderr.on("data", (text) => {
    notes += text;
  });
  try {
    const printed: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      printed.push(line);
      if (line.includes("Ctrl-C")) break;
    }
    expect(printed.find((line) => line.startsWith("  open"))).toMatch(/was not built; npm ci without --omit=dev/);
    const url = printed[0]?.split(" ").at(-1) ?? "";
    expect(await (await fetch(`${url}/`)).text()).toContain("was not built");
    const message = { id: "m", role: "user", parts: [{ type: "text", text: "Hello?" }] };
    const body = JSON.stringify({ id: "s", message });
    const headers = { "content-type": "application/json" };
    const chat = await fetch(`${url}/api/chat`, { method: "POST", headers, body });
    expect(await chat.text()).toMatch(/"delta":"No language "[\s\S]*"type":"finish","finishReason":"stop"/);
    expect((await fetch(`${url}/api/sessions/s/view`)).status).toBe(200);
    expect(notes).toContain("ANTHROPIC_API_KEY is set, but ai and @ai-sdk/anthropic are not installed.");
    expect(notes).toContain("Run: npm install ai @ai-sdk/anthropic");
  } finally {
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  }
});
