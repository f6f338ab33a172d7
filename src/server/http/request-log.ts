/** The server's log in lines of JSON. They contain no bodies, headers or paths; names and errors are redacted. */
import { pino } from "pino";
import { checkOptions, FUNCTION, oneOf } from "../../core/check-options.ts";
import type { JsonValue } from "../../core/message/json.ts";
import { redactForDisplay } from "../../core/summary/secrets/redact-secrets.ts";
import { redactValue } from "../../core/summary/secrets/redact-value.ts";
import { answerError } from "./answer-error.ts";

export interface ResponseLine {
  readonly requestId: string;
  readonly method: string;
  /** Name of the route in the protocol. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly tenantId: string | undefined;
  /** Host to which the gateway forwarded the request. */
  readonly upstream?: string | undefined;
}

export interface AuditLine {
  readonly requestId: string;
  readonly route: string;
  readonly tenantId: string;
  readonly params: unknown;
  readonly outcome: "done" | "begun" | "refused" | "failed";
  /** Error code if the outcome is `refused` or `failed`. */
  readonly code?: string | undefined;
}

/** Where a server writes its warnings, errors and audit lines. */
export interface RequestLog {
  answered(line: ResponseLine): void;
  audit(line: AuditLine): void;
  failed(requestId: string, error: unknown): void;
  /** Logs what happens outside of requests, such as start and end. */
  note?(text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs what a policy's document requires, at every level but `silent`. `note` is used without it. */
  record?(text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs what an operator should look at, such as an invalid configuration. `note` is used without it. */
  warn?(text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Logs details of a summary that explain why it was written or failed. */
  debug?(text: string, fields?: Readonly<Record<string, unknown>>): void;
  flush?(): Promise<void>;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export interface RequestLogOptions {
  /** `info` also logs responses, `error` only server errors. Audit lines and records are logged unless `silent`. */
  readonly level?: LogLevel | undefined;
  readonly write?: ((line: string) => void) | undefined;
}

const RULES = { level: oneOf("debug", "info", "warn", "error", "silent"), write: FUNCTION };

/**
 * Returns the log of a server: one line of JSON for each request.
 *
 * @example
 * ```ts
 * const server = await startServer({ store: "memory:", log: createRequestLog({ level: "warn" }) });
 * ```
 */
export function createRequestLog(options: RequestLogOptions = {}): RequestLog {
  checkOptions(options, RULES, "createRequestLog");
  const { level = "info", write } = options;
  const destination = write === undefined ? pino.destination({ dest: 2, sync: false }) : undefined;
  const base = { base: null, level, timestamp: pino.stdTimeFunctions.isoTime };
  const logger = destination === undefined ? pino(base, { write: write ?? ignore }) : pino(base, destination);
  const audits = logger.child({}, { level: level === "silent" ? "silent" : "info" });
  return {
    answered(line) {
      const shown = { ...line, ...(line.tenantId === undefined ? {} : { tenantId: redactForDisplay(line.tenantId) }) };
      if (line.status === UNAVAILABLE) logger.warn(shown, "answered");
      else if (line.status >= 500) logger.error(shown, "answered");
      else logger.info(shown, "answered");
    },
    audit({ tenantId, params, ...line }) {
      const shown = redactValue(toPlain(params));
      audits.info({ ...line, tenantId: redactForDisplay(tenantId), params: shown }, "audit");
    },
    failed: (requestId, error) => logger.error({ requestId, error: describeError(error) }, "failed"),
    note: (text, fields = {}) => logger.info(redactValue(toPlain(fields)), redactForDisplay(text)),
    record: (text, fields = {}) => audits.info(redactValue(toPlain(fields)), redactForDisplay(text)),
    warn: (text, fields = {}) => logger.warn(redactValue(toPlain(fields)), redactForDisplay(text)),
    debug: (text, fields = {}) => logger.debug(redactValue(toPlain(fields)), redactForDisplay(text)),
    flush: () =>
      new Promise((resolve) => {
        if (destination === undefined) resolve();
        else destination.flush(() => resolve());
      }),
  };
}

/** Status while the server shuts down or the store is unavailable. It is temporary, so it is logged as a warning. */
const UNAVAILABLE = 503;
const ignore = (): void => undefined;

function toPlain(value: unknown): Record<string, JsonValue> {
  return JSON.parse(JSON.stringify(value ?? {}));
}

const MAX_CAUSES = 5;

/** Returns texts only, because other fields of an error may contain the failed request with its keys. */
function describeError(error: unknown): readonly string[] {
  const texts: string[] = [];
  for (let each = error; each !== undefined && texts.length < MAX_CAUSES; ) {
    const text = each instanceof Error ? (each.stack ?? each.message) : String(each);
    texts.push(redactForDisplay(text));
    each = each instanceof Error ? each.cause : undefined;
  }
  return texts;
}

/** Results that explain why nothing was done. */
const REFUSALS: ReadonlySet<unknown> = new Set(["has-forks"]);

/** Runs the work, then logs its outcome. An export is logged as started, because it is sent after its response. */
export async function auditCall<Result>(
  line: Omit<AuditLine, "outcome" | "code">,
  log: Pick<RequestLog, "audit">,
  work: () => Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    const { status, body } = answerError(error, line.requestId);
    log.audit({ ...line, outcome: status >= 500 ? "failed" : "refused", code: body.error.code });
    throw error;
  }
  log.audit({ ...line, ...createAuditOutcome(result) });
  return result;
}

function createAuditOutcome(result: unknown): Pick<AuditLine, "outcome" | "code"> {
  if (result instanceof Response) return { outcome: "begun" };
  const type = typeof result === "object" && result !== null && "type" in result ? result.type : undefined;
  return REFUSALS.has(type) ? { outcome: "refused", code: String(type) } : { outcome: "done" };
}
