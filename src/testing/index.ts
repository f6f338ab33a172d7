/** For those who test their own adapters and hosts: builders, generators, clocks. Nothing here is for production. */
export { messageBuilder } from "./builders.ts";
export { brokenHistories, histories, wellFormedHistories } from "./generate-histories.ts";
export { scriptedClock } from "./scripted-clock.ts";
export { seededRandom } from "./seeded-random.ts";
export { describeStore, type StoreContract, type StoreUnderTest } from "./store-contract/describe-store.ts";
