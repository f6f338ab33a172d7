/**
 * `npm run trace` prints which test shows which requirement, one line an id and the totals last. `-- --owner ground`
 * keeps the ids of one piece of work, `-- --json` prints the same for machines, `-- --write` brings
 * test/open-requirements.txt up to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { owners, type Requirement, requirements } from "../test/requirements.ts";
import { readSources, repositoryRoot } from "../test/support/read-repository.ts";
import {
  type Citation,
  formatTotals,
  formatTrace,
  listOpen,
  readCitations,
  traceRequirements,
} from "./trace-requirements.ts";

const openList = join(repositoryRoot, "test/open-requirements.txt");

/** Contract suites in src/testing are run by the tests of every adapter, so what they cite counts too. */
export function readAllCitations(): readonly Citation[] {
  const files = readSources("src/**/*.test.ts", "test/**/*.test.ts", "src/testing/**/*.ts");
  return [...files].flatMap(([file, source]) => readCitations(file, source));
}

export function readOpenList(): readonly string[] {
  return readFileSync(openList, "utf8").split("\n").filter(Boolean);
}

/** The whole row of an owner, what it shows in part included. */
function isOwnedBy(requirement: Requirement, owner: string): boolean {
  return [requirement.owner, ...requirement.alsoOwners].some((each) => each === owner);
}

function main(): number {
  const { values } = parseArgs({
    options: { json: { type: "boolean" }, write: { type: "boolean" }, owner: { type: "string" } },
  });
  const { owner } = values;
  if (owner !== undefined && !owners.some((each) => each === owner)) {
    process.stderr.write(`There is no owner ${owner}. There are: ${owners.join(", ")}.\n`);
    return 1;
  }
  const all = traceRequirements(requirements, readAllCitations());
  if (values.write)
    writeFileSync(
      openList,
      listOpen(all)
        .map((id) => `${id}\n`)
        .join(""),
    );
  const traces = all.filter(({ requirement }) => owner === undefined || isOwnedBy(requirement, owner));
  const lines = values.json
    ? [JSON.stringify(traces.map(({ requirement, ...rest }) => ({ ...requirement, ...rest })))]
    : [...traces.map(formatTrace), formatTotals(traces)];
  process.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

if (import.meta.main) process.exitCode = main();
