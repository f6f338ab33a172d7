/** A relay for a process that does not share its store: every free claim is granted, and nothing is published. */
import type { Relay } from "../../ports/relay.ts";

export interface RelayOptions {
  /** Called with each problem that the relay worked around, such as a lost connection or a claim that another process took. */
  readonly onWarning: (text: string) => void;
}

export function createLocalRelay(): Relay {
  const claims = new Set<string>();
  return {
    isShared: false,
    async claim(key) {
      if (claims.has(key)) return false;
      claims.add(key);
      return true;
    },
    async release(key) {
      claims.delete(key);
    },
    isClaimedElsewhere: async () => false,
    publish: async () => undefined,
    listen: () => () => undefined,
    close: async () => claims.clear(),
  };
}
