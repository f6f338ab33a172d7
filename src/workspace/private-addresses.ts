/**
 * Addresses that only mean something near to us: this machine, its network, the cloud's own services. What a
 * conversation names must not make us speak to them.
 */
import { BlockList, isIP } from "node:net";

const PRIVATE_IPV4 = listOf("ipv4", [
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

/** The only addresses of the sixth version that are given out to the world. */
const WORLD_IPV6 = listOf("ipv6", [["2000::", 3]]);

/** Those of them that are for tests, for documents, or hold an IPv4 address that somebody else unpacks. */
const SPECIAL_IPV6 = listOf("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
]);

/** Written for an IPv4 address, which is the one that is spoken to: mapped, and translated by the network. */
const CARRIES_IPV4 = listOf("ipv6", [
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
]);

/** True also for what is no address at all, and for one that names a network card. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return PRIVATE_IPV4.check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return true;
  if (CARRIES_IPV4.check(address, "ipv6")) return PRIVATE_IPV4.check(carriedIn(address), "ipv4");
  return !WORLD_IPV6.check(address, "ipv6") || SPECIAL_IPV6.check(address, "ipv6");
}

/** The last 32 bits, which are written as two groups once an address is spelled the usual way. */
function carriedIn(address: string): string {
  const usual = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [high = "", low = ""] = usual.replace(/::$/, ":0:0").replace("::", ":0:").split(":").slice(-2);
  const bits = (Number.parseInt(high || "0", 16) << 16) | Number.parseInt(low || "0", 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
}

function listOf(family: "ipv4" | "ipv6", subnets: readonly (readonly [address: string, bits: number])[]): BlockList {
  const list = new BlockList();
  for (const [address, bits] of subnets) list.addSubnet(address, bits, family);
  return list;
}
