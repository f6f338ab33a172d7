/**
 * Reads how a line of a transcript begins: who speaks, when, or both. A single line decides nothing: whether a text is
 * a transcript depends on all its lines.
 */
import { mayHaveTime, readTime, TIME, type TranscriptTime } from "./transcript-time.ts";

export interface TranscriptHeader {
  readonly name?: string | undefined;
  readonly time?: TranscriptTime | undefined;
  /** Offset in the line at which the spoken words begin. */
  readonly end: number;
  /** True for a name in small letters, which may be that of a program. */
  readonly isHandle?: true | undefined;
  /** True for a line that has only a date, as a heading of the lines below. */
  readonly isDateLine?: true | undefined;
}

const OPEN = `[[(（【]?`;
const CLOSE = String.raw`[\])）】]?`;
const LETTERS = String.raw`[\p{L}\p{M}\p{N}'’.\-]`;
const BETWEEN = "(?:de|van|von|der|den|la|le|bin|al|del|da|dos|di|y|and|&)";
const CAPITAL = String.raw`[\p{Lu}\p{Lt}\p{Lo}]${LETTERS}*`;
/** One to four capitalized words, a handle, or a telephone number. */
const NAME = String.raw`(?<name>(?:~ ?)?${CAPITAL}(?: (?:${BETWEEN} )?(?:${CAPITAL}|\(${LETTERS}+\))){0,3}|@[\w.\-]{2,32}|\+\d[\d \-]{6,18}\d)`;
const BOLD = String.raw`(?:\*\*|__)?`;
/** A colon with white space after it, or a full-width colon. */
const COLON = String.raw`\s*(?::${BOLD}(?:\s+|$)|：\s*)`;
const START = String.raw`^[\s\u200e\u200f]*(?:[>*\-•] )?`;

/** Ann: …, **Ann:** … */
const NAME_LINE = new RegExp(`${START}${BOLD}${NAME}${BOLD}${COLON}`, "u");
const MARKED_NAME = String.raw`<(?:v )?[@+~ ]?(?<name>[\p{L}_][\p{L}\p{N}_.\- ]{1,30})>\s*`;

const PATTERNS: readonly RegExp[] = [
  // [8 May 2023] Ann: …, 5/8/23, 14:02 - Ann: …, 10:15 **Ann**: …
  new RegExp(`${START}${OPEN}(?<time>${TIME})${CLOSE}\\s*(?:[-–—|·:,]\\s*)?${BOLD}${NAME}${BOLD}${COLON}`, "u"),
  // [10:15] <ann> …
  new RegExp(`${START}(?:${OPEN}(?<time>${TIME})${CLOSE}\\s*)?${MARKED_NAME}`, "u"),
  // Ann (10:15): …, **Ann** [2023-05-08 10:15], Ann — Today at 2:02 PM, Ann  2:02 PM
  new RegExp(
    `${START}${BOLD}${NAME}${BOLD}\\s*[,–—|-]?\\s*(?:${BOLD}|_)${OPEN}(?<time>${TIME})${CLOSE}${BOLD}_?(?:${COLON}|\\s*$)`,
    "u",
  ),
  // [3/12/2024 6:04 PM] Ann
  new RegExp(`${START}\\[(?<time>${TIME})\\]\\s*${NAME}\\s*$`, "u"),
  NAME_LINE,
];
/** Those for a line without a time. The others take 100 ms to compile, which is most of a short process. */
const PATTERNS_WITHOUT_TIME: readonly RegExp[] = [new RegExp(`${START}${MARKED_NAME}`, "u"), NAME_LINE];

const HANDLE = String.raw`(?<name>[\p{L}_][\p{L}\p{N}_.\-]{1,30})`;
/** Headers with a name in small letters, which the program of a log may have too. */
const HANDLE_PATTERNS: readonly RegExp[] = [
  // 2024-03-12T18:04:11Z ann: …, 2024-03-12 18:04 [ann] …
  new RegExp(`${START}${OPEN}(?<time>${TIME})${CLOSE}\\s+(?:-\\s+)?(?:${HANDLE}:\\s+)`, "u"),
  new RegExp(`${START}${OPEN}(?<time>${TIME})${CLOSE}\\s+\\[${HANDLE}\\]:?\\s+`, "u"),
  new RegExp(`^(?<time>${TIME})\\t[@+ ]?${HANDLE}\\t`, "u"),
];
/** ann — 03/12/2024 6:04 PM */
const HANDLE_LINE = new RegExp(`${START}${HANDLE}\\s*[—–]\\s*(?<time>${TIME})\\s*$`, "u");

const NAMED_PATTERNS = [...PATTERNS, HANDLE_LINE];

/** A date alone on its line, between marks, or after "Date:". */
const DATE_LINE = new RegExp(
  `^[\\s#*_=~\\-–—[(【]*(?:(?:[Dd]ate|DATE|[Dd]atum|[Ff]echa|[Dd]ata|[Dd]ay)\\s*:\\s*|(?:Day changed(?: to)?|Log opened)\\s+)?(?<time>${TIME})[\\s*_=~\\-–—\\])】:]*$`,
  "u",
);
/** A line of a log, whose time stays in the text. */
const LOG_LINE = new RegExp(`^\\s*${OPEN}(?<time>${TIME})${CLOSE}[\\s|:\\-–—]+\\S`, "u");
const MAX_HEADER_CHARACTERS = 120;
const MAX_NAME_CHARACTERS = 48;

/** Returns undefined for a line that continues the line before. */
export function readTranscriptHeader(line: string): TranscriptHeader | undefined {
  const start = line.slice(0, MAX_HEADER_CHARACTERS);
  if (!MAY_BE_HEADER.test(start)) return undefined;
  return mayHaveTime(start) ? readTimedHeader(line, start) : readFirstFound(start, PATTERNS_WITHOUT_TIME);
}

function readTimedHeader(line: string, start: string): TranscriptHeader | undefined {
  const time = line.length <= MAX_HEADER_CHARACTERS ? readTimeOf(DATE_LINE.exec(line)) : undefined;
  if (time?.day !== undefined) return { time, end: line.length, isDateLine: true };
  const header = readFirstFound(start, NAMED_PATTERNS);
  if (header !== undefined) return header;
  for (const pattern of HANDLE_PATTERNS) {
    const found = pattern.exec(start);
    const header = found === null ? undefined : readFound(found);
    if (header?.time?.day !== undefined) return { ...header, isHandle: true };
  }
  const logged = readTimeOf(LOG_LINE.exec(start));
  return logged?.day === undefined ? undefined : { time: logged, end: 0 };
}

function readFirstFound(start: string, patterns: readonly RegExp[]): TranscriptHeader | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(start);
    const header = found === null ? undefined : readFound(found);
    if (header !== undefined) return header;
  }
  return undefined;
}

const MAY_BE_HEADER = /[:：>)\]\d]/;

function readFound(found: RegExpExecArray): TranscriptHeader | undefined {
  const { name, time: written } = found.groups ?? {};
  const end = found[0].length;
  if (name === undefined || name.length > MAX_NAME_CHARACTERS || !isSpeaker(name)) return undefined;
  if (written === undefined) return { name, end };
  const time = readTime(written);
  return time === undefined ? undefined : { name, time, end };
}

function readTimeOf(found: RegExpExecArray | null): TranscriptTime | undefined {
  const written = found?.groups?.time;
  return written === undefined ? undefined : readTime(written);
}

/** Returns false for a label that introduces no speech: "Note", "ERROR", "Step 2". */
function isSpeaker(name: string): boolean {
  const [first = "", ...others] = name.toLowerCase().replace(/[.:]$/, "").split(" ");
  const last = others.at(-1) ?? first;
  if (LABELS.has(first) || LABELS.has(last) || LABELS.has(name.toLowerCase())) return false;
  return /\p{L}{2}|\p{Lo}|^[@+]|^\p{Lu}\.?$/u.test(name) && !/\p{Ll}\p{Lu}.*\p{Ll}\p{Lu}|[./]\p{L}|\p{L}\(/u.test(name);
}

const LABELS: ReadonlySet<string> = new Set(
  (
    "note notes error errors warning warnings warn info debug trace fatal critical notice verbose severe todo fixme hack xxx " +
    "example examples output input usage result results summary question questions answer answers step steps goal " +
    "goals context expected actual subject to from cc bcc date re fw fwd sent description title name names type types " +
    "status version fix fixes fixed bug bugs hint tip tips important caution danger update updates edit edited ps pps " +
    "background task tasks requirement requirements constraint constraints time location place ingredients day days chapter " +
    "part section agenda topic topics action actions decision decisions owner due priority pros cons pro con " +
    "advantages disadvantages first second third finally conclusion overview introduction reference references source " +
    "sources see url link links http https file files path paths code command commands response request requests reply body " +
    "header headers host content-type content-length accept authorization set-cookie cookie user-agent method params parameters returns return throws " +
    "raises args arguments default defaults option options value values key keys id ids email phone address age " +
    "price total amount quantity size color test tests build failed passed pass fail failure success exception traceback " +
    "caused message messages level thread module class function system tool problem solution cause reason reasons " +
    "plan plans next previous current before after attendees participants present absent minutes meeting room tl;dr tldr fyi " +
    "ok attention beware remember hinweis achtung fehler warnung frage antwort beispiel aufgabe ziel ergebnis nota aviso error " +
    "pregunta respuesta ejemplo remarque attention erreur avertissement réponse exemple observação erro pergunta resposta exemplo " +
    "注意 错误 警告 提示 问题 答案 说明 示例 例 例如 备注 注 结果 目标 步骤 エラー 注記 質問 回答 例 メモ 結果 目的 手順 警告 問題"
  ).split(" "),
);
