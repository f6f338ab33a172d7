/**
 * The package as a user gets it: built, packed, installed into an empty folder, and run on the repository's Node and on
 * the oldest supported one. `npm run check -- package` runs this file.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { linkPackage, type PackedPackage, packPackage, runProgram } from "./support/pack-package.ts";
import { repositoryRoot } from "./support/read-repository.ts";
import { isPortFree, isRunning, runServer } from "./support/run-server.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-packed-"));
let packed: PackedPackage;

beforeAll(() => {
  packed = packPackage(folder);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const oldestNode = join(
  repositoryRoot,
  `test/oldest-node/node_modules/node/bin/node${process.platform === "win32" ? ".exe" : ""}`,
);

const noOldestNode = `npm has no Node 22.23.0 for ${process.platform}-${process.arch}, or its install script did not run`;

/** The first TypeScript block of the README, which is a whole program. */
function readReadmeProgram(): string {
  const program = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(repositoryRoot, "README.md"), "utf8"))?.[1];
  if (program === undefined) throw new TypeError("README.md has no program in a ts block");
  return program;
}

/** Every TypeScript block with an import is a program. */
function readPrograms(path: string): readonly string[] {
  const text = readFileSync(join(repositoryRoot, path), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].flatMap(([, program = ""]) =>
    program.startsWith("import ") ? [program] : [],
  );
}

function writeImportProgram(): string {
  const entryPoints = Object.keys(packed.manifest.exports).map((subpath) => `palimpsest${subpath.slice(1)}`);
  return `for (const entryPoint of ${JSON.stringify(entryPoints)}) {
    const names = Object.keys(await import(entryPoint));
    console.log(entryPoint, names.includes("default") ? "has a default export" : "ok");
  }`;
}

function run(node: string, { file, source }: { readonly file: string; readonly source: string }): string {
  const path = join(packed.consumer, file);
  writeFileSync(path, source);
  return runProgram(node, { args: [path], folder: packed.consumer });
}

/** Uses the entry points that need no optional package. */
const BARE_PROGRAM = `
import { fit, openPalimpsest } from "palimpsest";
import { createClient } from "palimpsest/client";
import { countTokens } from "palimpsest/core";
import { fit as fitAlone } from "palimpsest/fit";
import type { Store } from "palimpsest/ports";
import { createOfflineChat, type ServerOptions, startServer } from "palimpsest/server";
import { openLocalWorkspace } from "palimpsest/workspace";

const options: ServerOptions = { store: "memory:", models: [await createOfflineChat()], tools: {}, chat: { rounds: 3 } };
const server = await startServer(options);
await server.close();
const store: Store | undefined = undefined;
export { countTokens, createClient, fit, fitAlone, openLocalWorkspace, openPalimpsest, store };
`;

function readTarball(): ArrayBuffer {
  const bytes = new Uint8Array(readFileSync(packed.tarball));
  return bytes.buffer;
}

function runTool(tool: string, args: readonly string[]): string {
  const path = join(repositoryRoot, "node_modules", tool);
  return runProgram(process.execPath, { args: [path, ...args], folder: packed.consumer });
}

describe("the tarball", () => {
  test("contains the build, the manifest and the documents, and no tests or sources", () => {
    const strangers = packed.contents.filter(
      (path) =>
        !/^(?:dist\/.*\.(?:js|d\.ts)|dist\/sample\/sample-conversation\.json|dist\/(?:core\/budget|counters)\/\w+\.generated\.json|web\/dist\/.*\.(?:html|js|css|svg)|docs\/.*\.(?:md|svg|png)|(?:dist\/)?package\.json|[A-Z]+\.md|LICENSE)$/.test(
          path,
        ),
    );
    expect(strangers).toEqual([]);
    expect(packed.contents.filter((path) => path.includes(".test."))).toEqual([]);
    expect(packed.contents).toEqual(
      expect.arrayContaining(["dist/index.js", "dist/index.d.ts", "web/dist/index.html", "README.md", "LICENSE"]),
    );
  });

  test.skipIf(process.platform === "win32")("is packed from a build whose command is executable", () => {
    const command = join(folder, "stage", packed.manifest.bin.palimpsest);
    expect((statSync(command).mode & 0o111).toString(8)).toBe("111");
  });

  test("has no script that npm runs, or warns about, on installation", () => {
    const path = join(packed.consumer, "node_modules/palimpsest/package.json");
    const { scripts }: { readonly scripts: object } = JSON.parse(readFileSync(path, "utf8"));
    const installing = ["preinstall", "install", "postinstall", "prepare"];
    expect(Object.keys(scripts).filter((name) => installing.includes(name))).toEqual([]);
  });

  test("contains all files that its documents link to", () => {
    const texts = packed.contents.filter((path) => path.endsWith(".md"));
    const broken = texts.flatMap((path) => {
      const text = readFileSync(join(packed.consumer, "node_modules/palimpsest", path), "utf8");
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link = ""]) => join(dirname(path), link));
      return links.filter((link) => !packed.contents.some((held) => held === link || held.startsWith(`${link}/`)));
    });
    expect(texts).toContain("docs/stores.md");
    expect(broken).toEqual([]);
  });

  test("passes publint", async () => {
    const { messages } = await publint({ pack: { tarball: readTarball() } });
    // Node does read the imports of the nearest package.json; publint assumes that it ignores them.
    const others = messages.filter(({ code }) => code !== "NESTED_PACKAGE_JSON_FIELD_IGNORED");
    expect(others).toEqual([]);
  });

  test("has types that resolve for every entry point", () => {
    const args = [packed.tarball, "--profile", "esm-only", "--format", "ascii", "--no-emoji", "--no-color"];
    const report = runTool("@arethetypeswrong/cli/dist/index.js", args);
    expect(report.match(/from ESM\): OK/g)).toHaveLength(Object.keys(packed.manifest.exports).length);
  });

  test("has types that compile in strict programs", () => {
    writeFileSync(join(packed.consumer, "typed.ts"), readReadmeProgram());
    const [client = ""] = readPrograms("docs/client.md");
    expect(client).toContain("palimpsest/client");
    writeFileSync(join(packed.consumer, "typed-client.ts"), client);
    const [server = ""] = readPrograms("docs/serve.md");
    expect(server).toContain("palimpsest/server");
    writeFileSync(join(packed.consumer, "typed-server.ts"), server);
    linkPackage(packed.consumer, "@types/node");
    const strict = ["--strict", "--skipLibCheck", "false", "--types", "node"];
    const modern = ["--module", "nodenext", "--target", "es2024", "--noEmit"];
    const exact = ["--exactOptionalPropertyTypes", "typed.ts", "typed-client.ts"];
    expect(runTool("typescript/bin/tsc", [...modern, ...strict, ...exact])).toBe("");
    // The program of docs/serve.md uses the AI SDK, whose types do not compile with exact optional properties.
    expect(runTool("typescript/bin/tsc", [...modern, ...strict, "typed-server.ts"])).toBe("");
  });

  test("has types that compile without the optional packages, those of the server included", () => {
    const bare = join(folder, "bare");
    // A copy, because a link would find the optional packages beside the installed package.
    const installed = join("node_modules", "palimpsest");
    cpSync(join(packed.consumer, installed), join(bare, installed), { recursive: true, dereference: true });
    for (const name of [...Object.keys(packed.manifest.dependencies ?? {}), "@types/node"]) linkPackage(bare, name);
    writeFileSync(join(bare, "package.json"), JSON.stringify({ name: "bare", private: true, type: "module" }));
    writeFileSync(join(bare, "bare.ts"), BARE_PROGRAM);
    const options = ["--strict", "--skipLibCheck", "false", "--types", "node", "--module", "nodenext"];
    const path = join(repositoryRoot, "node_modules/typescript/bin/tsc");
    const args = [path, ...options, "--target", "es2024", "--noEmit", "bare.ts"];
    expect(runProgram(process.execPath, { args, folder: bare })).toBe("");
  });
});

describe.each([
  { name: "the repository's Node", node: process.execPath },
  { name: "the oldest Node", node: oldestNode },
])("on $name", ({ node }) => {
  test("every entry point can be imported and has named exports only", (context) => {
    if (!existsSync(node)) context.skip(noOldestNode);
    const lines = run(node, { file: "entryPoints.mjs", source: writeImportProgram() }).trim().split("\n");
    expect(lines).toEqual(Object.keys(packed.manifest.exports).map((subpath) => `palimpsest${subpath.slice(1)} ok`));
  });

  test("the command is installed and prints its help", (context) => {
    if (!existsSync(node)) context.skip(noOldestNode);
    const command = join(packed.consumer, "node_modules/palimpsest", packed.manifest.bin.palimpsest);
    expect(runProgram(node, { args: [command, "--help"], folder: packed.consumer })).toContain(
      "npx palimpsest <command>",
    );
    const help = runProgram(node, { args: [command, "export", "--help"], folder: packed.consumer });
    expect(help).toContain("  npx palimpsest export support-17 --out support-17.jsonl");
    const store = ["--store", `sqlite:${join(packed.consumer, "chats.db")}`];
    const runCommand = (...args: readonly string[]) =>
      runProgram(node, { args: [command, ...args], folder: packed.consumer });
    const talk = [
      { role: "user", content: "Where is the depot?" },
      { role: "assistant", content: "In Lund." },
    ];
    writeFileSync(join(packed.consumer, "talk.json"), JSON.stringify(talk));
    runCommand("import", "talk.json", ...store);
    runCommand("worker", "--once", ...store);
    expect(JSON.parse(runCommand("sessions", ...store, "--json"))).toMatchObject([{ messageCount: 2 }]);
    // Sessions are replayed in a thread, which is a file of its own.
    const replayed = JSON.parse(runCommand("replay", "talk.json", "--policies", "default", "--json"));
    expect(replayed.sum).toMatchObject({ sessions: 1, requests: 1 });
  });

  test("a workspace reads outlines in a worker thread", (context) => {
    if (!existsSync(node)) context.skip(noOldestNode);
    mkdirSync(join(packed.consumer, "sources"), { recursive: true });
    writeFileSync(
      join(packed.consumer, "sources/ship.js"),
      "export function sail(from, to) {\n  return [from, to];\n}\n",
    );
    const source = `import { openLocalWorkspace } from "palimpsest/workspace";
      const workspace = await openLocalWorkspace({ root: "sources" });
      const outlines = await workspace.listOutlines();
      console.log(outlines.find(({ path }) => path === "ship.js").text.split("\\n").at(-1));`;
    expect(run(node, { file: "workspace.mjs", source })).toBe("function sail(from, to)\n");
  });

  test("the README's first program runs and prints output", (context) => {
    if (!existsSync(node)) context.skip(noOldestNode);
    expect(run(node, { file: "program.ts", source: readReadmeProgram() })).not.toBe("");
  });
});

describe("the packed server", () => {
  const home = () => join(packed.consumer, "home");

  test("shuts down on a SIGTERM", async () => {
    const program = join(packed.consumer, "node_modules/.bin/palimpsest");
    await using server = await runServer({ program, args: ["serve"], cwd: packed.consumer, home: home() });
    server.command.kill("SIGTERM");
    expect(await server.ended).toEqual([0, null]);
    expect(server.err()).toContain("Stopping after running requests.");
    expect(await isPortFree(server.port)).toBe(true);
  });

  test("shuts down when npx, which started it, gets a SIGTERM", async () => {
    const args = ["--offline", "palimpsest", "serve"];
    await using server = await runServer({ program: "npx", args, cwd: packed.consumer, home: home() });
    server.command.kill("SIGTERM");
    await server.ended;
    await expect.poll(() => isRunning(server.serverPid), { timeout: 60_000 }).toBe(false);
    expect(server.err()).toContain("Stopping after running requests.");
    expect(await isPortFree(server.port)).toBe(true);
  });
});

describe("without the package ai and the packages of models", () => {
  beforeAll(() => {
    for (const name of ["ai", "@ai-sdk"]) {
      rmSync(join(packed.consumer, "node_modules", name), { recursive: true, force: true });
    }
  });

  test("the server answers chats with the offline model", { timeout: 120_000 }, async () => {
    const program = join(packed.consumer, "node_modules/.bin/palimpsest");
    const home = join(packed.consumer, "home-without-ai");
    await using server = await runServer({ program, args: ["serve"], cwd: packed.consumer, home });
    const message = { id: "m", role: "user", parts: [{ type: "text", text: "Hello?" }] };
    const response = await fetch(`http://127.0.0.1:${server.port}/api/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: "s", message }),
    });
    expect(await response.text()).toMatch(/"delta":"No language "[\s\S]*"type":"finish","finishReason":"stop"/);
  });

  test("strict programs compile", () => {
    const source = `${readReadmeProgram()}\nimport "palimpsest/mastra";\nimport "palimpsest/core";\n`;
    writeFileSync(join(packed.consumer, "typed-without-ai.ts"), source);
    const strict = ["--strict", "--skipLibCheck", "false", "--types", "node", "--exactOptionalPropertyTypes"];
    const modern = ["--module", "nodenext", "--target", "es2024", "--noEmit"];
    expect(runTool("typescript/bin/tsc", [...modern, ...strict, "typed-without-ai.ts"])).toBe("");
  });
});

test("the oldest Node that the tests use is the minimum version in package.json", (context) => {
  if (!existsSync(oldestNode)) context.skip(noOldestNode);
  const { engines } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  const version = runProgram(oldestNode, { args: ["--version"], folder }).trim();
  expect(version).toBe(`${engines.node.replace(">=", "v")}.0`);
});
