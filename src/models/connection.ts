/**
 * A connection to models: vendor, address and key. The key is kept only here; other code sees the name and the variable
 * that configured it.
 */

export type ConnectionKind = "anthropic" | "openai" | "google" | "compatible";

export interface Connection {
  /** Prefix of its model names, such as `anthropic` or `ollama`. */
  readonly name: string;
  readonly kind: ConnectionKind;
  /** The variable or configuration key that configured it, for messages. */
  readonly openedBy: string;
  readonly apiKey?: string | undefined;
  /** Address, unless it is the vendor's own. */
  readonly baseUrl?: string | undefined;
  /** Configured models, the preferred one first. Empty: known models, or those that the server lists. */
  readonly modelIds: readonly string[];
  /** Context window of its models, if the catalogue lacks them. */
  readonly windowTokens?: number | undefined;
}
