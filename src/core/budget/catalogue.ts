/** The model catalogue. `npm run catalogue` writes its data, and a test checks every row. */
import data from "./catalogue.generated.json" with { type: "json" };
import type { ModelCatalogue } from "./model-info.ts";

/** The cast is needed because TypeScript infers JSON rows as arrays of any length. */
export const catalogue: ModelCatalogue = { ...data, models: data.models as unknown as ModelCatalogue["models"] };
