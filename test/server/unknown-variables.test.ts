/** `palimpsest serve` names environment variables that look like settings but are not. */
import { expect, test } from "vitest";
import { newFolders } from "../support/new-folders.ts";
import { runCommand } from "../support/run-command.ts";
import { startServe } from "../support/serve-process.ts";

const newFolder = newFolders("unknown-variables");
const MISSPELT = { PALIMPSEST_POLCY: "default", PALIMPSEST_TRIGER_RATIO: "0.5", PALIMPSEST_COLOUR: "blue" };

test("the server warns in its log about misspelled variables, and suggests the nearest known name", async () => {
  const environment = { PALIMPSEST_HOME: newFolder(), ...MISSPELT };
  await using server = await startServe({ environment });
  await server.end();
  const warnings = server.logged().filter(({ level }) => level === 40);
  expect(warnings.map(({ msg }) => msg)).toEqual([
    "PALIMPSEST_POLCY is set, but nothing reads it. Did you mean PALIMPSEST_POLICY?",
    "PALIMPSEST_TRIGER_RATIO is set, but nothing reads it. Did you mean PALIMPSEST_TRIGGER_RATIO?",
    "PALIMPSEST_COLOUR is set, but nothing reads it. docs/serve.md and docs/policies.md list the variables.",
  ]);
});

test("known variables cause no warning: settings, the client's token, and the documents' names", async () => {
  const environment = {
    PALIMPSEST_HOME: newFolder(),
    PALIMPSEST_SUMMARY_MAX_TOKENS: "400",
    PALIMPSEST_TOKEN: "plm_x",
    CHAT_TOKEN_THRESHOLD: "3000",
    UNRELATED: "x",
  };
  await using server = await startServe({ environment });
  await server.end();
  expect(server.logged()).toEqual([]);
});

test("palimpsest doctor names misspelled variables", async () => {
  const { out } = await runCommand(["doctor"], { PALIMPSEST_HOME: newFolder(), ...MISSPELT });
  expect(out).toContain("PALIMPSEST_POLCY is set, but nothing reads it. Did you mean PALIMPSEST_POLICY?");
});
