/** The text that replaces content which a store has lost. The rest of the message is shown. */

const MISSING = /^\[the (?:text in|image or file) .+ is missing\]$/;

export function describeMissing({ name, as }: { readonly name: string; readonly as: "text" | "base64" }): string {
  return as === "text" ? `[the text in ${name} is missing]` : `[the image or file ${name} is missing]`;
}

export function isMissingText(text: string): boolean {
  return MISSING.test(text);
}
