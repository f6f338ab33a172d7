/** Reads values of other programs' logs; an unexpected value is undefined and not an error. */
export type Line = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Line {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): Line {
  return isObject(value) ? value : {};
}

export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

export function timeOf(value: unknown): number | undefined {
  const time = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
