/**
 * Recognizes texts that a model, a proxy or an attacker sends instead of a summary: a web page, a server error, an
 * invented dialogue, instructions to the reader, a repeated word. Each test reads only the answer and is narrow,
 * because a false positive rejects a good summary.
 */
import { listWords } from "../../language/list-words.ts";
import { isOwnMark, parseJsonOrUndefined } from "./recognize-answer.ts";

export type JunkRule = "server-error" | "dialogue" | "orders";

export function findJunk(text: string): JunkRule | undefined {
  if (isWebPage(text) || isServerError(text) || isEncoded(text)) return "server-error";
  if (isDialogue(text) || isReply(text)) return "dialogue";
  return NEW_PROMPT.test(text) ? "orders" : undefined;
}

function isWebPage(text: string): boolean {
  return /^(?:```\w*\s*)?(?:<!--[^>]{0,200}-->\s*)?< ?(?:!doctype\b|html\b|head\b|title\b|body\b|\?xml\b|svg\b|error\b|script\b|center>\s*<h1\b|h1>\s*\d{3})/i.test(
    text,
  );
}

const MAX_ERROR_CHARACTERS = 400;
const STATUS =
  "bad gateway|bad request|service (?:temporarily )?unavailable|gateway time-?out|internal server error|too many requests|unauthorized|forbidden|not found|request time-?out|payload too large|service overloaded|over capacity";
/** Matches if the whole text is the name of a failure. */
const BARE_ERROR = new RegExp(
  `^(?:http/\\d(?:\\.\\d)? )?(?:error[: ]+)?(?:\\(?[45]\\d\\d\\)?[:,]? ?)?(?:${STATUS})[.!]?(?:\\s*(?:nginx|cloudflare|envoy|openresty)[\\w/. -]{0,40})?$`,
  "i",
);
/** Only messages from programs begin with these phrases, if the sentence ends there or continues with `GOES_ON`. */
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
  "(?:this model's |the )?maximum context length is \\d+ tokens",
  "your (?:credit )?balance is too low",
  "error 5\\d\\d",
  "5\\d\\d (?:bad gateway|gateway time-?out|service unavailable|internal server error)",
].join("|");
const GOES_ON =
  "(?=[.!:;,(]|\\s*$|\\n| (?:please|try again|retry|right now|at the moment|disconnect|connect \\d|(?:with|for|while|to|on) (?:other|gpt|model|org|your|this|processing|generating|handling|access)\\b))";
const ERROR_START = new RegExp(`^(?:${PROGRAM_PHRASES})${GOES_ON}`, "i");
const PAGE_START =
  /^(?:traceback \(most recent call last\)|oops[!,.]|attention required! \| cloudflare|just a moment(?:\.{2,3}|…)|(?:please wait while we (?:are )?)?check(?:ing)? your browser(?:\.|…| before)|(?:please )?enable javascript (?:and cookies )?to (?:continue|run this app)|verify(?:ing)? (?:that )?you are (?:a )?human|lorem ipsum dolor)/i;
/** Matches a request to try again later, as a whole sentence: with it, a short text is a server's. */
const LATER =
  /(?:^|[.!?。>]\s*)(?:(?:please )?(?:try|come|check) (?:again|back) (?:later|soon|in (?:a few|\d+))|we(?:'ll| will) be (?:right )?back\b|bitte versuch[^.\n]{0,40} (?:später|erneut)|veuillez réessayer|(?:por favor,? )?(?:inténtelo|intente|tente)(?: de nuevo| novamente)? (?:más tarde|mais tarde)|(?:пожалуйста, )?(?:попробуйте|повторите)[^.\n]{0,20} позже)|请(?:您)?稍[后後候]再?(?:试|試)?|しばらく(?:してから|経ってから)/i;
/** Matches the events of a stream that no client parsed. */
const RAW_EVENTS = /^(?:event: ?\w+\s*\n)?data: ?(?:\{|\[DONE\])/;
/** Matches if the whole text is an exception with its stack trace. */
const STACK = /^\w*(?:error|exception):[^\n]*(?:\n\s+at [^\n]*)+$/i;

/** Matches a data address, or a word that is too long for any language and has no mark of a path. */
const ENCODED = /data:[\w/+.;-]{0,80};base64,|[A-Za-z0-9+/=_-]{40,}/g;

function isEncoded(text: string): boolean {
  const encoded = text.match(ENCODED)?.filter((run) => !/[a-z]{2}[/_-][a-z]{2}/i.test(run)) ?? [];
  return encoded.join("").length > text.length / 2;
}

function isServerError(text: string): boolean {
  if (isErrorObject(text) || RAW_EVENTS.test(text)) return true;
  if (text.length > MAX_ERROR_CHARACTERS) return false;
  return [BARE_ERROR, ERROR_START, PAGE_START, STACK, LATER].some((pattern) => pattern.test(text));
}

const ERROR_KEYS = new Set(
  listWords(`error errors fault detail details message msg status statusCode status_code code type title path instance
    param timestamp success ok requestId request_id trace_id reason retry_after retryAfter`),
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
/** Labels that a summary may use for two points, but not in turns. */
const SPEAKER_LINE =
  /^\s*[*_"]{0,3}(q|a|me|you|customer|client|agent|support|caller|operator|kunde|kundin|berater|ich|du|cliente|agente|yo|客户|客服|问|答|お客様|店員)[*_"]{0,3}\s*[:：]/i;
const DIALOGUE_SHARE = 0.6;
const ROLE_HEADING = new RegExp(`^\\s*(?:#{1,6}\\s*|[*_[]{1,3})(${ROLES})[*_\\]]{0,3}:?\\s*$`, "i");
/** Matches a token that separates speakers for models, or a tag with a role. */
const ROLE_MARK = /^(?:<\|[a-z_]{2,20}\|>|<<sys>>|<s>|\[inst\]|<\/?(?:system|user|human|assistant|developer)>)/i;

const SYSTEM_LINE = /^\W{0,4}(?:system|developer)\W{0,3}[:：]/i;

/** Returns true if speakers take turns. A summary may have one line or section for each speaker. */
function isDialogue(text: string): boolean {
  if (ROLE_MARK.test(text)) return true;
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !isOwnMark(line));
  if (lines.length > 0 && lines.every((line) => SYSTEM_LINE.test(line))) return true;
  const speakersOf = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.[1]?.toLowerCase() ?? []);
  const [speakers, headings] = [speakersOf(ROLE_LINE), speakersOf(ROLE_HEADING)];
  const takesTurns = (turns: readonly string[]): boolean =>
    new Set(turns).size > 1 && turns.length > new Set(turns).size;
  if (takesTurns(headings) || takesTurns([...speakersOf(SPEAKER_LINE), ...speakers])) return true;
  return new Set(speakers).size > 1 && speakers.length >= lines.length * DIALOGUE_SHARE;
}

const MAX_REPLY_CHARACTERS = 300;
/** Matches phrases of a reply to a customer. */
const REPLY =
  /(?:^|[.!?]\s+)(?:(?:hello|hi|sure|great)[,!.]? )?(?:how (?:can|may) i (?:help|assist)|what can i (?:help|do for)|is there anything else (?:i|we) can|how are you (?:feeling|doing)|(?:i'd be|i'm|i am) (?:really |so )?(?:happy to help|glad you)|thank you for (?:contacting|reaching out))/i;

function isReply(text: string): boolean {
  return text.length <= MAX_REPLY_CHARACTERS && REPLY.test(text.replaceAll("’", "'"));
}

/** Matches only at the start, because a later line may report the text of a prompt. */
const NEW_PROMPT =
  /^[*_#> -]{0,6}(?:(?:new|updated|real) (?:system )?(?:instructions?|prompt|directive)s?\s?[:=]|(?:please )?summari[sz]e (?:the|this|our) (?:conversation|chat|dialogue|transcript|messages)\b|you are (?:a|an) [^.\n]{0,60}(?:assistant|model|summari[sz]er)\b|(?:bitte )?fass(?:e|en sie)? (?:das|dieses) gespräch\b|résume[rz]? (?:la|cette) conversation\b|resum[ea] (?:la|esta|a) convers)/i;

const FEW_WORDS = 8;
const MANY_WORDS = 24;
const FEW_DIFFERENT = 4;
const ONE_WORD_SHARE = 0.5;
/** Minimum share of different runs of three words. A paragraph that is repeated four times has this share. */
const MIN_NEW_RUNS = 0.25;
const FEW_CHARACTERS = 16;
const MIN_NEW_CHARACTERS = 0.2;

/** Characters at the end of an answer that show whether it ends in a loop. */
const LOOPING_CHARACTERS = 1_500;
const REPEATED_LINES = 12;

/** Returns true for an answer that ends in a loop, or consists mostly of one line. */
export function isRepetitive(text: string): boolean {
  if (text.length >= LOOPING_CHARACTERS && repeatsWords(text.slice(-LOOPING_CHARACTERS))) return true;
  const lines = text
    .toLowerCase()
    .split(/\n|(?<=[.!?。]) /)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return [...countEach(lines).values()].some((count) => count >= REPEATED_LINES && count * 2 > lines.length);
}

function countEach(items: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

/** Returns true for a repeated word, phrase or character, in an answer of any length. */
export function repeatsWords(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length < FEW_WORDS) return repeatsCharacters(text);
  const counts = countEach(words);
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
