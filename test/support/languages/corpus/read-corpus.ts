/**
 * Reads a corpus of one language. Each line begins with what a reader has to find in its sentence: a kind of statement
 * or `none`, the date that a phrase means on the day of the message, the message that answers a question, or `idle` for
 * small talk that needs nothing recalled.
 */
export const KINDS = ["constraint", "decision", "open", "done", "none"] as const;
export type Kind = (typeof KINDS)[number];

export interface CorpusHalf {
  readonly statements: readonly { readonly kind: Kind; readonly text: string }[];
  readonly dates: readonly { readonly saidAt: number; readonly date: string; readonly text: string }[];
  readonly questions: readonly { readonly question: string; readonly evidence: string }[];
  readonly idle: readonly string[];
}

export function readCorpus(source: string): CorpusHalf {
  const lines = source.trim().split("\n");
  const under = (label: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${label}: `)).map((line) => line.slice(label.length + 2));
  return {
    statements: KINDS.flatMap((kind) => under(kind).map((text) => ({ kind, text }))),
    dates: lines.flatMap((line) => {
      const [, day = "", date = "", text = ""] = /^date (\S+) = ([^:]+): (.*)$/.exec(line) ?? [];
      return text === "" ? [] : [{ saidAt: Date.parse(`${day}T09:00:00Z`), date, text }];
    }),
    questions: under("recall").map((line) => {
      const [question = "", evidence = ""] = line.split(" => ");
      return { question, evidence };
    }),
    idle: under("idle"),
  };
}
