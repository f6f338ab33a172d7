import { expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import { createUnit } from "./topic-unit.ts";

test("createUnit ignores numbers with one or two digits, and keeps longer ones as terms", () => {
  const { aUserMessage } = messageBuilder();
  const { opening, terms } = createUnit(aUserMessage("Order 12 has 7 lamps for room 314"), 0);
  expect([...opening]).toEqual(["order", "lamp", "room", "314"]);
  expect([...terms.keys()]).toEqual(["order", "lamp", "room", "314"]);
});
