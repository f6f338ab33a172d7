/**
 * Checks the gateway: that its upstreams answer, that the keys are accepted, and which settings apply. Prints the
 * addresses for clients. Requests only the upstreams' lists of models, and never prints a key.
 */
import { readUpstreams, type Upstream } from "../../server/gateway/gateway-options.ts";
import { readGateway, VENDORS } from "../setup/serve-options.ts";
import type { Invocation } from "../terminal/command.ts";
import { explainError } from "../terminal/terminal-text.ts";
import { badFinding, type Finding, goodFinding, warningFinding } from "./finding.ts";

export interface GatewayPlace {
  readonly host: string;
  readonly port: number;
  /** Whether clients need a token of the server. Then upstreams need a key of the operator. */
  readonly hasTokens: boolean;
}

export async function examineGateway(invocation: Invocation, place: GatewayPlace): Promise<readonly Finding[]> {
  try {
    const options = readGateway(invocation);
    const upstreams = readUpstreams(options.upstreams);
    const checked = await Promise.all(
      VENDORS.map((vendor) => {
        const upstream = upstreams.find((each) => each.vendor === vendor.vendor);
        return upstream === undefined ? [] : examineUpstream(upstream, { ...vendor, ...place });
      }),
    );
    return [...checked.flat(), describeClients(place), describeSettings(options)];
  } catch (error) {
    return [badFinding("gateway", explainError(error), "Correct the option, or leave it out.")];
  }
}

const TIMEOUT_MS = 3_000;

interface VendorPlace extends GatewayPlace {
  readonly variable: string;
}

async function examineUpstream(upstream: Upstream, { variable, hasTokens }: VendorPlace): Promise<readonly Finding[]> {
  const { url, apiKey, vendor } = upstream;
  const name = `${vendor} at ${url.host}`;
  const key =
    apiKey !== undefined
      ? goodFinding("gateway", `${name}: ${variable} replaces the keys of clients`)
      : hasTokens
        ? badFinding("gateway", `${name} has no key, but clients send tokens`, `Set ${variable}.`)
        : goodFinding("gateway", `${name}: clients use their own keys`);
  return [await askForModels(upstream, name, variable), key];
}

async function askForModels({ url, apiKey, vendor }: Upstream, name: string, variable: string): Promise<Finding> {
  const address = `${url.origin}${url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/models`;
  const given: Record<string, string> =
    vendor === "anthropic" ? { "x-api-key": apiKey ?? "" } : { authorization: `Bearer ${apiKey ?? ""}` };
  const headers = { "anthropic-version": "2023-06-01", ...(apiKey === undefined ? {} : given) };
  try {
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
    const text = await response.text();
    return describeAnswer(response.status, countModels(text), { name, variable, hasKey: apiKey !== undefined });
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : explainError(error);
    return badFinding("gateway", `${name} cannot be reached: ${reason}`, `Check --${vendor} and the network.`);
  }
}

interface AskedUpstream {
  readonly name: string;
  readonly variable: string;
  readonly hasKey: boolean;
}

function describeAnswer(
  status: number,
  models: number | undefined,
  { name, variable, hasKey }: AskedUpstream,
): Finding {
  if (status === 200 && models !== undefined) return goodFinding("gateway", `${name} answers with ${models} models`);
  if (status === 401 || status === 403) {
    return hasKey
      ? badFinding("gateway", `${name} refuses the key (${status})`, `Correct ${variable}.`)
      : goodFinding("gateway", `${name} answers, and asks for a key`);
  }
  const advice = "Check that the address is that of an API, such as https://api.openai.com.";
  return warningFinding("gateway", `${name} has no list of models (status ${status})`, advice);
}

function countModels(text: string): number | undefined {
  try {
    const { data }: { readonly data?: unknown } = JSON.parse(text);
    return Array.isArray(data) ? data.length : undefined;
  } catch {
    // A page of a proxy, for example.
    return undefined;
  }
}

function describeClients({ host, port, hasTokens }: GatewayPlace): Finding {
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const keys = hasTokens ? "; clients send a token as their key" : "";
  return goodFinding("clients", `ANTHROPIC_BASE_URL=${address} OPENAI_BASE_URL=${address}/v1${keys}`);
}

function describeSettings({ windowTokens, clientCompaction = "own" }: ReturnType<typeof readGateway>): Finding {
  const window = windowTokens === undefined ? "the window of each model" : `a window of ${windowTokens} tokens`;
  const compaction = clientCompaction === "own" ? "this server" : "the upstream";
  return goodFinding("gateway", `${window}; compactions of clients are answered by ${compaction}`);
}
