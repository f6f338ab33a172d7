/**
 * Every number that decides what a summary keeps, in one table, grouped by step. A factor multiplies the score of a
 * line, a word or a name: above 1 it counts for more, below 1 for less. A share is a part of something, from 0 to 1.
 *
 * Bounds that only limit work (characters that a pattern reads, lines between two yields) are next to the code that
 * needs them. `test/summary-quality.test.ts` pins the scores of a corpus, so it fails if one of these numbers changes.
 */

/** Step 1: candidate lines of every speaker. */
export const LINE_WEIGHTS = {
  /** Code and quotations, which are seldom important statements. */
  quoted: 0.4,
  /** A line that only introduces others ("We need:"). */
  announcing: 0.3,
  /** Length of a page. The sentences of a message weigh less the more pages it has, because documents are pasted. */
  pageCharacters: 1_500,
  /** Exponent by which the length of a message lowers the weight of its sentences. */
  lengthPower: 0.35,
};

/** Step 1: candidate lines of an agent's work. */
export const WORK_LINE_WEIGHTS = {
  /** A sentence of the user, or of a speaker with a name. */
  byUser: 1.5,
  byAssistant: 1,
  /** A tool call and its outcome. */
  call: 1.5,
  /** A tool call that failed, or that solved a failure. */
  failedCall: 2,
  /** A call that only reads; its file is also in the list of names. */
  look: 0.5,
  output: 0.25,
  /** Maximum length of a line; a longer sentence becomes several. */
  longestCharacters: 320,
  /** Minimum length of a line of tool output. */
  shortestOutputCharacters: 12,
  /** Tool output is used only if all other lines have fewer characters than this for each token of the cap. */
  enoughCharactersPerToken: 6,
};

/** Step 1: candidate lines of a `talk` conversation. */
export const TALK_LINE_WEIGHTS = {
  /** A sentence of an assistant without a name. */
  byModel: 0.65,
  /** One or two words that are not an answer. */
  fragment: 0.3,
  /** The first sentence of an answer. */
  answer: 1.4,
  /** The other sentences of an answer. */
  restOfAnswer: 1.2,
  /** A bare yes or no. */
  agreement: 0.6,
  question: 0.6,
  /** An action or plan of the speaker. */
  tellsOfSelf: 1.5,
  /** A sentence with a date or time. */
  dated: 1.3,
  /** A picture described in brackets. */
  described: 0.5,
  /** A sentence only about the listener. */
  aboutListener: 0.8,
  /** Congratulations, regrets and good wishes. */
  kindness: 0.6,
  /** A change: "no longer", "postponed". */
  changed: 1.2,
  /** Maximum length of a line; a longer sentence becomes several. */
  longestCharacters: 240,
  /** An answer with fewer content words than this is written after its question. */
  answerWords: 3,
};

/** Step 1: lines of the previous summary. */
export const PREVIOUS_LINE_WEIGHTS = {
  /** The first line; the weight rises evenly to the last one. */
  oldest: 0.45,
  newest: 0.9,
  /** Factor of the least salient line. The most salient line gains as much as this one loses. */
  leastSalient: 0.5,
  /** Salience of a line whose record has none. */
  unknownSalience: 0.5,
};

/** Facts: names that a message uses. */
export const NAME_WEIGHTS = {
  /** One use in the input of a tool call. */
  given: 1,
  /** One mention by a person or an assistant. */
  said: 0.5,
  /** Number of messages after which a use by a call or a mention counts half. */
  givenHalfLife: 200,
  /** Number of messages after which a name in tool output counts half. */
  shownHalfLife: 20,
  /** Factor of a given name relative to a shown one. */
  givenFactor: 8,
  /** Bare numbers, which are mostly outdated line numbers. */
  bareNumber: 0.3,
  /** Exponent by which the length of a name lowers its weight. */
  costPower: 0.6,
  /** Added to the length of every name, for the separator. */
  separatorCharacters: 12,
  /** Number of names in an output above which each of them weighs less. */
  fewShown: 60,
};

/** Facts: which are protected. */
export const FACT_WEIGHTS = {
  /** Default share of a summary for protected facts. */
  protectedShare: 0.5,
  /** Share of a summary for protected names, which have no sentence that explains them. */
  namesShare: 0.2,
  /** Number of the newest turns, whose names are protected. */
  liveTurns: 3,
};

/** Step 2: words of an agent's work. */
export const WORK_WORD_WEIGHTS = {
  /** A word of the user's instructions for the summary. */
  wished: 6,
  /** A line that states a fact. */
  statesFact: 1.5,
  /** A line that only praises or thanks. */
  idleLine: 0.1,
  /** A word that a later message repeats. */
  saidAgain: 1.6,
  /** A word that the user said. */
  byUser: 1.3,
  /** A word with digits or special characters. */
  exact: 1.4,
  /** The oldest line; the factor rises by `newnessGain` to the newest. */
  oldest: 0.8,
  newnessGain: 0.4,
};

/** Step 2: words of a `talk` conversation. */
export const TALK_WORD_WEIGHTS = {
  wished: 6,
  statesFact: 1.3,
  /** A word with digits or special characters, or a name. */
  exact: 1.4,
  /** A word that no other line has. */
  once: 1.3,
  /** Added to the factor of a line if the next messages repeat all its words. */
  takenUp: 1,
  /** Number of next messages that are searched for repeated words. */
  nextTurns: 3,
  /** Lines in a block. Each block of a `talk` conversation gets a share of the room. */
  blockLines: 48,
};

/** Step 2: choosing lines. */
export const CHOICE_WEIGHTS = {
  /** A word that is already in the text. */
  saidWord: 0.15,
  /** Share of common words above which two lines count as equal. */
  nearlySame: 0.75,
  /** Share of a line's words in a fact above which the line is redundant. */
  allSaid: 0.9,
  /** Number of highest-weighted words by which similar lines are found. */
  tellingWords: 3,
  /** Exponent of the cost of a line. It is below 1, so that longer lines can be chosen. */
  workCostPower: 0.75,
  talkCostPower: 0.7,
  /** Added to the length of every line. */
  lineCharacters: 16,
  /** Exponent by which chosen lines of a block lower the scores of its others. */
  crowding: 0.5,
  /** Tokens of a date, which is written once for all lines of a day. */
  dateTokens: 7,
};

/** Step 3: writing. */
export const WRITE_WEIGHTS = {
  /** Share of the free room for names that are not protected, in work and in talk. */
  workNamesShare: 0.7,
  talkNamesShare: 0,
  /** Share of the cap for names that are listed without a file. */
  bareNamesShare: 0.2,
  /** Approximate tokens of a name. */
  nameTokens: 5,
  /** Share of the cap for the user's words in work. In talk they are part of the story. */
  userShare: 0.5,
  /** Share of the room left by protected facts that the user's words may take. */
  besideFactsShare: 0.65,
  /** Share of the cap for done items. */
  doneShare: 0.1,
  /** Share of the cap above which a text is full. */
  fullShare: 0.985,
  /** Share of the cap below which a text gets lines of low value. */
  sparseShare: 0.96,
  /** Minimum share of a line that a shortened line must keep. */
  mostOfLine: 0.6,
  /** Number of key points in a record, and how many of them may be messages of the user. */
  keyPoints: 8,
  userPoints: 4,
  /** Maximum distance in messages, number of parts, and characters of a merged line of one speaker. */
  mergedTurns: 12,
  mergedParts: 4,
  mergedCharacters: 400,
};

/** The size of a summary in a prompt. */
export const SIZE_WEIGHTS = {
  /** Tokens of the prompt for which the whole share counts; beyond them half of it counts. */
  fullShareTokens: 12_000,
  /** Maximum share of a small prompt. */
  smallPromptShare: 0.75,
};
