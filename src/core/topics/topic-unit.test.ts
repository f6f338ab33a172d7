import { expect, test } from "vitest";
import { messageBuilder } from "../../testing/builders.ts";
import { createUnit } from "./topic-unit.ts";

test("a number of one or two digits is no term of a topic, and a longer one is", () => {
  const { aUserMessage } = messageBuilder();
  const { opening, terms } = createUnit(aUserMessage("Order 12 has 7 lamps for room 314"), 0);
  expect([...opening]).toEqual(["order", "lamp", "room", "314"]);
  expect([...terms.keys()]).toEqual(["order", "lamp", "room", "314"]);
});
