/**
 * Addresses that only mean something near to us: this machine, its network, the cloud's own services. What a
 * conversation names must not make us speak to them.
 */
import { BlockList, isIP } from "node:net";

const IPV4: readonly (readonly [address: string, bits: number])[] = [
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
];

/** The last four hold an IPv4 address inside: what they lead to cannot be told from outside. */
const IPV6: readonly (readonly [address: string, bits: number])[] = [
  ["::", 128],
  ["::1", 128],
  ["100::", 64],
  ["2001:db8::", 32],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 32],
  ["2001::", 23],
  ["2002::", 16],
];

/** Two, because one list takes every IPv4 address for its mapped one. */
const blocked = { 4: new BlockList(), 6: new BlockList() };
for (const [address, bits] of IPV4) blocked[4].addSubnet(address, bits, "ipv4");
for (const [address, bits] of IPV6) blocked[6].addSubnet(address, bits, "ipv6");

/** True also for what is no address at all. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return blocked[4].check(address, "ipv4");
  return family === 6 ? blocked[6].check(address, "ipv6") : true;
}
