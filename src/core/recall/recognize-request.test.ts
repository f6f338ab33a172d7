import { describe, expect, test } from "vitest";
import { recognizeRequest } from "./recognize-request.ts";

describe("recognizeRequest", () => {
  test.each([
    ["Hello there!", "greeting"],
    ["Guten Morgen", "greeting"],
    ["Thanks a lot!", "thanks"],
    ["Vielen Dank", "thanks"],
    ["ありがとうございます", "thanks"],
    ["See you tomorrow", "goodbye"],
    ["再见", "goodbye"],
    ["What can you do?", "capabilities"],
    ["Are you an AI?", "capabilities"],
    ["你是谁？", "capabilities"],
    ["Can you summarise this, please?", "summary"],
    ["Fass das bitte zusammen", "summary"],
    ["Resume la conversación", "summary"],
    ["总结一下", "summary"],
    ["What did we decide?", "decisions"],
    ["Who said that the shed leaks?", "who-said"],
    ["Wer hat gesagt, dass der Schuppen leckt?", "who-said"],
    ["Where is the shed?", "question"],
    ["Where are we going for our holiday?", "question"],
    ["Tell me about the shed", "question"],
    ["鍵はどこですか", "question"],
    ["The shed is behind the barn.", "statement"],
    ["谢谢你的钥匙放在桌子上了。", "statement"],
  ] as const)("recognizes %j as %s", (text, type) => {
    expect(recognizeRequest(text).type).toBe(type);
  });

  test.each([
    ["What did we decide about the roof?", "the roof"],
    ["What have we agreed on for the opening?", "for the opening"],
    ["Who mentioned the blue door?", "the blue door"],
    ["What did we decide?", ""],
    ["Summarize the talk about the roof", "the talk about the roof"],
    ["Where are we?", ""],
  ])("returns the subject of %j", (text, about) => {
    expect(recognizeRequest(text)).toMatchObject({ about });
  });

  test("returns the same request for the same text", () => {
    const first = recognizeRequest("What did we decide about the roof?");
    expect(recognizeRequest("What did we decide about the roof?")).toEqual(first);
  });
});
