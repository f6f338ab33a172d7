/** The options of a call that say where its sessions are, for a hint at the next call. A password is never repeated. */
import type { Invocation } from "./command.ts";

const PLACES = ["server", "store", "home", "tenant"] as const;

export function repeatPlace({ text }: Invocation): string {
  return PLACES.flatMap((name) => {
    const value = text(name);
    if (value === undefined) return [];
    const isPrivate = URL.canParse(value) && new URL(value).password !== "";
    return [` --${name} ${isPrivate ? "…" : quote(value)}`];
  }).join("");
}

/** As a shell takes it for one word. */
function quote(value: string): string {
  return /^[\w./:@=-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
