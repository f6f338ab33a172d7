/** For tests of adapters and hosts: builders, generators, clocks and doubles of providers. Not for production. */
export {
  type AnthropicDouble,
  type AnthropicDoubleOptions,
  type AnthropicRequest,
  createAnthropicDouble,
  type DroppedThinking,
  type Verdict,
} from "../anthropic-double.ts";
export { messageBuilder } from "../builders.ts";
export { brokenHistories, histories, wellFormedHistories } from "../generate-histories.ts";
export { scriptedClock, scriptedTimer } from "../scripted-clock.ts";
export { seededRandom } from "../seeded-random.ts";
export {
  type AnthropicDoubleReply,
  type AnthropicDoubleScript,
  type AnthropicDoubleServer,
  startAnthropicDouble,
} from "../start-anthropic-double.ts";
export { describeStore, type StoreContract, type StoreUnderTest } from "../store-contract/describe-store.ts";
export { describeThinkingModel, type ThinkingModel } from "../thinking-models.ts";
