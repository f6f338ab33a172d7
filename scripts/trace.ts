/**
 * `npm run trace` prints which test shows which requirement, one line an id and the totals last. `-- --owner ground`
 * keeps the ids of one piece of work, `-- --json` prints the same for machines, `-- --write` brings
 * test/open-requirements.txt up to date, and `-- --inside` prints only ids that no test shows from a user's side.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { owners, type Requirement, requirements } from "../test/requirements.ts";
import { readSources, repositoryRoot } from "../test/support/read-repository.ts";
import { findInsideTests } from "./find-inside-tests.ts";
import {
  type Citation,
  formatTotals,
  formatTrace,
  listInside,
  listOpen,
  readCitations,
  type Trace,
  traceRequirements,
} from "./trace-requirements.ts";

const openList = join(repositoryRoot, "test/open-requirements.txt");

/** Contract suites in src/testing are run by the tests of every adapter, so what they cite counts too. */
export function readAllCitations(): readonly Citation[] {
  const files = readSources("src/**/*.test.ts", "test/**/*.test.ts", "src/testing/**/*.ts");
  return [...files].flatMap(([file, source]) => readCitations(file, source));
}

/** Traces of what is shown by tests that reach no entry point, and by no other. */
export function readInside(): readonly Trace[] {
  const { exports }: Manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  const entries = Object.values(exports).map((entry) => entry.default.replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts"));
  const files = readSources("src/**/*.ts", "test/**/*.ts");
  // The entry point for tests is what all of them use.
  const inside = findInsideTests(
    files,
    entries.filter((entry) => !entry.startsWith("src/testing/")),
  );
  return listInside(traceRequirements(requirements, readAllCitations()), inside);
}

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
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
    options: {
      json: { type: "boolean" },
      write: { type: "boolean" },
      inside: { type: "boolean" },
      owner: { type: "string" },
    },
  });
  const { owner } = values;
  if (owner !== undefined && !owners.some((each) => each === owner)) {
    process.stderr.write(`There is no owner ${owner}. There are: ${owners.join(", ")}.\n`);
    return 1;
  }
  const all = values.inside === true ? readInside() : traceRequirements(requirements, readAllCitations());
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
