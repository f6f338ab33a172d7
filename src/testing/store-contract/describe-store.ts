/**
 * The contract of every store, for the tests of those who write one:
 *
 *     describeStore({ describe, test, make: async () => ({ store: await openMine(), passTime }), runs: 100 });
 *
 * It asks the store through its port and nothing else, and needs no runner but the two functions it is given.
 */
import { describeAppends, describeValues } from "./describe-appends.ts";
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
  describeStatistics,
  describeWeights,
  describeViews,
  describeReopening,
];

export function describeStore(contract: StoreContract): void {
  let made: Promise<StoreUnderTest> | undefined;
  const shared = () => {
    made ??= contract.make();
    return made;
  };
  for (const describePart of PARTS) describePart({ ...contract, shared });
}
