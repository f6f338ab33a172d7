/** Hands something to the browser to be saved as a file. */

export function saveLink(address: string, name: string): void {
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
}

export function saveBytes(bytes: Blob, name: string): void {
  const url = URL.createObjectURL(bytes);
  saveLink(url, name);
  // A browser may still be reading it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
