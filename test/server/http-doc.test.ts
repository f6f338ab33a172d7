/** Compares docs/http.md with the code: it lists every operation with its summary, and its commands run. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Route } from "../../src/protocol/route.ts";
import { ROUTES } from "../../src/protocol/routes.ts";
import { Metrics } from "../../src/server/operations/metrics.ts";
import { repositoryRoot } from "../support/read-repository.ts";
import { startTestServer } from "../support/start-server.ts";

const text = readFileSync(join(repositoryRoot, "docs/http.md"), "utf8");

test("docs/http.md lists exactly the operations of the protocol", () => {
  const listed = [...text.matchAll(/^\| `([A-Z]+ \/\S*)`\s*\| (.*?)\s*\|$/gm)].map(
    ([, name, does]) => `${name}: ${does}`,
  );
  const rows = Object.values<Route>(ROUTES).map(({ method, path, summary }) => `${method} ${path}: ${summary}`);
  expect(listed.toSorted()).toEqual(rows.toSorted());
});

test("docs/http.md names only existing metrics", () => {
  const metrics = new Metrics();
  const written = metrics.write();
  metrics.close();
  for (const [, name] of text.matchAll(/`(palimpsest_\w+)`/g)) expect(written).toContain(`# TYPE ${name} `);
});

const hasCurl = spawnSync("curl", ["--json", "{}", "--version"]).status === 0;

test.skipIf(!hasCurl)("the commands of docs/http.md succeed", async () => {
  await using server = await startTestServer();
  const [, commands = ""] = /```sh\n([\s\S]*?)```/.exec(text) ?? [];
  const lines = commands.trim().split("\n");
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    const command = line.replaceAll("http://127.0.0.1:7420", server.url).replace("curl ", "curl --fail ");
    const { promise, resolve } = Promise.withResolvers<number | null>();
    spawn("sh", ["-c", command], { stdio: "ignore" }).on("close", resolve);
    expect([line, await promise]).toEqual([line, 0]);
  }
});
