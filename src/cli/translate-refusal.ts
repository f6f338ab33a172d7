/** What a server refused, in the codes that commands know, so that a command ends over a server as over a store. */
import { ClientError } from "../client/index.ts";
import { ERROR_CODES, type ErrorCode, PalimpsestError } from "../core/errors.ts";
import { adviseOnToken } from "./advise-on-token.ts";

const AWAY: readonly string[] = ["unreachable", "connection-lost", "stopping", "too-many-requests"];

export async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw translateRefusal(error);
  }
}

export function translateRefusal(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const { code, message, retryable, status = 0 } = error;
  const context = { cause: error, ...(retryable ? {} : { retryable: false as const }) };
  if (Object.hasOwn(ERROR_CODES, code)) return new PalimpsestError(code as ErrorCode, message, context);
  if (AWAY.includes(code) || status >= 500)
    return new PalimpsestError("store-unavailable", `--server: ${message}`, context);
  const advice = adviseOnToken(code) ?? "";
  return new PalimpsestError("config-invalid", `--server: ${`${message} ${advice}`.trim()} (${code})`, context);
}
