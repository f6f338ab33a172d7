/** A process that shares its store with nobody: claims are its own, and there is nobody to tell. */
import type { Relay } from "../../ports/relay.ts";

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
