/** Files that take long though they are short begin first, so that nobody waits for one of them at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONG = /(?:-crash|-contract|summarizer-faults|packed)\.test\.ts$/;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => Number(isLong(right)) - Number(isLong(left)));
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return LONG.test(moduleId);
}
