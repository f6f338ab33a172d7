/** The client as a page loads it: one module for browsers, without a schema or anything of Node. */
import { join } from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { ADDRESSES } from "../src/protocol/addresses.ts";
import { ROUTES } from "../src/protocol/routes.ts";
import { repositoryRoot } from "./support/read-repository.ts";

const MAX_BYTES = 40_000;
const OWN_MODULES = /\/src\/(?:client|protocol|core\/(?:check-value|errors)\.ts$)|\/node_modules\/eventsource-parser\//;

describe("the client's bundle", () => {
  test("is small, imports nothing, and contains no package but the event parser", async () => {
    const bundle = await rolldown({
      input: join(repositoryRoot, "src/client/index.ts"),
      platform: "browser",
      external: [/^node:/],
      logLevel: "silent",
    });
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
    await bundle.close();
    const [{ code, moduleIds, imports, dynamicImports }] = output;
    expect([...imports, ...dynamicImports]).toEqual([]);
    expect(moduleIds.filter((id) => !OWN_MODULES.test(id))).toEqual([]);
    expect(code.length).toBeLessThan(MAX_BYTES);
    const url = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
    expect(Object.keys(await import(/* @vite-ignore */ url)).toSorted()).toEqual(["ClientError", "createClient"]);
  });
});

test("ADDRESSES contains the method, path and content types of every route", () => {
  const expected = Object.entries(ROUTES).map(([name, row]) => {
    const { method, path, gives = "json", takes = "json" }: import("../src/protocol/route.ts").Route = row;
    return [name, [method, path, gives, takes]];
  });
  expect(ADDRESSES).toEqual(Object.fromEntries(expected));
});
