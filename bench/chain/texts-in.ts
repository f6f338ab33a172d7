/** Returns every string in a value, in order: the text of a request, in any format. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => textsIn(inner));
}
