/** The address of the client that sent a request. A trusted proxy reports the client that it forwards for. */
import ipaddr from "ipaddr.js";
import { PalimpsestError } from "../../core/errors.ts";
import type { RequestHead } from "../http/request-head.ts";

export interface Proxies {
  isProxy(address: string): boolean;
  /** Returns the address to count by: the socket's, or the last forwarded one that is not a trusted proxy's. */
  findClient(head: Pick<RequestHead, "address" | "header">): string | undefined;
}

/** `addresses` are those of proxies or of their networks: `10.0.0.2`, `10.0.0.0/8`, `::1`. */
export function createProxies(addresses: readonly string[]): Proxies {
  const networks = addresses.map(parseNetwork);
  const isProxy = (address: string): boolean => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match([network, bits]));
  };
  return {
    isProxy,
    findClient({ address, header }) {
      if (address === undefined || !isProxy(address)) return address;
      const forwarded = (header("x-forwarded-for") ?? "").split(",").map((each) => each.trim());
      const client = forwarded.findLast((each) => !isProxy(each));
      return client !== undefined && ipaddr.isValid(client) ? ipaddr.process(client).toString() : address;
    },
  };
}

/** Returns the key that limits count by: the address, or for IPv6 its /64 network, which one client may have whole. */
export function networkOf(address: string): string {
  const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
  return parsed instanceof ipaddr.IPv6 ? parsed.toNormalizedString().split(":", 4).join(":") : address;
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  try {
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    const address = ipaddr.process(text);
    return [address, address.kind() === "ipv4" ? 32 : 128];
  } catch (error) {
    const message = `proxies: expected addresses such as 10.0.0.2 or 10.0.0.0/8, found ${JSON.stringify(text)}.`;
    throw new PalimpsestError("config-invalid", message, { details: { key: "proxies" }, cause: error });
  }
}
