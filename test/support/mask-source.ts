/**
 * Masks everything in a source text that could be mistaken for code: comments become blanks, a string becomes `"3"`
 * (its index in `strings`), template text is removed and its expressions stay, a regular expression becomes `/ /`. The
 * rest can be searched with plain patterns. It does not parse: the character before a slash decides whether it starts a
 * regular expression, which suffices for formatted code.
 */
export interface MaskedSource {
  readonly code: string;
  readonly strings: readonly string[];
}

const comment = /\/\/.*|\/\*[\s\S]*?\*\//y;
const string = /"((?:[^"\\\n]|\\[\s\S])*)"|'((?:[^'\\\n]|\\[\s\S])*)'|`((?:[^`\\$]|\\[\s\S]|\$(?!\{))*)`/y;
const templateStart = /`(?:[^`\\$]|\\[\s\S]|\$(?!\{))*\$\{/y;
const templateMiddle = /\}(?:[^`\\$]|\\[\s\S]|\$(?!\{))*\$\{/y;
const templateEnd = /\}(?:[^`\\$]|\\[\s\S]|\$(?!\{))*`/y;
const expression = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const beforeExpression = /(?:^|[(,=:[!&|?{};+\-*%^~<>]|\b(?:return|typeof|case|in|of|else|await|yield|throw))\s*$/;

export function maskSource(source: string): MaskedSource {
  const strings: string[] = [];
  const openBraces: ("{" | "${")[] = [];
  let code = "";
  for (let position = 0; position < source.length; ) {
    const token = readToken(source, position, { code, inTemplate: openBraces.at(-1) === "${" });
    if (token.string !== undefined) code += `"${strings.push(token.string) - 1}"`;
    else code += token.code;
    if (token.opens !== undefined) openBraces.push(token.opens);
    if (token.closes) openBraces.pop();
    position += token.length;
  }
  return { code, strings };
}

interface Token {
  readonly length: number;
  readonly code: string;
  readonly string?: string | undefined;
  readonly opens?: "{" | "${" | undefined;
  readonly closes?: boolean | undefined;
}

function readToken(source: string, position: number, before: { code: string; inTemplate: boolean }): Token {
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position;
    return pattern.exec(source);
  };
  const character = source.charAt(position);
  const skipped = read(comment);
  if (skipped !== null) return { length: skipped[0].length, code: skipped[0].replace(/[^\n]/g, " ") };
  const quoted = read(string);
  if (quoted !== null) return { length: quoted[0].length, code: "", string: quoted[1] ?? quoted[2] ?? quoted[3] ?? "" };
  const started = read(templateStart);
  if (started !== null) return { length: started[0].length, code: "`${", opens: "${" };
  if (before.inTemplate && character === "}") {
    const middle = read(templateMiddle);
    if (middle !== null) return { length: middle[0].length, code: "}${" };
    const end = read(templateEnd);
    if (end !== null) return { length: end[0].length, code: "}`", closes: true };
  }
  const matched = character === "/" && beforeExpression.test(before.code.slice(-40)) ? read(expression) : null;
  if (matched !== null) return { length: matched[0].length, code: "/ /" };
  if (character === "{") return { length: 1, code: character, opens: "{" };
  if (character === "}") return { length: 1, code: character, closes: true };
  return { length: 1, code: character };
}
