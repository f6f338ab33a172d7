/**
 * Encodes tenant, role and session of a text as three characters each, which an index of trigrams holds as one piece.
 * They narrow a search and decide nothing: the columns tell apart texts that happen to contain such characters, and
 * tenants that share them.
 */
import { hashText } from "../../core/message/hash-message.ts";
import type { Role } from "../../core/message/message.ts";

const PRIVATE_USE = 0xe000;
const WIDTH = 0x1000;
const ROLES: Readonly<Record<Role, string>> = {
  system: "\uf800\uf800\uf800",
  user: "\uf801\uf801\uf801",
  assistant: "\uf802\uf802\uf802",
  tool: "\uf803\uf803\uf803",
};

export function tenantScope(tenant: string): string {
  const digits = hashText(tenant);
  return String.fromCharCode(...[0, 3, 6].map((at) => PRIVATE_USE + Number.parseInt(digits.slice(at, at + 3), 16)));
}

export function roleScope(role: Role): string {
  return ROLES[role];
}

/** The dialect computes the same value when it indexes a text. */
export function sessionScope(key: number): string {
  const units = [key % WIDTH, Math.floor(key / WIDTH) % WIDTH, WIDTH + (Math.floor(key / WIDTH ** 2) % 0x800)];
  return String.fromCharCode(...units.map((unit) => PRIVATE_USE + unit));
}
