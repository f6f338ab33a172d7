/** A workspace on a real folder: its content, how it follows the disk, and the packages that it needs. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Workspace } from "../../src/ports/workspace.ts";
import { type LocalWorkspaceOptions, openLocalWorkspace } from "../../src/workspace/local-workspace.ts";
import { growthOf, STEADY_GROWTH, watchLoop } from "../support/growth.ts";
import { repositoryRoot } from "../support/read-repository.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "palimpsest-local-")));
const root = join(folder, "repository");
afterAll(() => rmSync(folder, { recursive: true }));

const write = (path: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};

let workspace: Workspace;
beforeEach(async () => {
  rmSync(root, { recursive: true, force: true });
  write("src/a.ts", "export function alpha() { beta(); }");
  write("src/b.ts", "export function beta() {}");
  write("README.md", "# Tides");
  workspace = await openLocalWorkspace({ root });
});

const outlines = async (): Promise<readonly (readonly [path: string, text: string])[]> =>
  (await workspace.listOutlines()).map(({ path, text }) => [path, text] as const);

describe("outlines", () => {
  test("cover every file with a language, sorted, with references and a legend", async () => {
    expect(await workspace.listOutlines()).toMatchObject([
      { path: "src/a.ts", text: "function alpha()", refersTo: ["src/b.ts"] },
      { path: "src/b.ts", text: "function beta()", refersTo: [] },
    ]);
    expect(workspace.legend).toContain("the file's definitions");
  });

  test("follow changes on disk, and stay the same objects without changes", async () => {
    const before = await workspace.listOutlines();
    expect(await workspace.listOutlines()).toBe(before);
    write("src/b.ts", "export function gamma() {}");
    write("src/c.py", "def delta():\n    pass\n");
    expect(await outlines()).toEqual([
      ["src/a.ts", "function alpha()"],
      ["src/b.ts", "function gamma()"],
      ["src/c.py", "def delta()"],
    ]);
    unlinkSync(join(root, "src/c.py"));
    unlinkSync(join(root, "src/a.ts"));
    expect(await outlines()).toEqual([["src/b.ts", "function gamma()"]]);
  });

  test("notice a change that keeps the size and modification time of a file", async () => {
    for (const letter of ["x", "y", "z", "x"]) {
      write("src/b.ts", `export function ${letter}() {}`);
      expect((await outlines())[1]).toEqual(["src/b.ts", `function ${letter}()`]);
    }
  });

  test("leave out escaping links, binaries and ignored files", async () => {
    writeFileSync(join(folder, "secret.ts"), "export function secret() {}");
    for (const name of ["c", "d", "e"]) write(`src/${name}.ts`, "export function known() {}");
    expect(await outlines()).toHaveLength(5);
    unlinkSync(join(root, "src/c.ts"));
    symlinkSync(join(folder, "secret.ts"), join(root, "src/c.ts"));
    write("src/d.ts", Buffer.from([0x47, 0, 1, 2, 3, 0, 0]));
    write(".gitignore", "e.ts\n");
    expect((await outlines()).map(([path]) => path)).toEqual(["src/a.ts", "src/b.ts"]);
  });

  test("of a file that is too long are replaced by a note", async () => {
    write("src/b.ts", "x;\n".repeat(500_000));
    expect((await outlines())[1]).toEqual(["src/b.ts", "[no outline: the file is too long]"]);
  });

  test("concurrent requests for outlines share runs and return current outlines", async () => {
    const first = workspace.listOutlines();
    write("src/b.ts", "export function later() {}");
    const [, second, third] = await Promise.all([first, workspace.listOutlines(), workspace.listOutlines()]);
    expect(second).toBe(third);
    expect(second?.[1]?.text).toBe("function later()");
  });

  test("of a large repository do not block the event loop", async () => {
    const body = Array.from({ length: 60 }, (_, index) => `  m${index}(a) { return this.m${index + 1}(a); }`).join(
      "\n",
    );
    const numbers = Array.from({ length: 400 }, (_, index) => index);
    let tries = 0;
    const longestMs = async (files: readonly number[]) => {
      rmSync(join(root, "large"), { recursive: true, force: true });
      tries += 1;
      // New files, so that no outline is known from an earlier try.
      for (const index of files) write(`large/t${tries}/f${index}.js`, `class C${tries}_${index} {\n${body}\n}\n`);
      const loop = watchLoop();
      expect(await workspace.listOutlines()).toHaveLength(files.length + 2);
      return loop.end().longestMs;
    };
    const growth = await growthOf(numbers, longestMs, { below: STEADY_GROWTH, noiseMs: 20 });
    expect(growth).toBeLessThan(STEADY_GROWTH);
  });

  test("can be turned off", async () => {
    const plain = await openLocalWorkspace({ root, outlines: false });
    expect([await plain.listOutlines(), plain.legend]).toEqual([[], undefined]);
  });
});

describe("links", () => {
  test("are read as text or refused with a reason", async () => {
    const server = createServer((request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(request.url === "/empty" ? "<html></html>" : "<title>Sea</title><p>The sea is high.</p>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open = await openLocalWorkspace({ root, links: { allowsPrivate: ["127.0.0.1"] } });
    expect(await open.readLink(`${url}/`)).toEqual({
      type: "page",
      url: `${url}/`,
      title: "Sea",
      text: "The sea is high.",
    });
    expect(await open.readLink(`${url}/empty`)).toMatchObject({ type: "refused", reason: "there is no text in it" });
    expect(await workspace.readLink(`${url}/`)).toMatchObject({ type: "refused", url: `${url}/` });
    const closed = await openLocalWorkspace({ root, links: false });
    expect(await closed.readLink(`${url}/`)).toMatchObject({
      type: "refused",
      reason: "links are turned off in this workspace",
    });
    server.close();
  });
});

describe("options", () => {
  test.each([
    [{ root: "" }, "workspace: root"],
    [{ root: ".", maxBytes: 0 }, "workspace: maxBytes"],
    [{ root: ".", maxFiles: 1.5 }, "workspace: maxFiles"],
    [{ root: ".", maxFile: 1 }, "workspace: maxFile"],
    [{ root: ".", links: { timeoutMs: -1 } }, "workspace: links: timeoutMs"],
    [{ root: ".", links: { allowsPrivate: [1] } }, "workspace: links: allowsPrivate"],
    [{ root: ".", links: { proxy: "x" } }, "workspace: links: proxy"],
  ])("the options %j are refused with the name of the invalid one", async (options, key) => {
    await expect(openLocalWorkspace(options as LocalWorkspaceOptions)).rejects.toMatchObject({
      code: "config-invalid",
      details: { key },
    });
  });
});

describe("a workspace without its optional packages", () => {
  const place = join(folder, "elsewhere");
  const run = (body: string): string => {
    const module = pathToFileURL(join(place, "src/workspace/index.ts")).href;
    const program = `const { openLocalWorkspace } = await import(${JSON.stringify(module)});
      const workspace = await openLocalWorkspace({ root: ${JSON.stringify(root)} });
      const say = (error) => error.code + " " + error.message;
      ${body}`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    return stderr === "" ? stdout : stderr;
  };

  test("files and tree need no optional packages, and outlines and links name the missing ones", () => {
    rmSync(place, { recursive: true, force: true });
    for (const room of ["core", "ports", "workspace"]) {
      cpSync(join(repositoryRoot, "src", room), join(place, "src", room), { recursive: true });
    }
    writeFileSync(join(place, "package.json"), '{ "type": "module" }');
    mkdirSync(join(place, "node_modules"));
    for (const dependency of ["node_modules/ignore", "node_modules/ipaddr.js"]) {
      symlinkSync(join(repositoryRoot, dependency), join(place, dependency), "junction");
    }
    expect(
      run('console.log((await workspace.findFile("README.md")).text, (await workspace.listTree()).paths.length);'),
    ).toBe("# Tides 3\n");
    expect(run("console.log(await workspace.listOutlines().catch(say));")).toMatch(
      /^config-invalid .*npm install @vscode\/tree-sitter-wasm/,
    );
    expect(run('console.log(await workspace.readLink("https://a.example/").catch(say));')).toMatch(
      /^config-invalid .*npm install @mozilla\/readability linkedom@0\.18\.12/,
    );
  });
});
