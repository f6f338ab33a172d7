/** How many there are of something, as a person says it. */
export function describeCount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
