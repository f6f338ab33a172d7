/** Where the gateway forwards requests, and how the options are checked. */
import {
  COUNT,
  checkOptions,
  invalidOption,
  type OptionRule,
  oneOf,
  optionsOf,
  required,
  TEXT,
} from "../../core/check-options.ts";

/** The vendor whose API an upstream speaks. */
export type Vendor = "openai" | "anthropic";

export interface UpstreamOptions {
  readonly vendor: Vendor;
  /** Address of the API, with or without `/v1` at the end. */
  readonly url: string;
  /** Replaces the client's credentials. Needed if the server has tokens, because clients then send a token. */
  readonly apiKey?: string | undefined;
  /** Only requests for these models; `*` at the end of a name matches any ending. Default: all. */
  readonly models?: readonly string[] | undefined;
}

export interface GatewayOptions {
  /** The first upstream with the vendor and the model of a request is used. Default: the public API of each vendor. */
  readonly upstreams?: readonly UpstreamOptions[] | undefined;
  /** A window smaller than the model's, in tokens. */
  readonly windowTokens?: number | undefined;
  /**
   * What happens to a client's request for a compaction of its own: `own` answers with a summary of the session, `pass`
   * lets the upstream answer. Default: `own`.
   */
  readonly clientCompaction?: "own" | "pass" | undefined;
}

export interface Upstream extends Omit<UpstreamOptions, "url"> {
  readonly url: URL;
}

const PUBLIC: readonly UpstreamOptions[] = [
  { vendor: "openai", url: "https://api.openai.com" },
  { vendor: "anthropic", url: "https://api.anthropic.com" },
];

const UPSTREAM_RULES = {
  vendor: required(oneOf("openai", "anthropic")),
  url: required(TEXT),
  apiKey: TEXT,
  models: { allowed: "a list of model names", holds: (value) => Array.isArray(value) && value.every(TEXT.holds) },
} satisfies Record<keyof UpstreamOptions, OptionRule>;

const UPSTREAMS: OptionRule = {
  allowed: "a list of { vendor, url, apiKey, models }",
  holds: Array.isArray,
  check: (value: unknown, place) => {
    for (const each of value as readonly object[]) checkOptions(each, UPSTREAM_RULES, place.path);
  },
};

export const GATEWAY_RULE = optionsOf({
  upstreams: UPSTREAMS,
  windowTokens: COUNT,
  clientCompaction: oneOf("own", "pass"),
});

/** Parses the addresses; the public ones come last, so that they serve what no other upstream does. */
export function readUpstreams(upstreams: readonly UpstreamOptions[] = []): readonly Upstream[] {
  return [...upstreams, ...PUBLIC].map((upstream) => ({ ...upstream, url: parseAddress(upstream.url) }));
}

const CREDENTIALS = /(?<=\/\/)[^/]*(?=@)/;

function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const hasSecret = url !== undefined && (url.username !== "" || url.password !== "");
  if (url === undefined || !["http:", "https:"].includes(url.protocol) || hasSecret) {
    const shown = text.replace(CREDENTIALS, "…");
    throw invalidOption("gateway: url", shown, "an address such as https://api.openai.com, without a password");
  }
  return url;
}

/** Returns the first upstream for a vendor and a model. */
export function findUpstream(upstreams: readonly Upstream[], vendor: Vendor, model: string | undefined): Upstream {
  const found = upstreams.find((each) => each.vendor === vendor && servesModel(each, model));
  if (found === undefined) throw new TypeError(`There is no upstream for ${vendor}`);
  return found;
}

function servesModel({ models }: Upstream, model = ""): boolean {
  if (models === undefined) return true;
  return models.some((name) => (name.endsWith("*") ? model.startsWith(name.slice(0, -1)) : model === name));
}
