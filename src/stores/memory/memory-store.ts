/**
 * A store that keeps everything in memory until the process ends. It keeps every promise of the port but durability:
 * `fit` and tests use it, and other stores are compared with it.
 */
import { checkOptions, FUNCTION } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store, TenantStore } from "../../ports/store.ts";
import { MemoryTenant } from "./memory-tenant.ts";

export interface MemoryStoreOptions {
  /** Monotonic clock of leases, in milliseconds. */
  readonly monotonicNow?: (() => number) | undefined;
}

export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions(options, { monotonicNow: FUNCTION }, "createMemoryStore");
  const tenants = new Map<string, MemoryTenant>();
  const monotonicNow = options.monotonicNow ?? (() => performance.now());
  let isClosed = false;
  return {
    name: "memory",
    tenant(tenantId): TenantStore {
      if (isClosed) throw new PalimpsestError("closed", "The memory store was closed; open a new one.");
      const tenant = tenants.get(tenantId) ?? new MemoryTenant(monotonicNow);
      tenants.set(tenantId, tenant);
      return tenant;
    },
    async close() {
      isClosed = true;
      for (const tenant of tenants.values()) tenant.close();
      tenants.clear();
    },
  };
}
