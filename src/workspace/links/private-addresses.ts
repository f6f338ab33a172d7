/**
 * Recognises addresses of this machine, its network and the cloud's own services. A link in a conversation must not
 * make the engine connect to them.
 */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** The global unicast range of IPv6. `ipaddr.js` calls every address unicast that it does not know as special. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** The range of NAT64. The last 32 bits are the IPv4 address that the network translates to. */
const TRANSLATED_IPV4 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** Returns true also for invalid addresses and for those with a zone. */
export function isPrivateAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes("%")) return true;
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.range() !== "unicast";
  if (parsed.match(TRANSLATED_IPV4)) {
    return ipaddr.fromByteArray(parsed.toByteArray().slice(-4)).range() !== "unicast";
  }
  return parsed.range() !== "unicast" || !parsed.match(GLOBAL_IPV6);
}
