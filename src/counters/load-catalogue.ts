/** Loads the generated catalogue when somebody first asks for it, so that importing the package stays cheap. */
import type { ModelCatalogue } from "../core/budget/model-catalogue.ts";

export async function loadCatalogue(): Promise<ModelCatalogue> {
  const { catalogue } = await import("../core/budget/catalogue.generated.ts");
  return catalogue;
}
