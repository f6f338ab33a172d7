/**
 * Scores a text for a question: the share of the answer's words that are in two neighboring sentences, for the best
 * pair that shares a word with the question. Words of the question and stop words do not count.
 *
 * Longer sentences contain more words. As a control, the same can be measured in a fixed number of consecutive words,
 * ignoring sentence ends.
 */
import { distinctWords, sentencesIn, wordsIn } from "./measure-words.ts";
import type { Question } from "./read-locomo.ts";

export interface ScoredQuestion {
  readonly question: Question;
  readonly share: number;
}

export function scoreAnswers(text: string, questions: readonly Question[]): readonly ScoredQuestion[] {
  return scoreIn(sentencesIn(text).map(distinctWords), questions);
}

/** Scores windows of `most` words instead of sentences. A window begins at every fifth of their length. */
export function scoreWithinWords(
  text: string,
  questions: readonly Question[],
  most: number,
): readonly ScoredQuestion[] {
  const words = text.split(/\s+/).map(wordsIn);
  const step = Math.max(1, Math.floor(most / 5));
  const windows: ReadonlySet<string>[] = [];
  for (let start = 0; start < words.length; start += step)
    windows.push(new Set(words.slice(start, start + most).flat()));
  // An empty piece after each window keeps it from being joined with the next.
  return scoreIn(
    windows.flatMap((window) => [window, NOTHING]),
    questions,
  );
}

const NOTHING: ReadonlySet<string> = new Set();

function scoreIn(sentences: readonly ReadonlySet<string>[], questions: readonly Question[]): readonly ScoredQuestion[] {
  return questions.flatMap((question) => {
    const asked = distinctWords(question.question);
    const answer = [...distinctWords(question.answer)].filter((word) => !asked.has(word));
    return answer.length === 0 ? [] : [{ question, share: bestShare(sentences, { asked, answer }) }];
  });
}

interface AnswerWords {
  readonly asked: ReadonlySet<string>;
  readonly answer: readonly string[];
}

function bestShare(sentences: readonly ReadonlySet<string>[], { asked, answer }: AnswerWords): number {
  let best = 0;
  for (const [place, sentence] of sentences.entries()) {
    const next = sentences[place + 1] ?? sentence;
    const has = (word: string): boolean => sentence.has(word) || next.has(word);
    if (![...asked].some(has)) continue;
    best = Math.max(best, answer.filter(has).length / answer.length);
  }
  return best;
}
