/** The door as the host's options say: who may ask, by which names and from which pages. */
import { PalimpsestError } from "../../core/errors.ts";
import type { RequestLog } from "../http/request-log.ts";
import { type Access, createAccess } from "./access.ts";
import { isLoopback, LOOPBACK_HOSTS } from "./guard-origin.ts";
import type { RateRule } from "./rate-limit.ts";
import { followTokens } from "./token-file.ts";
import type { TokenRow } from "./tokens.ts";

interface AccessChoices {
  readonly tokens?: readonly TokenRow[] | undefined;
  readonly tokensFile?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
  readonly rate?: RateRule | undefined;
  readonly log: Pick<RequestLog, "note" | "warn">;
}

export function openAccess(
  { tokens, tokensFile, hosts = [], origins = [], rate, log }: AccessChoices,
  host: string,
): Access {
  const onError = ({ message }: PalimpsestError): void => (log.warn ?? log.note)?.(message);
  const following = tokensFile === undefined ? undefined : followTokens(tokensFile, { onError });
  const isOpen = tokens === undefined && following === undefined;
  if (isOpen && !isLoopback(host)) {
    const text = `host: ${host} can be reached by others, so it needs tokens. Add one with palimpsest token add --tenant <name>, and name the file with --tokens.`;
    throw new PalimpsestError("config-invalid", text, { details: { key: "host" } });
  }
  const known = [...LOOPBACK_HOSTS, host.includes(":") ? `[${host}]` : host, ...hosts].map((name) =>
    name.toLowerCase(),
  );
  const rows = () => [...(tokens ?? []), ...(following?.() ?? [])];
  return createAccess({ origins: { hosts: known, origins }, tokens: isOpen ? undefined : rows, rate });
}
