import { expect, test } from "vitest";
import type { SessionLine } from "../api/values.ts";
import { findBranches } from "./find-branches.ts";

function session(id: string, createdAt: number, fork?: SessionLine["fork"]): SessionLine {
  return { id, title: id, preview: "", createdAt, updatedAt: createdAt, messageCount: 2, fork };
}

const trunk = session("trunk", 1);
const second = session("second", 2, { parentId: "trunk", atSeq: 4 });
const third = session("third", 3, { parentId: "trunk", atSeq: 4 });
const early = session("early", 4, { parentId: "trunk", atSeq: 2 });
const ALL = [early, third, second, trunk];

test("ways from one place stand in the order in which they began, the one that was left first", () => {
  const [branch] = findBranches(third, ALL);
  expect(branch).toEqual({ atSeq: 4, sessionIds: ["trunk", "second", "third"], current: 2 });
});

test("the session that was left shows every place where others left it", () => {
  const branches = findBranches(trunk, ALL);
  expect(new Map(branches.map(({ atSeq, sessionIds }) => [atSeq, sessionIds.length]))).toEqual(
    new Map([
      [2, 2],
      [4, 3],
    ]),
  );
  expect(branches.every(({ current }) => current === 0)).toBe(true);
});

test("a session that nobody left and that left nobody goes one way", () => {
  expect(findBranches(session("alone", 9), ALL)).toEqual([]);
});

test("a fork that the list does not hold is still one of its ways", () => {
  const unlisted = session("unlisted", 8, { parentId: "gone", atSeq: 7 });
  expect(findBranches(unlisted, ALL)).toEqual([{ atSeq: 7, sessionIds: ["gone", "unlisted"], current: 1 }]);
});
