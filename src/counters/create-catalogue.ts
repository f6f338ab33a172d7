/** Creates the catalogue port: it accepts any spelling of a model and never fails. */
import { assumeModel, findModel } from "../core/budget/find-model.ts";
import type { ModelCatalogue, ModelInfo } from "../core/budget/model-info.ts";
import type { Catalogue } from "../ports/catalogue.ts";

export interface CatalogueOptions {
  /** Corrections by model id. They may also describe models that the catalogue lacks. */
  readonly overrides?: Readonly<Record<string, Partial<ModelInfo>>> | undefined;
}

export function createCatalogue({ overrides }: CatalogueOptions = {}): Catalogue {
  let catalogue: ModelCatalogue | undefined;
  return {
    async find(model) {
      if (model === undefined) return assumeModel();
      catalogue ??= await loadCatalogue();
      const info = findModel(model, { catalogue, overrides });
      return info === undefined ? assumeModel(model) : { info };
    },
  };
}

export async function loadCatalogue(): Promise<ModelCatalogue> {
  const { catalogue } = await import("../core/budget/catalogue.ts");
  return catalogue;
}
