/** The token counter that people write for `trimMessages` when they want real counts: sum the encoded contents. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";

export function countTokensExactly(messages) {
  return messages.reduce((sum, message) => sum + encode(message.content).length, 0);
}
