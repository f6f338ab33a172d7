/** The default reserve of a window: one rule for the library and the server. */
import { expect, test } from "vitest";
import { readEngineSetup } from "../../src/cli/setup/engine-setup.ts";
import { createTerminal } from "../../src/cli/terminal/terminal.ts";
import { type OpenOptions, openPalimpsest } from "../../src/index.ts";
import { newFolders } from "../support/new-folders.ts";
import { startTestServer } from "../support/start-server.ts";

const newFolder = newFolders("reserve");
const nothingAsked = { positionals: [], text: () => undefined, flag: () => false, say: async () => undefined };

async function reserveOfLibrary(options: OpenOptions): Promise<number> {
  const palimpsest = await openPalimpsest(options);
  const session = await palimpsest.session("s");
  const { report } = await session.prompt({ next: { role: "user", content: "Hello." } });
  await palimpsest.close();
  return report.reserveTokens;
}

/** Opens an engine like `palimpsest serve` does for a model of which only the window is known. */
async function reserveOfServer(windowTokens: number | undefined): Promise<number> {
  const environment = {
    PALIMPSEST_HOME: newFolder(),
    PALIMPSEST_BASE_URL: "http://127.0.0.1:9/v1",
    PALIMPSEST_MODEL: "house-model",
    ...(windowTokens === undefined ? {} : { PALIMPSEST_WINDOW_TOKENS: String(windowTokens) }),
  };
  const { engine } = await readEngineSetup({ ...nothingAsked, terminal: { ...createTerminal(), environment } });
  await using server = await startTestServer({ engine });
  await server.ask("POST", "/api/sessions", { id: "s" });
  const { body } = await server.ask("GET", "/api/sessions/s/budget");
  return body.reserveTokens;
}

test.each([
  [16_384, 3_276],
  [8_192, 1_638],
  [40_960, 8_192],
  [200_000, 8_192],
])(
  "a window of %i tokens reserves %i for the reply in the library and on the server",
  async (windowTokens, reserve) => {
    const reserves = await Promise.all([
      reserveOfLibrary({ windowTokens }),
      reserveOfLibrary({ windowTokens, model: "house-model" }),
      reserveOfLibrary({ model: "house-model", models: { "house-model": { windowTokens } } }),
      reserveOfServer(windowTokens),
    ]);
    expect(reserves).toEqual([reserve, reserve, reserve, reserve]);
  },
);

test("a model that neither the catalogue nor the caller describes has the same reserve in the library and on the server", async () => {
  const reserves = await Promise.all([reserveOfLibrary({}), reserveOfServer(undefined)]);
  expect(reserves).toEqual([1_638, 1_638]);
});

test("a known model's longest reply limits its reserve", async () => {
  const models = { "terse-model": { windowTokens: 16_384, maxOutputTokens: 1_024 } };
  expect(await reserveOfLibrary({ model: "terse-model", models })).toBe(1_024);
});
