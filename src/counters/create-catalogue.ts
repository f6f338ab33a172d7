/** The catalogue as the engine asks for it: any spelling of a model, and never a failure. */
import { findModel, unknownModel } from "../core/budget/find-model.ts";
import type { ModelInfo } from "../core/budget/model-info.ts";
import type { Catalogue } from "../ports/catalogue.ts";
import { loadCatalogue } from "./load-catalogue.ts";

export interface CatalogueOptions {
  /** What the caller knows better, by model id. A model that is not in the catalogue may be described here. */
  readonly overrides?: Readonly<Record<string, Partial<ModelInfo>>> | undefined;
}

export function createCatalogue({ overrides }: CatalogueOptions = {}): Catalogue {
  return {
    async find(model) {
      if (model === undefined) return unknownModel();
      const info = findModel(model, { catalogue: await loadCatalogue(), overrides });
      return info === undefined ? unknownModel(model) : { info };
    },
  };
}
