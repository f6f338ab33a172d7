/** A common token counter for `trimMessages` with exact counts: the sum of the encoded contents. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";

export function countTokensExactly(messages) {
  return messages.reduce((sum, message) => sum + encode(message.content).length, 0);
}
