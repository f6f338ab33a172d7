/** What a file holds that is JSON, or a value of JSON on every line, as lists of messages are often kept. */
export function readJsonFile(text: string): unknown {
  const whole = text.replace(/^\uFEFF/, "");
  try {
    return JSON.parse(whole);
  } catch {
    return readJsonLines(whole);
  }
}

function readJsonLines(text: string): readonly unknown[] {
  const values: unknown[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    try {
      if (line.trim() !== "") values.push(JSON.parse(line));
    } catch {
      // Where the first lines are JSON the reader wants to know which one is not.
      const where = values.length === 0 ? "" : `: line ${index + 1} cannot be read`;
      throw new SyntaxError(`The file is neither JSON nor lines of JSON${where}.`);
    }
  }
  return values;
}
