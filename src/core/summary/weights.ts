/**
 * Every number that decides what a summary keeps, in one table, grouped by step. A factor multiplies the score of a
 * line, a word or a name: above 1 it counts for more, below 1 for less. A share is a part of something, from 0 to 1.
 *
 * Bounds that only limit work (how many characters a pattern reads, how often a generator yields) stay beside the code
 * that needs them. `test/summary-quality.test.ts` pins the scores of a corpus and fails if one of these numbers is
 * raised.
 */

/** Step 1: candidate lines of every speaker. */
export const LINE_WEIGHTS = {
  /** Code and quotations are seldom what the speaker wants to say. */
  quoted: 0.4,
  /** A line that only announces others ("We need:"). */
  announcing: 0.3,
  /** Documents are pasted: the sentences of a message count for less the more pages of this length it has. */
  pageCharacters: 1_500,
  /** How strongly the length of a message counts against each of its sentences. */
  lengthPower: 0.35,
};

/** Step 1: candidate lines of an agent's work. */
export const WORK_LINE_WEIGHTS = {
  /** A sentence of the user, or of anyone with a name. */
  byUser: 1.5,
  byAssistant: 1,
  /** A tool call and its outcome. */
  call: 1.5,
  /** A tool call that failed, or that solved a failure. */
  failedCall: 2,
  /** A call that only looks at something: the name list says that too. */
  look: 0.5,
  /** A line that a tool returned. */
  output: 0.25,
  /** Longest line; a longer sentence becomes several. */
  longestCharacters: 320,
  /** Shortest line that is taken from the output of a tool. */
  shortestOutputCharacters: 12,
  /** Tool output is offered only if all other lines have fewer characters than this for each token of the cap. */
  enoughCharactersPerToken: 6,
};

/** Step 1: candidate lines of a talk between people. */
export const TALK_LINE_WEIGHTS = {
  /** A sentence of an assistant without a name. */
  byModel: 0.65,
  /** One or two words that answer nothing. */
  fragment: 0.3,
  /** The first sentence of an answer. */
  answer: 1.4,
  /** The other sentences of an answer. */
  restOfAnswer: 1.2,
  /** A bare yes or no. */
  agreement: 0.6,
  /** A question. */
  question: 0.6,
  /** The speaker tells what they did, do or plan. */
  tellsOfSelf: 1.5,
  /** The sentence says when. */
  dated: 1.3,
  /** A picture described in brackets. */
  described: 0.5,
  /** A sentence only about the person spoken to. */
  aboutListener: 0.8,
  /** Congratulations, regrets and good wishes. */
  kindness: 0.6,
  /** Something that changed: "no longer", "postponed". */
  changed: 1.2,
  /** Longest line; a longer sentence becomes several. */
  longestCharacters: 240,
  /** An answer with fewer content words than this is shown behind its question. */
  answerWords: 3,
};

/** Step 1: lines of the previous summary. */
export const PREVIOUS_LINE_WEIGHTS = {
  /** Its first line; the weight rises evenly to the last one. */
  oldest: 0.45,
  newest: 0.9,
  /** The factor of the line that mattered least in it; the one that mattered most gains as much as this loses. */
  leastSalient: 0.5,
  /** How much a line mattered when its record does not say. */
  unknownSalience: 0.5,
};

/** Facts: names that a message uses. */
export const NAME_WEIGHTS = {
  /** One use by a tool call, one mention by a person or an assistant. */
  given: 1,
  said: 0.5,
  /** Messages after which a use by a call or a mention counts for half. */
  givenHalfLife: 200,
  /** Messages after which a name that a tool only showed counts for half. */
  shownHalfLife: 20,
  /** How much more a given name counts than a shown one. */
  givenFactor: 8,
  /** Bare numbers are mostly places in something that has changed since. */
  bareNumber: 0.3,
  /** How strongly the length of a name counts against it. */
  costPower: 0.6,
  /** Added to the length of every name: about what stands between two names. */
  separatorCharacters: 12,
  /** An output that shows more names than this makes each of them count for less. */
  fewShown: 60,
};

/** Facts: which are protected. */
export const FACT_WEIGHTS = {
  /** The share of a summary that protected facts may take, unless the policy says otherwise. */
  protectedShare: 0.5,
  /** A name used in this many last turns is in use. */
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
  /** A word that a later message says again. */
  saidAgain: 1.6,
  /** A word that the user said. */
  byUser: 1.3,
  /** A word with digits or signs in it. */
  exact: 1.4,
  /** The oldest line; the factor rises by the gain towards the newest. */
  oldest: 0.8,
  newnessGain: 0.4,
};

/** Step 2: words of a talk. */
export const TALK_WORD_WEIGHTS = {
  wished: 6,
  statesFact: 1.3,
  /** A word with digits or signs in it, or a name. */
  exact: 1.4,
  /** A word that no other line has. */
  once: 1.3,
  /** Added to the factor of a line all of whose words are said again by the next messages. */
  takenUp: 1,
  /** The next messages that are searched for words said again. */
  nextTurns: 3,
  /** Lines in a block: each block of a talk gets its share of the room. */
  blockLines: 48,
};

/** Step 2: choosing lines. */
export const CHOICE_WEIGHTS = {
  /** A word that the text has already. */
  saidWord: 0.15,
  /** Two lines that share this much of their words say the same. */
  nearlySame: 0.75,
  /** A line of which a fact says this much adds nothing. */
  allSaid: 0.9,
  /** The words with the greatest weight by which similar lines are found. */
  tellingWords: 3,
  /** How strongly cost counts against a line: below 1, so that longer lines keep a chance. */
  workCostPower: 0.75,
  talkCostPower: 0.7,
  /** Added to the length of every line. */
  lineCharacters: 16,
  /** How strongly it counts against a line that its block has lines already. */
  crowding: 0.5,
  /** Tokens of a date, which is written once for all lines of a day. */
  dateTokens: 7,
};

/** Step 3: writing. */
export const WRITE_WEIGHTS = {
  /** The share of the free room that names beyond the protected ones may take, in work and in talk. */
  workNamesShare: 0.9,
  talkNamesShare: 0,
  mostNamesTokens: 2_000,
  /** About what a name costs. */
  nameTokens: 5,
  /** The share of the cap that finished items may take. */
  doneShare: 0.1,
  /** A text that fills this share of its cap is full. */
  fullShare: 0.985,
  /** A text that fills less than this gets lines that would not be worth it otherwise. */
  sparseShare: 0.96,
  /** The share of a line that its beginning must keep to be worth showing. */
  mostOfLine: 0.6,
  /** Key points of a record. */
  keyPoints: 8,
  /** Messages within which one speaker's words are one line, and its most parts and characters. */
  mergedTurns: 12,
  mergedParts: 4,
  mergedCharacters: 400,
};

/** The size of a summary in a prompt. */
export const SIZE_WEIGHTS = {
  /** Up to this many tokens of the prompt the whole share counts, beyond them half of it. */
  fullShareTokens: 12_000,
  /** The most that a summary may take of a small prompt. */
  smallPromptShare: 0.75,
};
