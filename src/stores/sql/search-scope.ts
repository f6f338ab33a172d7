/**
 * Whose a text is, as three characters that an index of three-character pieces holds as one piece each. They narrow a
 * search before the texts are looked at, and decide nothing: a text that holds such characters itself, and tenants that
 * share them, are told apart by the columns.
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

/** The dialect writes the same beside a text when it is taken into the index. */
export function sessionScope(key: number): string {
  const units = [key % WIDTH, Math.floor(key / WIDTH) % WIDTH, WIDTH + (Math.floor(key / WIDTH ** 2) % 0x800)];
  return String.fromCharCode(...units.map((unit) => PRIVATE_USE + unit));
}
