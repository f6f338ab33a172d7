/** Where sessions are kept, for people: the address without what opens it. */
export function describeStore(store: string): string {
  const url = /^postgres(?:ql)?:/.test(store) ? URL.parse(store) : null;
  return url === null ? store : `${url.protocol}//${url.host}${url.pathname}`;
}
