import type { Fitted } from "../../src/index.ts";

/** Fates of the runs in the plan of a fit, without their reasons and sizes. */
export function listFates({ report }: Pick<Fitted<unknown>, "report">): readonly unknown[] {
  return report.plan.runs.map(({ firstSeq, lastSeq, fate }) => ({ firstSeq, lastSeq, fate }));
}
