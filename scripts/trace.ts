/**
 * `npm run trace` prints which test shows which requirement, one line for each id and the totals last. `-- --owner
 * ground` keeps the ids of one owner, `-- --json` prints JSON, `-- --write` updates test/open-requirements.txt, and `--
 * --inside` prints only ids that no test shows through a public surface.
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
  type RequirementTrace,
  readCitations,
  traceRequirements,
} from "./trace-requirements.ts";

const openList = join(repositoryRoot, "test/open-requirements.txt");

/** Tests of every adapter run the contract suites in src/testing, so their citations count too. */
export function readAllCitations(): readonly Citation[] {
  const files = readSources("src/**/*.test.ts", "test/**/*.test.ts", "src/testing/**/*.ts");
  return [...files].flatMap(([file, source]) => readCitations(file, source));
}

/** Returns requirements that are shown only by tests that reach no entry point. */
export function readInside(): readonly RequirementTrace[] {
  const { exports }: Manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  const entries = Object.values(exports).map((entry) => entry.default.replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts"));
  const files = readSources("src/**/*.ts", "test/**/*.ts");
  // Many tests of internal functions use the entry point for tests, so it does not count.
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

/** Whether the requirement belongs to the owner, alone or together with others. */
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
    process.stderr.write(`Unknown owner ${owner}. The owners are: ${owners.join(", ")}.\n`);
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
