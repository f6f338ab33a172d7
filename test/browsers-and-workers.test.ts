/** `palimpsest/fit` and `palimpsest/core`, bundled as for a page or a worker: the same results as on Node. */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Miniflare } from "miniflare";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { fit as fitOnNode } from "../src/compose/fit.ts";
import { hashMessage } from "../src/core/public/index.ts";
import { repositoryRoot } from "./support/read-repository.ts";
import { stagePage } from "./support/stage-page.ts";

const MAX_ZIPPED_KB = 420;
const HISTORY = Array.from({ length: 80 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Line ${index}: the café counted ${index * 7} cups, and Zoë wrote it down. 茶 ${"It was late. ".repeat(6)}`,
}));
const OPTIONS = { budgetTokens: 1_500, counter: "estimate" } as const;
const MESSAGE = { id: "m1", role: "user", parts: [{ type: "text", text: "Zoë 茶 🫖" }] } as const;

const ENTRY = "entry.js";
const ORIGIN = "http://bundle.test";

const stage = stagePage();

/** A module of the bundle; the others are loaded on use. */
interface Chunk {
  readonly fileName: string;
  readonly code: string;
  readonly isStatic: boolean;
}

async function bundle(): Promise<readonly Chunk[]> {
  const entry = "virtual:entry";
  const source = `
    import { fit } from ${JSON.stringify(join(repositoryRoot, "src/compose/fit.ts"))};
    import { hashMessage } from ${JSON.stringify(join(repositoryRoot, "src/core/public/index.ts"))};
    export const answer = async ({ history, options, message }) => {
      const { messages } = await fit(history, options);
      return JSON.stringify({ messages, hash: hashMessage(message) });
    };
    export default { fetch: async (request) => new Response(await answer(await request.json())) };`;
  const built = await rolldown({
    input: entry,
    platform: "browser",
    resolve: { conditionNames: ["workerd", "worker", "browser", "import", "default"] },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? source : undefined),
      },
    ],
    logLevel: "silent",
  });
  const { output } = await built.generate({ format: "esm", minify: true, entryFileNames: ENTRY });
  await built.close();
  const chunks = output.filter((each) => each.type === "chunk");
  const [first] = output;
  const isStatic = ({ fileName }: { readonly fileName: string }) => [ENTRY, ...first.imports].includes(fileName);
  const foreign = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  expect(foreign.filter((name) => !chunks.some(({ fileName }) => fileName === name))).toEqual([]);
  return chunks.map((chunk) => ({ fileName: chunk.fileName, code: chunk.code, isStatic: isStatic(chunk) }));
}

describe("fit and core in a bundle without Node", async () => {
  const chunks = await bundle();
  const input = { history: HISTORY, options: OPTIONS, message: MESSAGE };
  const { messages } = await fitOnNode(HISTORY, OPTIONS);
  const expected = JSON.stringify({ messages, hash: hashMessage(MESSAGE) });

  test("the modules that are loaded at import have a bounded size", () => {
    expect(messages.length).toBeLessThan(HISTORY.length);
    const code = chunks.flatMap((chunk) => (chunk.isStatic ? [chunk.code] : [])).join("\n");
    const zipped = gzipSync(code).length;
    expect(zipped / 1_000).toBeLessThan(MAX_ZIPPED_KB);
    process.stdout.write(
      `palimpsest/fit: ${Math.round(code.length / 1_000)} kB, ${Math.round(zipped / 1_000)} kB gzip\n`,
    );
  });

  test("a browser computes the same prompt and the same hash as Node", async () => {
    await using opened = await stage.open("about:blank");
    await opened.page.route(`${ORIGIN}/*`, (route) => {
      const body = chunks.find(({ fileName }) => route.request().url() === `${ORIGIN}/${fileName}`)?.code ?? "";
      return route.fulfill({ body, contentType: "text/javascript", headers: { "access-control-allow-origin": "*" } });
    });
    // As a text, because a transform of the test would replace import().
    const program = `import("${ORIGIN}/${ENTRY}").then(({ answer }) => answer(${JSON.stringify(input)}))`;
    expect(await opened.page.evaluate(program)).toBe(expected);
  });

  test("workerd computes the same prompt and the same hash as Node", async () => {
    const ordered = chunks.toSorted(
      (left, right) => Number(right.fileName === ENTRY) - Number(left.fileName === ENTRY),
    );
    const worker = new Miniflare({
      modules: ordered.map(({ fileName, code }) => ({ type: "ESModule", path: fileName, contents: code })),
      compatibilityDate: "2026-06-01",
    });
    try {
      const response = await worker.dispatchFetch("http://localhost", { method: "POST", body: JSON.stringify(input) });
      expect(await response.text()).toBe(expected);
    } finally {
      await worker.dispose();
    }
  });
});
