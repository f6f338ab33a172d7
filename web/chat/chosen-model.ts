/** Which model was chosen for a conversation, kept by the browser's tab for as long as it is open. */
const PREFIX = "palimpsest.model.";

export function keepModel(sessionId: string, model: string): void {
  try {
    sessionStorage.setItem(PREFIX + sessionId, model);
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}

/** Undefined where nobody chose. */
export function findModel(sessionId: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + sessionId) ?? undefined;
  } catch {
    return undefined;
  }
}
