/**
 * `npm test` uses the same histories on every machine, so that a failure points to the change under test. `npm run
 * soak` looks for new ones; its findings are kept as examples next to their property.
 */
import fc from "fast-check";

if (process.env.PALIMPSEST_SOAK !== "1") fc.configureGlobal({ seed: 20_261_115 });
