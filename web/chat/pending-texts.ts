/** What is to be said in a session as soon as it is on the screen: the first words of another way. */
const texts = new Map<string, string>();

export function leaveText(sessionId: string, text: string): void {
  texts.set(sessionId, text);
}

export function hasText(sessionId: string): boolean {
  return texts.has(sessionId);
}

/** Once. */
export function takeText(sessionId: string): string | undefined {
  const text = texts.get(sessionId);
  texts.delete(sessionId);
  return text;
}
