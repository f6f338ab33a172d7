/** How the process of a command ends. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { repositoryRoot } from "./support/read-repository.ts";

test("a command that has ended ends its process although a timer is pending, after its output is written", () => {
  const module = pathToFileURL(join(repositoryRoot, "src/cli/terminal/node-process.ts"));
  const script = `import { exitSoon } from "${module}";
    setTimeout(() => undefined, 3_600_000);
    process.stdout.write("x".repeat(300_000));
    process.exitCode = 3;
    exitSoon();`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script]);
  expect([status, stdout.length]).toEqual([3, 300_000]);
});
