/** What is known of models: windows, prices, cache rules. The list is large, so it is loaded when first asked for. */
import type { ModelInfo } from "../core/budget/model-info.ts";

export interface Catalogue {
  /** Never fails: an unknown model gets a stated conservative window and a warning for people. */
  find(model: string | undefined): Promise<{ readonly info: ModelInfo; readonly warning?: string | undefined }>;
}
