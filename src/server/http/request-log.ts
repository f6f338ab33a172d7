/**
 * What the server tells whoever runs it: a line of JSON for each answer, for each thing that was taken away or carried
 * out, and for what nobody expected. No body, no header and no path is ever told; what is told of names and errors is
 * told without secrets.
 */
import { pino } from "pino";
import { checkOptions, FUNCTION, oneOf } from "../../core/check-options.ts";
import type { JsonValue } from "../../core/message/json.ts";
import { sayWithoutSecrets } from "../../core/summary/secrets/redact-secrets.ts";
import { redactValue } from "../../core/summary/secrets/redact-value.ts";

export interface AnsweredLine {
  readonly requestId: string;
  readonly method: string;
  /** By its name in the table. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly tenantId: string | undefined;
}

export interface AuditLine {
  readonly requestId: string;
  readonly route: string;
  readonly tenantId: string;
  /** Ids, and how they were asked for. */
  readonly params: unknown;
  readonly outcome: "done" | "begun" | "refused" | "failed";
  /** Why not, where it was not done. */
  readonly code?: string | undefined;
}

export interface RequestLog {
  answered(line: AnsweredLine): void;
  audit(line: AuditLine): void;
  failed(requestId: string, error: unknown): void;
  /** What goes on apart from requests: a start, an end. */
  note?(text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What the document of a policy asks to be logged, at every level but `silent`; a note without it. */
  record?(text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What somebody should look at, such as a configuration that cannot be used; a note without it. */
  warn?(text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Details of a summary, for a look at why it came about or failed. */
  debug?(text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes what waits to be written. */
  flush?(): Promise<void>;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export interface RequestLogOptions {
  /** Answers are told from `info` on, failures of ours from `error` on. Audit lines and records come at every level but `silent`. */
  readonly level?: LogLevel | undefined;
  /** Where lines go; stderr without it. */
  readonly write?: ((line: string) => void) | undefined;
}

const RULES = { level: oneOf("debug", "info", "warn", "error", "silent"), write: FUNCTION };

export function createRequestLog(options: RequestLogOptions = {}): RequestLog {
  checkOptions(options, RULES, "createRequestLog");
  const { level = "info", write } = options;
  const destination = write === undefined ? pino.destination({ dest: 2, sync: false }) : undefined;
  const base = { base: null, level, timestamp: pino.stdTimeFunctions.isoTime };
  const logger = destination === undefined ? pino(base, { write: write ?? ignore }) : pino(base, destination);
  const audits = logger.child({}, { level: level === "silent" ? "silent" : "info" });
  return {
    answered(line) {
      const told = { ...line, ...(line.tenantId === undefined ? {} : { tenantId: sayWithoutSecrets(line.tenantId) }) };
      if (line.status === UNAVAILABLE) logger.warn(told, "answered");
      else if (line.status >= 500) logger.error(told, "answered");
      else logger.info(told, "answered");
    },
    audit({ tenantId, params, ...line }) {
      const shown = redactValue(toPlain(params));
      audits.info({ ...line, tenantId: sayWithoutSecrets(tenantId), params: shown }, "audit");
    },
    failed: (requestId, error) => logger.error({ requestId, error: describeError(error) }, "failed"),
    note: (text, fields = {}) => logger.info(redactValue(toPlain(fields)), sayWithoutSecrets(text)),
    record: (text, fields = {}) => audits.info(redactValue(toPlain(fields)), sayWithoutSecrets(text)),
    warn: (text, fields = {}) => logger.warn(redactValue(toPlain(fields)), sayWithoutSecrets(text)),
    debug: (text, fields = {}) => logger.debug(redactValue(toPlain(fields)), sayWithoutSecrets(text)),
    flush: () =>
      new Promise((resolve) => {
        if (destination === undefined) resolve();
        else destination.flush(() => resolve());
      }),
  };
}

/** Said while a server ends or a store is away: nothing of ours is wrong, and it passes. */
const UNAVAILABLE = 503;
const ignore = (): void => undefined;

function toPlain(value: unknown): Record<string, JsonValue> {
  return JSON.parse(JSON.stringify(value ?? {}));
}

const MOST_CAUSES = 5;

/** As text throughout: other fields of an error may hold the request that failed, with its keys. */
function describeError(error: unknown): readonly string[] {
  const told: string[] = [];
  for (let each = error; each !== undefined && told.length < MOST_CAUSES; ) {
    const text = each instanceof Error ? (each.stack ?? each.message) : String(each);
    told.push(sayWithoutSecrets(text));
    each = each instanceof Error ? each.cause : undefined;
  }
  return told;
}
