/**
 * The contract of every store. It uses only the port, and any test runner:
 *
 *     describeStore({ describe, test, make: async () => ({ store: await openMine(), passTime }), runs: 100 });
 */
import { aTenant } from "./contract-log.ts";
import { describeAppends, describeValues } from "./describe-appends.ts";
import { describeCandidates } from "./describe-candidates.ts";
import { describeChanges } from "./describe-changes.ts";
import { describeErasing, describeTombstones } from "./describe-erasing.ts";
import { describeForks } from "./describe-forks.ts";
import { describeImages } from "./describe-images.ts";
import { describeLeases } from "./describe-leases.ts";
import { describeReading, describeReopening } from "./describe-reading.ts";
import { describeRanking, describeSearch } from "./describe-search.ts";
import { describeSessions } from "./describe-sessions.ts";
import { describeStatistics, describeWeights } from "./describe-statistics.ts";
import { describeViews } from "./describe-views.ts";
import type { ContractPart, StoreContract, StoreUnderTest } from "./store-under-test.ts";

export type { StoreContract, StoreUnderTest } from "./store-under-test.ts";

const PARTS: readonly ((part: ContractPart) => void)[] = [
  describeAppends,
  describeValues,
  describeChanges,
  describeLeases,
  describeSessions,
  describeReading,
  describeForks,
  describeErasing,
  describeTombstones,
  describeImages,
  describeSearch,
  describeRanking,
  describeCandidates,
  describeStatistics,
  describeWeights,
  describeViews,
  describeReopening,
];

/**
 * Declares the tests that every store must pass, with the given test runner.
 *
 * @example
 * ```ts
 * const runContract = (contract: StoreContract) => describeStore(contract);
 * ```
 */
export function describeStore(contract: StoreContract): void {
  let made: Promise<StoreUnderTest> | undefined;
  const shared = () => {
    made ??= contract.make();
    return made;
  };
  const testTenant: ContractPart["testTenant"] = (title, body) =>
    contract.test(title, async () => {
      const under = await shared();
      await body(await aTenant(under), under);
    });
  for (const describePart of PARTS) describePart({ ...contract, shared, testTenant });
}
