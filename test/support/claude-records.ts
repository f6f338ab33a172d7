/** Records of a session of Claude Code, written for the tests. */
/** Writes values as JSON Lines. */
export const toJsonLines = (...records: readonly unknown[]): string =>
  records.map((each) => `${JSON.stringify(each)}\n`).join("");
/** Returns a time of the samples as text. */
export const timeAt = (seconds: number): string => new Date(Date.UTC(2026, 3, 5, 9, 0, seconds)).toISOString();
/** Returns a time of the samples in milliseconds. */
export const millisecondsAt = (seconds: number): number => Date.UTC(2026, 3, 5, 9, 0, seconds);

const uuid = (digit: number): string => `0d5c8a10-77aa-4c00-9e00-${String(digit).padStart(12, "0")}`;

/** A record of Claude Code. */
export function claudeRecord(number: number, parent: number | undefined, fields: object): object {
  return {
    parentUuid: parent === undefined ? null : uuid(parent),
    isSidechain: false,
    sessionId: "6a3e2d10-1111-4222-8333-444455556666",
    cwd: "/home/ida/ferry",
    version: "2.1.0",
    uuid: uuid(number),
    timestamp: timeAt(number),
    ...fields,
  };
}

export const claudeUser = (content: unknown) => ({ type: "user", message: { role: "user", content } });

export function claudeAnswer(id: string, block: object, usage: object = {}) {
  const message = { id, type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [block] };
  const figures = { input_tokens: 4, cache_creation_input_tokens: 30, cache_read_input_tokens: 200, output_tokens: 9 };
  return { type: "assistant", requestId: `req_${id}`, message: { ...message, usage: { ...figures, ...usage } } };
}

export const claudeCall = (id: string, input: object = {}) => ({ type: "tool_use", id, name: "Read", input });
export const claudeResult = (id: string, content = "ten lines") =>
  claudeUser([{ type: "tool_result", tool_use_id: id, content }]);

export const CLAUDE_RECORDS: readonly object[] = [
  claudeRecord(1, undefined, claudeUser("When does the ferry leave?")),
  claudeRecord(2, 1, claudeAnswer("msg_a", { type: "thinking", thinking: "The timetable knows.", signature: "c2ln" })),
  claudeRecord(3, 2, claudeAnswer("msg_a", claudeCall("toolu_1", { file_path: "timetable.txt" }))),
  claudeRecord(
    4,
    3,
    claudeAnswer("msg_a", claudeCall("toolu_2", { file_path: "holidays.txt" }), { output_tokens: 41 }),
  ),
  claudeRecord(5, 3, claudeResult("toolu_1")),
  claudeRecord(6, 4, claudeResult("toolu_2", "no holidays")),
  claudeRecord(7, 6, claudeAnswer("msg_b", { type: "text", text: "At 17:40." })),
];
