/** Windows, prices and cache rules of models. The list is large, so it is loaded on first use. */
import type { ModelInfo } from "../core/budget/model-info.ts";

export interface Catalogue {
  /** Never fails: an unknown model gets a conservative window and a warning to show to the user. */
  find(model: string | undefined): Promise<{ readonly info: ModelInfo; readonly warning?: string | undefined }>;
}
