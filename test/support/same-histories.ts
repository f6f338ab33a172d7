/**
 * `npm test` tries the same histories on every machine, so that a run which turns red says something of the change that
 * it ran on. `npm run soak` looks for new ones; what it finds is kept as an example beside its property.
 */
import fc from "fast-check";

if (process.env.PALIMPSEST_SOAK !== "1") fc.configureGlobal({ seed: 20_261_115 });
