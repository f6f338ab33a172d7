/** What to do where a server refuses for the token, or for want of one. */
export function adviseOnToken(code: string): string | undefined {
  if (code === "token-missing") return "Put yours into the variable PALIMPSEST_TOKEN.";
  return code === "token-refused" ? "It is the one in the variable PALIMPSEST_TOKEN." : undefined;
}
