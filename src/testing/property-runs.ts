/** How many histories a property tries: enough for every change in `npm test`, many more in `npm run soak`. */
export function propertyRuns(ordinary = 2_000): number {
  return process.env.PALIMPSEST_SOAK === "1" ? ordinary * 50 : ordinary;
}
