/**
 * The conversation of the demonstration: an agent fixes the build of an invented program, tidetable. Like real
 * conversations, it has long output, parallel calls, results that arrive one by one, a failure, and a call without a
 * result. The messages are AI SDK model messages with ids, so sending one again adds nothing.
 */
interface ToolCall {
  readonly type: "tool-call";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: Readonly<Record<string, string>>;
}

interface ToolResult {
  readonly type: "tool-result";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: { readonly type: "text" | "error-text"; readonly value: string };
}

interface Text {
  readonly type: "text";
  readonly text: string;
}

export interface ConversationMessage {
  readonly id: string;
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly (Text | ToolCall | ToolResult)[];
}

type MessageWithoutId = Omit<ConversationMessage, "id">;

const user = (content: string): MessageWithoutId => ({ role: "user", content });

const says = (content: string): MessageWithoutId => ({ role: "assistant", content });

const calls = (text: string, ...made: readonly ToolCall[]): MessageWithoutId => ({
  role: "assistant",
  content: [{ type: "text", text }, ...made],
});

const results = (...given: readonly ToolResult[]): MessageWithoutId => ({ role: "tool", content: given });

const run = (toolCallId: string, command: string): ToolCall => ({
  type: "tool-call",
  toolCallId,
  toolName: "run",
  input: { command },
});

const read = (toolCallId: string, path: string): ToolCall => ({
  type: "tool-call",
  toolCallId,
  toolName: "read_file",
  input: { path },
});

const edit = (toolCallId: string, path: string, change: string): ToolCall => ({
  type: "tool-call",
  toolCallId,
  toolName: "edit_file",
  input: { path, change },
});

const gave = ({ toolCallId, toolName }: ToolCall, value: string): ToolResult => ({
  type: "tool-result",
  toolCallId,
  toolName,
  output: { type: "text", value },
});

const failed = (call: ToolCall, value: string): ToolResult => ({
  ...gave(call, value),
  output: { type: "error-text", value },
});

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index + 1)).join("\n");
}

const HARBORS = ["alder", "birch", "cedar", "dune", "ebb", "fjord", "gull", "heron"];
const harbor = (index: number) => HARBORS[index % HARBORS.length] ?? "harbor";

const buildLog = [
  "> tidetable@3.4.0 build",
  lines(90, (index) => `[${index}/90] the tide table of ${harbor(index)} was compiled in ${(index * 7) % 90} ms`),
  "src/parse-heights.ts:41:29 - error TS2345: Argument of type 'string | undefined' is not assignable to",
  "parameter of type 'string'.",
  "Found 1 error. Exit code 2.",
].join("\n");

const parserSource = [
  'import type { Height } from "./height.ts";',
  "",
  "/** Parses one height from each line: harbor, time, meters. */",
  lines(16, (index) => `const COLUMN_${index} = { name: "${harbor(index)}", unit: "meters", digits: ${index % 4} };`),
  "export function parseHeights(text: string): Height[] {",
  '  return text.split("\\n").map((line) => {',
  '    const columns = line.split(";");',
  "    return { meters: parseHeight(columns[2]), at: parseTime(columns[1]) };",
  "  });",
  "}",
].join("\n");

const testLog = (passed: number, last: string) =>
  [lines(passed, (index) => `ok ${index} - ${harbor(index)}: high water ${index} is parsed to the minute`), last].join(
    "\n",
  );

const packList = [
  "tidetable-3.4.1.tgz",
  lines(
    300,
    (index) => `npm notice ${10 + ((index * 13) % 80)}.${index % 10} kB test/fixtures/${harbor(index)}-${index}.csv`,
  ),
  "npm notice 3.1 kB package.json",
  "npm notice package size: 4.1 MB, unpacked size: 19.6 MB, total files: 324",
].join("\n");

const build = run("call-1", "npm run build");
const look = [
  read("call-2", "src/parse-heights.ts"),
  read("call-3", "tsconfig.json"),
  run("call-4", "git log -3"),
] as const;
const guard = edit("call-5", "src/parse-heights.ts", "Skip a line without a third column and report its number.");
const buildAgain = run("call-6", "npm run build");
const testAll = run("call-7", "npm test");
const fixTest = edit("call-8", "test/parse-heights.test.ts", "Expect the line number in the error message.");
const addTest = edit("call-9", "test/parse-heights.test.ts", "A file with two bad lines keeps its good ones.");
const testParser = run("call-10", "npm test -- parse-heights");
const repeatLong = run("call-11", "npm test -- local-time --repeat 2000");
const repeatShort = run("call-12", "npm test -- local-time --repeat 10");
const lookAtTime = [read("call-13", "src/local-time.ts"), read("call-14", "test/local-time.test.ts")] as const;
const fixTime = edit("call-15", "src/local-time.ts", "Use the time zone offset of the table's day.");
const testTime = run("call-16", "npm test -- local-time --repeat 10");
const pack = run("call-17", "npm pack --dry-run");
const dropFixtures = edit("call-18", "package.json", 'Set "files" to ["dist"].');
const packAgain = run("call-19", "npm pack --dry-run");
const readChanges = read("call-20", "CHANGELOG.md");
const writeChanges = edit("call-21", "CHANGELOG.md", "Add 3.4.1 with the three fixes.");
const install = run("call-22", "npm install ./tidetable-3.4.1.tgz && npx tidetable gull");
const testLast = run("call-23", "npm test");

const written: readonly MessageWithoutId[] = [
  { role: "system", content: "You fix builds. Take small steps, run the tests after each, and never publish." },
  user(
    "The nightly build of tidetable broke on Tuesday. Find out why and fix it. In any case, it must " +
      "still run on Node 22: the harbor office cannot upgrade before March.",
  ),
  calls("I will start with the build itself.", build),
  results(gave(build, buildLog)),
  calls("The compiler stops in src/parse-heights.ts. I will read it, the settings and the last commits.", ...look),
  results(
    gave(look[0], parserSource),
    gave(look[1], '{ "compilerOptions": { "strict": true, "noUncheckedIndexedAccess": true } }'),
    gave(look[2], "4c1e9d2 Turn on noUncheckedIndexedAccess\n9a03b77 Add the tables of Gull\n17d2e60 Release 3.4.0"),
  ),
  says(
    "Commit 4c1e9d2 turned on noUncheckedIndexedAccess, so columns[2] may be missing, and parseHeight requires a string. " +
      "Shall I check the column and report the line, or turn the option off again?",
  ),
  user(
    "Check the column. The error message must contain the line number, and one bad line must not lose the rest of the file.",
  ),
  calls("I will check the column and collect errors with their line numbers.", guard),
  results(gave(guard, "src/parse-heights.ts: 9 lines added, 2 removed")),
  calls("Now the build.", buildAgain),
  results(gave(buildAgain, `${lines(40, (index) => `[${index}/40] ${harbor(index)} compiled`)}\nExit code 0.`)),
  calls("It compiles. Now the tests.", testAll),
  results(
    gave(testAll, testLog(46, "not ok 47 - a bad line is rejected: expected 'bad line', found 'line 3: bad line'")),
  ),
  says("It builds again. One test fails, because it expects the error message without its line number."),
  user("Adjust that test, and add one for a file with two bad lines."),
  calls("Both at once.", fixTest, addTest),
  results(gave(fixTest, "test/parse-heights.test.ts: 1 line changed")),
  results(gave(addTest, "test/parse-heights.test.ts: 11 lines added")),
  calls("Now the tests of the parser.", testParser),
  results(gave(testParser, testLog(14, "14 passed, 0 failed"))),
  says("All 14 tests of the parser pass."),
  user("The test local-time fails on some nights only. Why?"),
  calls("I will run it many times and wait for a failure.", repeatLong),
  user("Stop, that takes all night. Ten times is enough."),
  calls("Ten times.", repeatShort),
  results(failed(repeatShort, "run 4 of 10: expected 04:12, found 03:12 (src/local-time.ts:18)\n1 failed, 9 passed")),
  calls("It is an hour off. I will read the source and its test.", ...lookAtTime),
  results(
    gave(
      lookAtTime[0],
      `${lines(24, (index) => `  ${harbor(index)}: { offsetMinutes: ${index * 5}, summer: ${index % 2 === 0} },`)}\nconst offset = offsetOf(new Date());`,
    ),
    gave(lookAtTime[1], `${lines(18, (index) => `test("${harbor(index)} on day ${index}", () => check(${index}));`)}`),
  ),
  says(
    "local-time uses the offset of today instead of the offset of the table's day. In the week before the clocks " +
      "change, the two differ by an hour, so it fails for tables that include that night.",
  ),
  user("Fix it: use the offset of the table's day."),
  calls("One line in local-time.", fixTime),
  results(gave(fixTime, "src/local-time.ts: 1 line changed")),
  calls("Ten times again.", testTime),
  results(gave(testTime, testLog(30, "10 runs, 30 tests, 0 failed"))),
  says("Ten runs without a failure, including the nights around the time change."),
  user("A user reports that the download has become huge. What is in it?"),
  calls("I will list the files of the package.", pack),
  results(gave(pack, packList)),
  says("4.1 MB packed: it contains test/fixtures, 300 files that tidetable does not need to run."),
  user("Leave the fixtures out, and tell me the size."),
  calls("The package will contain only dist.", dropFixtures),
  results(gave(dropFixtures, "package.json: 1 line changed")),
  calls("Packed again.", packAgain),
  results(gave(packAgain, "npm notice package size: 212.4 kB, unpacked size: 640.0 kB, total files: 24")),
  says("212 kB instead of 4.1 MB."),
  user("Write the entry for the changelog."),
  calls("I will read the existing entries.", readChanges),
  results(
    gave(
      readChanges,
      lines(28, (index) => `## 3.${4 - Math.floor(index / 8)}.${8 - (index % 8)}\n- Tables of ${harbor(index)}.`),
    ),
  ),
  calls("I will add one entry in the same format.", writeChanges),
  results(gave(writeChanges, "CHANGELOG.md: 5 lines added")),
  says(
    "3.4.1: bad lines are reported with their number; times are correct across a time change; the download is 212 kB.",
  ),
  user("Install the packed file in an empty folder and try it, then run all tests once more."),
  calls("Both can run at the same time.", install, testLast),
  results(gave(install, "added 1 package\ngull: high water 04:12, low water 10:31")),
  results(gave(testLast, testLog(49, "49 passed, 0 failed"))),
  says("It installs, answers for Gull, and all 49 tests pass."),
  user("Last question before the release: which Node version must it still support, and until when?"),
];

export const conversation: readonly ConversationMessage[] = written.map((message, index) => ({
  id: `m${index + 1}`,
  ...message,
}));
