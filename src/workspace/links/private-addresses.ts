/**
 * Recognises addresses of this machine, its network and the cloud's own services. A link in a conversation must not
 * make the engine connect to them.
 */
import { BlockList, isIP } from "node:net";

const PRIVATE_IPV4 = buildBlockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);

/** The global unicast range of IPv6. */
const GLOBAL_IPV6 = buildBlockList("ipv6", [["2000::", 3]]);

/** Ranges of it for tests and documentation, or with an embedded IPv4 address that a gateway unpacks. */
const SPECIAL_IPV6 = buildBlockList("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Ranges that stand for an IPv4 address: mapped, and translated by the network. */
const EMBEDS_IPV4 = buildBlockList("ipv6", [
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
]);

/** Returns true also for invalid addresses and for those with a zone. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return PRIVATE_IPV4.check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return true;
  if (EMBEDS_IPV4.check(address, "ipv6")) return PRIVATE_IPV4.check(extractIpv4(address), "ipv4");
  return !GLOBAL_IPV6.check(address, "ipv6") || SPECIAL_IPV6.check(address, "ipv6");
}

/** Returns the last 32 bits, which are two groups in the normalised form. */
function extractIpv4(address: string): string {
  const usual = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [high = "", low = ""] = usual.replace(/::$/, ":0:0").replace("::", ":0:").split(":").slice(-2);
  const bits = (Number.parseInt(high || "0", 16) << 16) | Number.parseInt(low || "0", 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
}

function buildBlockList(
  family: "ipv4" | "ipv6",
  subnets: readonly (readonly [address: string, bits: number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, bits] of subnets) list.addSubnet(address, bits, family);
  return list;
}
