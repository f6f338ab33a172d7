/** Changes one weight of a table and returns a function that restores it. Only tests may do that. */
export function changeWeight(table: Readonly<Record<string, number>>, key: string, by: number): () => void {
  const known = table[key];
  if (known === undefined) throw new Error(`No weight ${key}.`);
  Object.assign(table, { [key]: known + by });
  return () => {
    Object.assign(table, { [key]: known });
  };
}
