/**
 * Makes a model's text harmless where it is shown: removes invisible characters and comments, and turns pictures into
 * links and active HTML tags into text. The words stay, because a summary may be about HTML.
 */

/** Format characters, except joiners, which some scripts and emoji need. Fillers look like spaces. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}|[\u115f\u1160\u2800\u3164\uffa0]|\p{Co}|\ufffd/gu;

const COMMENT = /<!--[^>]{0,2000}(?:>[^>]{0,2000}){0,20}?-->/g;
/** Matches the `<` of a tag that runs or loads something; `<table>` and `Map<string>` stay. */
const ACTIVE_TAG =
  /<(?=\/?(?:script|style)\b|!--|[a-z][^<>]{0,2000}?[\s"'/](?:on[a-z]{2,20}|src|srcset|href|action|formaction|poster|background|style|data|content)\s{0,4}=)/gi;
const PICTURE = /!(?=\[[^\]\n]{0,400}\][[(])/g;
/** Matches a link definition. With one, `![name]` alone is a picture. */
const DEFINITION = /^[ \t>]{0,8}\[[^\]\n]{1,400}\]:/m;
const SCRIPT_LINK = /\](?=\(\s{0,8}(?:javascript|vbscript|data):)/gi;

/** Returns the text with nothing hidden or active. A space after `<` makes a tag plain text, in HTML and Markdown. */
export function cleanMarkup(text: string): string {
  return text
    .replaceAll(INVISIBLE, "")
    .replaceAll(COMMENT, "")
    .replaceAll(ACTIVE_TAG, "< ")
    .replaceAll(DEFINITION.test(text) ? /!(?=\[)/g : PICTURE, "")
    .replaceAll(SCRIPT_LINK, "] ");
}

const TAG = /<[\s/!]{0,4}[a-z][^<>]{0,2000}>/gi;
const LINK =
  /!?\[[^\]\n]{0,400}\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,400}\])|^[ \t>]{0,8}\[[^\]\n]{1,400}\]:[^\n]*|https?:\/\/\S+/gim;

/** Returns the text without tags, links and addresses: what is left is prose. */
export function proseOf(text: string): string {
  return text.replaceAll(TAG, " ").replaceAll(LINK, " ");
}
