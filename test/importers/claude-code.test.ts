/** The peculiarities of Claude Code's files: pieces of a message, forks, resumed sessions, subagents, compactions. */
import { describe, expect, test } from "vitest";
import { importTranscript } from "../../src/index.ts";
import {
  CLAUDE_RECORDS,
  claudeAnswer,
  claudeCall,
  claudeRecord,
  claudeResult,
  claudeUser,
  toJsonLines,
} from "../support/claude-records.ts";

const read = async (...records: readonly unknown[]) => importTranscript(toJsonLines(...records));
const say = (text: string) => ({ type: "text", text });

describe("a session of Claude Code", () => {
  test("has one message for the records of one response, with its newest usage, and the results after it", async () => {
    const { sessions } = await read(...CLAUDE_RECORDS);
    const [, answer, first, second] = sessions[0]?.messages ?? [];
    expect(answer?.message.parts.map(({ type }) => type)).toEqual(["reasoning", "tool-call", "tool-call"]);
    expect(answer).toMatchObject({
      usage: {
        model: "claude-sonnet-4-5",
        inputTokens: 234,
        outputTokens: 41,
        cacheReadTokens: 200,
        cacheWriteTokens: 30,
      },
      responseId: "req_msg_a",
      message: { saidAt: Date.UTC(2026, 3, 5, 9, 0, 2) },
    });
    expect([first?.message.role, second?.message.role]).toEqual(["tool", "tool"]);
    expect(sessions[0]).toMatchObject({ sourceId: "6a3e2d10-1111-4222-8333-444455556666", folder: "/home/ida/ferry" });
  });

  test("reads pieces of a response that come after the first result", async () => {
    const { sessions } = await read(
      claudeRecord(1, undefined, claudeUser("Look.")),
      claudeRecord(2, 1, claudeAnswer("m", claudeCall("t1"))),
      claudeRecord(3, 2, claudeResult("t1")),
      claudeRecord(4, 2, claudeAnswer("m", claudeCall("t2"))),
      claudeRecord(5, 4, claudeResult("t2")),
    );
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.messages.map(({ message }) => message.parts.length)).toEqual([1, 2, 1, 1]);
  });

  test("becomes a fork where the user went back, after the message that both share", async () => {
    const { sessions } = await read(
      ...CLAUDE_RECORDS,
      claudeRecord(8, 7, claudeUser("And on Sunday?")),
      claudeRecord(9, 8, claudeAnswer("msg_c", say("At nine."))),
      claudeRecord(10, 7, claudeUser("And on Monday?")),
      claudeRecord(11, 10, claudeAnswer("msg_d", say("At ten."))),
    );
    const [main, fork] = sessions;
    expect(sessions).toHaveLength(2);
    expect(main?.messages).toHaveLength(7);
    const shared = main?.messages[4]?.message.id;
    expect(fork?.parent).toEqual({ session: main?.session, afterMessageId: shared, kind: "fork" });
    expect(fork?.messages.map(({ message }) => message.parts)).toEqual([[say("And on Monday?")], [say("At ten.")]]);
  });

  test("is a fork if its records name another session", async () => {
    const resumed = { sessionId: "77777777-1111-4222-8333-444455556666" };
    const { sessions } = await read(...CLAUDE_RECORDS, claudeRecord(8, 7, { ...claudeUser("Once more."), ...resumed }));
    expect(sessions.map(({ sourceId, parent }) => [sourceId?.slice(0, 4), parent?.kind])).toEqual([
      ["6a3e", undefined],
      ["7777", "fork"],
    ]);
  });

  test("does not follow a cycle of parents", async () => {
    const { sessions, problems } = await read(
      claudeRecord(1, 2, claudeUser("First.")),
      claudeRecord(2, 1, claudeAnswer("m", say("Second."))),
      claudeRecord(1, 2, claudeUser("First.")),
    );
    expect([sessions.length, sessions[0]?.messages.length, problems]).toEqual([1, 2, []]);
  });

  test("has its subagents as sessions of their own", async () => {
    const side = { isSidechain: true, agentId: "a1" };
    const { sessions } = await read(
      ...CLAUDE_RECORDS.slice(0, 3),
      claudeRecord(20, undefined, { ...claudeUser("Search the docks."), ...side }),
      claudeRecord(21, 20, { ...claudeAnswer("msg_s", say("Nothing.")), ...side }),
      ...CLAUDE_RECORDS.slice(3),
    );
    expect(sessions.map(({ messages, parent }) => [messages.length, parent?.kind])).toEqual([
      [5, undefined],
      [2, "subagent"],
    ]);
  });

  test("keeps the tool's summary as an event and never as a message", async () => {
    const boundary = {
      type: "system",
      subtype: "compact_boundary",
      compactMetadata: { trigger: "auto", preTokens: 155_000 },
    };
    const summary = {
      ...claudeUser("This session is being continued. The ferry leaves at 17:40."),
      isCompactSummary: true,
    };
    const { sessions } = await read(
      ...CLAUDE_RECORDS,
      { ...claudeRecord(8, undefined, boundary), logicalParentUuid: "0d5c8a10-77aa-4c00-9e00-000000000007" },
      claudeRecord(9, 8, summary),
      claudeRecord(10, 9, claudeUser("Go on.")),
    );
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.summaries).toMatchObject([{ trigger: "auto", tokensBefore: 155_000 }]);
    expect(sessions[0]?.summaries[0]?.text).toContain("17:40");
    expect(JSON.stringify(sessions[0]?.messages)).not.toContain("being continued");
    expect(sessions[0]?.messages).toHaveLength(6);
  });

  test("has its images and its title", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const { sessions } = await read(claudeRecord(1, undefined, claudeUser([say("What is this?"), image])), {
      type: "summary",
      summary: "A buoy",
      leafUuid: "0d5c8a10-77aa-4c00-9e00-000000000001",
    });
    expect(sessions[0]).toMatchObject({ title: "A buoy" });
    expect(sessions[0]?.messages[0]?.message.parts[1]).toMatchObject({ type: "image", mediaType: "image/png" });
  });

  test("keeps orphan results and unanswered calls as they are", async () => {
    const { sessions } = await read(
      claudeRecord(1, undefined, claudeResult("toolu_gone")),
      claudeRecord(2, 1, claudeAnswer("m", claudeCall("toolu_open"))),
    );
    expect(sessions[0]?.messages.map(({ message }) => message.parts[0])).toMatchObject([
      { type: "tool-result", callId: "toolu_gone" },
      { type: "tool-call", callId: "toolu_open" },
    ]);
  });

  test("reports a line that cannot be read with its number, and reads the others", async () => {
    const [first, ...others] = CLAUDE_RECORDS;
    const text = `${toJsonLines(first)}{"type":"user","mess\n[1]\n"text"\n${toJsonLines({ type: "user", uuid: "x", message: 7 }, ...others)}`;
    const { sessions, problems } = await importTranscript(text);
    expect(sessions[0]?.messages).toHaveLength(5);
    expect(problems.map(({ line }) => line)).toEqual([2, 3, 4, 5]);
    expect(problems[0]).toMatchObject({ place: "line 2", reason: "it is not JSON" });
  });
});
