/**
 * Starts slow files first, so that no worker waits for one of them at the end. Files are grouped by project, because
 * vitest reuses a worker only for files of the same project; the small files of `src` come last.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONG = /(?:-contract|\.property|summarizer-faults|real-log-cuts|same-bytes|jsonl-store|real-logs)\.test\.ts$/;
const PROJECTS = ["test", "apart", "src"];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => placeOf(left) - placeOf(right));
  }
}

function placeOf({ project, moduleId }: TestSpecification): number {
  return PROJECTS.indexOf(project.name) + (LONG.test(moduleId) ? 0 : 0.5);
}
