/** Imports between the rooms follow the design, and the checker itself finds violations. */
import { describe, expect, test } from "vitest";
import { checkPurity } from "./support/check-purity.ts";
import { checkRooms, formatViolation } from "./support/check-rooms.ts";
import { readImports } from "./support/read-imports.ts";
import { readSources } from "./support/read-repository.ts";

const complaints = (files: Readonly<Record<string, string>>): readonly string[] =>
  checkRooms(new Map(Object.entries(files))).map(formatViolation);

describe("the repository", () => {
  test("has no import that breaks the order of the rooms", () => {
    const files = readSources("src/**/*.ts", "web/**/*.{ts,tsx}");
    expect(files.size).toBeGreaterThan(10);
    expect(checkRooms(files).map(formatViolation)).toEqual([]);
  });

  test("has a core without clocks, randomness, timers, promises or I/O", () => {
    expect(checkPurity(readSources("src/core/**/*.ts")).map(formatViolation)).toEqual([]);
  });
});

describe("readImports", () => {
  test("finds every form of import, also over several lines", () => {
    const source = [
      'import "./a.ts";',
      'import b, { type B } from "./b.ts";',
      'import type {\n  C,\n  D as E,\n} from "./c.ts";',
      "import * as d from './d.ts';",
      'export * from "./e.ts";',
      'export type { F } from "./f.ts";',
      'export { g } from "./g.ts";',
      'const h = await import("./h.ts");',
      "const i = await import(name);",
      'import data from "./j.json" with { type: "json" };',
    ].join("\n");
    expect(readImports(source)).toEqual([
      { kind: "static", specifier: "./a.ts" },
      { kind: "static", specifier: "./b.ts" },
      { kind: "type", specifier: "./c.ts" },
      { kind: "static", specifier: "./d.ts" },
      { kind: "static", specifier: "./e.ts" },
      { kind: "type", specifier: "./f.ts" },
      { kind: "static", specifier: "./g.ts" },
      { kind: "static", specifier: "./j.json" },
      { kind: "dynamic", specifier: "./h.ts" },
      { kind: "dynamic", specifier: undefined },
    ]);
  });

  test("ignores comments, strings, templates and regular expressions", () => {
    const source = [
      '// import "./a.ts";',
      '/* export * from "./b.ts" */',
      `const text = 'import c from "./c.ts"';`,
      `const template = \`import d from "./d.ts" \${call("}")} import e from "./e.ts"\`;`,
      "const quote = /[\"'`/]/.exec(text);",
      'export interface Open { from: "x" }',
      'import type { Real } from "./real.ts";',
    ].join("\n");
    expect(readImports(source)).toEqual([{ kind: "type", specifier: "./real.ts" }]);
  });
});

describe("checkRooms", () => {
  test("lets each room import the rooms that the design allows", () => {
    expect(
      complaints({
        "src/core/errors.ts": "",
        "src/core/plan/plan.ts": 'import { hash } from "node:crypto"; import { a } from "../message/message.ts";',
        "src/ports/store.ts": 'import type { Entry } from "../core/log/entry.ts";',
        "src/engine/session/session.ts":
          'import { plan } from "../core/plan/plan.ts"; import type { S } from "../ports/store.ts";',
        "src/stores/jsonl/jsonl-store.ts": 'import fs from "node:fs"; import type { S } from "../../ports/store.ts";',
        "src/client/client.ts": 'import { r } from "../protocol/r.ts"; import type { E } from "../core/errors.ts";',
        "src/server/start.ts": 'import { openPalimpsest } from "../compose.ts"; import { Hono } from "hono";',
        "src/compose.ts": 'import { openJsonl } from "./stores/jsonl/jsonl-store.ts";',
        "src/index.ts":
          'export { openPalimpsest } from "./compose.ts"; export type { Plan } from "./core/plan/plan.ts";',
        "web/main.tsx": 'import { client } from "../src/client/client.ts"; import React from "react";',
      }),
    ).toEqual([]);
  });

  test("names file, import and rule when a room imports upward, even if it imports only a type", () => {
    expect(complaints({ "src/core/plan/plan.ts": 'import type { Session } from "../../engine/session.ts";' })).toEqual([
      "src/core/plan/plan.ts imports ../../engine/session.ts: core is pure: it imports itself and node:crypto only",
    ]);
  });

  test.each([
    ["src/core/errors.ts", 'import "zod";'],
    ["src/core/errors.ts", 'import { readFileSync } from "node:fs";'],
    ["src/core/errors.ts", 'const clock = await import("node:timers");'],
    ["src/core/message/message.ts", 'import { plan } from "../plan/plan.ts";'],
    ["src/core/message/message.ts", 'import type { Plan } from "../public/index.ts";'],
    ["src/core/errors.ts", 'import type { Message } from "./message/message.ts";'],
    ["src/ports/store.ts", 'import { fold } from "../core/log/fold.ts";'],
    ["src/ports/store.ts", 'import type { Session } from "../engine/session.ts";'],
    ["src/engine/session/session.ts", 'import { store } from "../../stores/memory/memory-store.ts";'],
    ["src/engine/session/session.ts", 'import { readFile } from "node:fs/promises";'],
    ["src/stores/memory/memory-store.ts", 'import { policy } from "../../policies/default.ts";'],
    ["src/protocol/routes.ts", 'import { session } from "../engine/session.ts";'],
    ["src/client/client.ts", 'import { PalimpsestError } from "../core/errors.ts";'],
    ["src/server/chat.ts", 'import { open } from "../compose.ts";'],
    ["src/server/chat.ts", 'import { openSqlite } from "../stores/sqlite/open.ts";'],
    ["src/engine/session/session.ts", 'import { open } from "../../index.ts";'],
    ["src/compose.ts", 'import { aMessage } from "./testing/builders.ts";'],
    ["src/compose.ts", 'import { aMessage } from "../test/builders.ts";'],
    ["src/models/open.ts", "await import(name);"],
    ["src/models/open.ts", 'import { fit } from "palimpsest";'],
    ["web/main.tsx", 'import { plan } from "../src/core/plan/plan.ts";'],
    ["src/core/extras/extra.ts", ""],
    ["src/attic/old.ts", ""],
    ["src/loose.ts", ""],
    ["src/engine/utils.ts", ""],
    ["src/engine/string-helpers.ts", ""],
    ["src/engine/misc/a.ts", ""],
    ["src/engine/session.test.ts", ""],
  ])("reports one violation for the file %s with the source %j", (file, source) => {
    expect(complaints({ [file]: source })).toHaveLength(1);
  });

  test("does not restrict tests that are next to their source", () => {
    expect(
      complaints({
        "src/core/errors.ts": "",
        "src/core/errors.test.ts": 'import { x } from "../testing/x.ts"; import "../engine/session.ts";',
        "src/core/errors.property.test.ts": 'import fc from "fast-check";',
      }),
    ).toEqual([]);
  });

  test("finds a package that a light entry point loads, and names the path to it", () => {
    const files = {
      "src/index.ts": 'export { open } from "./compose.ts";',
      "src/compose.ts": 'import { count } from "./counters/o200k.ts";',
      "src/counters/o200k.ts": 'import { encode } from "gpt-tokenizer";',
    };
    expect(complaints(files)).toEqual([
      "src/counters/o200k.ts imports gpt-tokenizer: it is loaded with src/index.ts (src/index.ts → src/compose.ts → " +
        "src/counters/o200k.ts); load packages with import() where they are used",
    ]);
    expect(complaints({ ...files, "src/counters/o200k.ts": 'await import("gpt-tokenizer");' })).toEqual([]);
    expect(complaints({ ...files, "src/counters/o200k.ts": 'import type { E } from "gpt-tokenizer";' })).toEqual([]);
  });

  test("finds files that import each other in a cycle, even if they import only types", () => {
    expect(
      complaints({
        "src/core/log/a.ts": 'import { b } from "./b.ts";',
        "src/core/log/b.ts": 'import type { C } from "./c.ts";',
        "src/core/log/c.ts": 'import { a } from "./a.ts";',
      }),
    ).toEqual([
      "src/core/log/a.ts: files import each other in a cycle: src/core/log/a.ts → src/core/log/b.ts → " +
        "src/core/log/c.ts → src/core/log/a.ts",
    ]);
  });
});

describe("checkPurity", () => {
  const impure = (source: string): readonly string[] =>
    checkPurity(new Map([["src/core/log/a.ts", source]])).map(formatViolation);

  test.each([
    "const at = Date.now();",
    "const at = new Date();",
    "const id = Math.random();",
    "export async function load() {}",
    "process.env.HOME;",
    "setTimeout(run, 1);",
  ])("reports one violation for the source %j", (source) => {
    expect(impure(source)).toHaveLength(1);
  });

  test("accepts dates that are passed in, and words in comments and strings", () => {
    expect(impure('// await Date.now()\nconst text = "async"; const day = new Date(timestampMs);')).toEqual([]);
  });
});
