/**
 * Recognizes texts that a model, a proxy or an attacker sends instead of a summary: a web page, a server error, an
 * invented dialogue, instructions to the reader, a repeated word. Each test reads only the answer and is narrow,
 * because a false positive rejects a good summary.
 */
import { listWords } from "../../language/list-words.ts";
import { parseJsonOrUndefined } from "./recognize-answer.ts";

export type JunkRule = "server-error" | "dialogue" | "orders";

export function findJunk(text: string): JunkRule | undefined {
  if (isWebPage(text) || isServerError(text)) return "server-error";
  if (isDialogue(text)) return "dialogue";
  return givesOrders(text) ? "orders" : undefined;
}

function isWebPage(text: string): boolean {
  return /^(?:```\w*\s*)?(?:<!--[^>]{0,200}-->\s*)?<(?:!doctype\b|html\b|head\b|title\b|body\b|\?xml\b|svg\b|error\b|script\b|center>\s*<h1\b|h1>\s*\d{3})/i.test(
    text,
  );
}

const LONGEST_ERROR = 400;
const STATUS =
  "bad gateway|bad request|service (?:temporarily )?unavailable|gateway time-?out|internal server error|too many requests|unauthorized|forbidden|not found|request time-?out|payload too large|service overloaded|over capacity";
/** Matches if the whole text is the name of a failure. */
const BARE_ERROR = new RegExp(
  `^(?:http/\\d(?:\\.\\d)? )?(?:error[: ]+)?(?:\\(?[45]\\d\\d\\)?[:,]? ?)?(?:${STATUS})[.!]?(?:\\s*(?:nginx|cloudflare|envoy|openresty)[\\w/. -]{0,40})?$`,
  "i",
);
/** Only messages of programs begin with these phrases, if the sentence ends there or continues with `GOES_ON`. */
const PROGRAM_PHRASES = [
  "upstream (?:connect error or|request timeout)",
  "no healthy upstream",
  "error code:? \\d{3,5}",
  "(?:error:? )?(?:rate limit|quota) (?:exceeded|reached)",
  "you (?:have )?exceeded your current quota",
  "you(?:'ve| have) (?:reached|exceeded|hit) (?:your|the) [a-z ]{0,30}(?:limit|quota)",
  "error: (?:request|connection|network|server|internal|unknown|unexpected|failed to fetch|timeout|\\d{3})[^\\n]{0,80}",
  "fetch failed",
  "e(?:connre(?:fused|set)|timedout|notfound)",
  "connection (?:refused|reset by peer|timed out)",
  "(?:the )?(?:request|connection|operation) (?:timed out|was aborted)",
  "(?:the )?(?:server|model|engine|service) is (?:currently )?(?:overloaded|unavailable|busy|loading)",
  "an (?:unexpected |internal )?error (?:has )?occurred",
  "something went wrong",
  "access denied",
  "invalid (?:api key|request|token)(?: provided)?",
  "context deadline exceeded",
].join("|");
const GOES_ON =
  "(?=[.!:;,(]|\\s*$|\\n| (?:please|try again|retry|right now|at the moment|disconnect|connect \\d|(?:with|for|while|to|on) (?:other|gpt|model|org|your|this|processing|generating|handling|access)\\b))";
const ERROR_START = new RegExp(`^(?:${PROGRAM_PHRASES})${GOES_ON}`, "i");
const PAGE_START =
  /^(?:traceback \(most recent call last\)|oops[!,.]|attention required! \| cloudflare|checking your browser before|lorem ipsum dolor)/i;
/** Matches if the whole text is an exception with its stack trace. */
const STACK = /^\w*(?:error|exception):[^\n]*(?:\n\s+at [^\n]*)+$/i;

function isServerError(text: string): boolean {
  if (isErrorObject(text)) return true;
  if (text.length > LONGEST_ERROR) return false;
  return [BARE_ERROR, ERROR_START, PAGE_START, STACK].some((pattern) => pattern.test(text));
}

const ERROR_KEYS = new Set(
  listWords(`error errors fault detail details message msg status statusCode status_code code type title path instance
    param timestamp success ok requestId request_id trace_id`),
);

/** Returns true for an object that only describes an error. Summaries in JSON have other keys too. */
function isErrorObject(text: string): boolean {
  const value = /^[{[]/.test(text) ? parseJsonOrUndefined(text) : undefined;
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (typeof first !== "object" || first === null) return false;
  const keys = Object.keys(first);
  return keys.length > 0 && keys.every((key) => ERROR_KEYS.has(key));
}

const ROLES =
  "user|human|assistant|ai|system|bot|developer|tool|nutzer|benutzer|assistent|usuario|asistente|utilisateur|用户|助手|ユーザー|アシスタント|пользователь|ассистент";
const ROLE_LINE = new RegExp(
  `^\\s*(?:[-*>#]{1,6}\\s*)?[*_[<"]{0,3}(${ROLES})[*_\\]>"]{0,3}(?:\\s*[:：]|\\s[-–—]\\s)`,
  "i",
);
const DIALOGUE_SHARE = 0.6;
const ROLE_HEADING = new RegExp(`^\\s*(?:#{1,6}\\s*|[*_[]{1,3})(${ROLES})[*_\\]]{0,3}:?\\s*$`, "i");
/** A summary may have one section for each speaker. */
const MANY_TURNS = 3;
/** A token that separates speakers for models, or a tag with a role. */
const ROLE_MARK = /^(?:<\|[a-z_]{2,20}\|>|<<sys>>|<s>|\[inst\]|<\/?(?:system|user|human|assistant|developer)>)/i;

/** Returns true if speakers take turns, by lines or under headings. */
function isDialogue(text: string): boolean {
  if (ROLE_MARK.test(text)) return true;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const speakersOf = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1]?.toLowerCase() ?? []);
  const [speakers, headings] = [speakersOf(ROLE_LINE), speakersOf(ROLE_HEADING)];
  if (new Set(headings).size > 1 && headings.length >= MANY_TURNS) return true;
  return new Set(speakers).size > 1 && speakers.length >= lines.length * DIALOGUE_SHARE;
}

/** The start of a sentence, because a report quotes such words inside a sentence. */
const START = String.raw`(?:^|[\n.!:;。！：]\s{0,4})[*_#> -]{0,6}(?:(?:please|now|important|system|attention|note|first|and|bitte|por favor)[,:! ]{1,3}){0,3}`;
const ORDERS: readonly RegExp[] = [
  String.raw`(?:ignore|disregard|forget|override|bypass)\s(?:\w+\s){0,3}(?:previous|prior|above|earlier|preceding|your|all|any)\s(?:\w+\s){0,3}(?:instructions?|rules|prompts?|guidelines|directives|messages|context)\b`,
  String.raw`(?:you are|you're|act) (?:now|henceforth|from now on)\b[^.\n]{0,40}\b(?:dan|unrestricted|jailbroken|developer mode|no longer|free|root|admin|evil|another)\b`,
  String.raw`(?:ignoriere|ignorieren sie|vergiss|missachte)\s(?:\w+\s){0,3}(?:vorherigen|bisherigen|früheren|obigen)\s(?:\w+\s){0,2}(?:anweisungen|instruktionen|regeln)`,
  String.raw`(?:ignora|ignore|ignorez|ignorad|olvida|oublie|oubliez|esqueça|dimentica)\s(?:[\p{L}]+\s){0,3}(?:instrucciones|instructions|instruções|istruzioni|consignes|reglas|règles|regras|regole)\s(?:anteriores|previas|précédentes|antérieures|precedenti|prévias)`,
  String.raw`(?:игнорируй(?:те)?|забудь(?:те)?)\s(?:[\p{L}]+\s){0,2}предыдущие\s(?:инструкции|указания|правила)`,
  String.raw`(?:忽略|无视|忘记|忽視|無視)[^\n。]{0,8}(?:之前|以前|先前|上述|以上)?[^\n。]{0,6}(?:指令|指示|说明|規則|规则|提示)`,
  `(?:これまで|以前|前|上記)の(?:すべての|全ての)?(?:指示|命令|ルール)を?(?:すべて|全て)?(?:無視|忘れ)`,
  String.raw`(?:이전|앞선|위의)(?:의)?\s?(?:모든\s)?(?:지시|명령|규칙)[^\n.]{0,6}무시`,
  String.raw`(?:önceki)\s(?:tüm\s)?(?:talimatları|kuralları)\s(?:yok say|unut|görmezden)`,
].map((order) => new RegExp(`${START}${order}`, "iu"));

/** Matches only at the start, because a later line may report the text of a prompt. */
const NEW_PROMPT = /^[*_#> -]{0,6}(?:new|updated|real) (?:system )?(?:instructions?|prompt|directive)s?\s?[:=]/i;

function givesOrders(text: string): boolean {
  return NEW_PROMPT.test(text) || ORDERS.some((order) => order.test(text));
}

const FEW_WORDS = 8;
const MANY_WORDS = 24;
const FEW_DIFFERENT = 4;
const ONE_WORD_SHARE = 0.5;
/** Minimum share of different runs of three words. A paragraph that is repeated four times has this share. */
const MIN_NEW_RUNS = 0.25;
const FEW_CHARACTERS = 16;
const MIN_NEW_CHARACTERS = 0.2;

/** Returns true for a repeated word, phrase or character, in an answer of any length. */
export function repeatsWords(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length < FEW_WORDS) return repeatsCharacters(text);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  if ([...counts.values()].some((count) => count > words.length * ONE_WORD_SHARE)) return true;
  if (words.length < MANY_WORDS) return counts.size <= words.length / 4;
  if (counts.size <= FEW_DIFFERENT) return true;
  const runs = new Set(words.slice(2).map((word, index) => `${words[index]} ${words[index + 1]} ${word}`));
  return runs.size < (words.length - 2) * MIN_NEW_RUNS;
}

/** Tests scripts without spaces, and texts without words. */
function repeatsCharacters(text: string): boolean {
  const characters = [...text].filter((character) => /[\p{L}\p{N}]/u.test(character));
  const pairs = new Set(characters.slice(1).map((character, index) => `${characters[index]}${character}`));
  return characters.length >= FEW_CHARACTERS && pairs.size < characters.length * MIN_NEW_CHARACTERS;
}
