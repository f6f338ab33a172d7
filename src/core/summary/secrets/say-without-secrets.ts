/** One reason or message of somebody else, as it may be told to people: without secrets, and no longer than a page. */
import { wholeHead } from "../../message/whole-text.ts";
import { redactSecrets } from "./redact-secrets.ts";

const LONGEST = 2_000;
/** So much is read beyond the cut, so that no half of a key is left before it. */
const LONGEST_SECRET = 4_000;

export function sayWithoutSecrets(text: string, longest = LONGEST): string {
  return wholeHead(redactSecrets(wholeHead(text, longest + LONGEST_SECRET)).text, longest);
}
