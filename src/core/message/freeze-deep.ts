/** Makes a value of ours unchangeable, all the way down: what the log holds may be looked at and never written to. */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) freezeDeep(field);
  return Object.freeze(value);
}
