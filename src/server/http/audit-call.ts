/**
 * The line that says who took something away or carried it out, written once it is known how that ended: a line that
 * says "done" is about something that happened. An export is written out after its answer has begun, and says so.
 */
import { answerError } from "./answer-error.ts";
import type { AuditLine, RequestLog } from "./request-log.ts";

/** Answers that say why nothing was done. */
const REFUSALS: ReadonlySet<unknown> = new Set(["has-forks"]);

export async function auditCall<Given>(
  line: Omit<AuditLine, "outcome" | "code">,
  log: Pick<RequestLog, "audit">,
  work: () => Promise<Given>,
): Promise<Given> {
  let given: Given;
  try {
    given = await work();
  } catch (error) {
    const { status, body } = answerError(error, line.requestId);
    log.audit({ ...line, outcome: status >= 500 ? "failed" : "refused", code: body.error.code });
    throw error;
  }
  log.audit({ ...line, ...outcomeOf(given) });
  return given;
}

function outcomeOf(given: unknown): Pick<AuditLine, "outcome" | "code"> {
  if (given instanceof Response) return { outcome: "begun" };
  const type = typeof given === "object" && given !== null && "type" in given ? given.type : undefined;
  return REFUSALS.has(type) ? { outcome: "refused", code: String(type) } : { outcome: "done" };
}
