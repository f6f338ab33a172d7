/**
 * A way to models: whose they are, where they are asked, and with which key. The key is held here and nowhere else; what
 * is shown of a connection is its name and the variable that opened it.
 */

export type ConnectionKind = "anthropic" | "openai" | "google" | "compatible";

export interface Connection {
  /** What stands before the colon in the names of its models, such as `anthropic` or `ollama`. */
  readonly name: string;
  readonly kind: ConnectionKind;
  /** What opened it, for people: the name of a variable, or of a place in a file. */
  readonly openedBy: string;
  readonly apiKey?: string | undefined;
  /** Where it is, unless it is the vendor's own address. */
  readonly baseUrl?: string | undefined;
  /** The models that were named, the first liked best. Without any those that are known or that the server lists. */
  readonly modelIds: readonly string[];
  /** What each of its models takes, where no catalogue knows them. */
  readonly windowTokens?: number | undefined;
}
