/** The title of a session that is being imported, by which lists and searches leave it out. */
/** Marks a hidden session. No other title starts with it. */
const HIDDEN = "\u0000";

export function createImportTitle(nonce: string): string {
  return `${HIDDEN}importing ${nonce}`;
}

export function isHidden(title: string | undefined): boolean {
  return title?.startsWith(HIDDEN) === true;
}
