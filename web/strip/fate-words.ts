/** The eight fates in words: what is on the label, and what it means for the model. */
import type { Fate } from "../api/values.ts";

interface FateWords {
  readonly name: string;
  readonly meaning: string;
}

export const FATE_WORDS: Readonly<Record<Fate, FateWords>> = {
  verbatim: { name: "word for word", meaning: "The model reads it as it was said." },
  pinned: { name: "pinned", meaning: "Somebody pinned it: the model reads it in every prompt, as it was said." },
  pruned: { name: "pruned", meaning: "A line stands in place of bulky tool output. The rest can be had back." },
  cut: { name: "cut", meaning: "The model reads its beginning and its end; the middle is left out." },
  summarised: { name: "summarised", meaning: "The model does not read it. A summary stands for it." },
  truncated: { name: "left out", meaning: "The model does not read it. A line says how much is missing." },
  cleared: { name: "cleared", meaning: "The conversation was started over after it." },
  deleted: { name: "deleted", meaning: "Its text is gone, for the model and for everybody." },
};
