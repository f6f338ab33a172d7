/** Reads a stream of Anthropic's events as a strict client: an event out of order is an error. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/message/json.ts";

/** Returns the content of the message. */
export function readMessageEvents(text: string): readonly JsonObject[] {
  const blocks: { -readonly [Key in keyof JsonObject]: JsonObject[Key] }[] = [];
  let [state, open, input] = ["before", -1, ""];
  const expect = (holds: boolean, data: JsonObject) => {
    if (!holds) throw new Error(`${String(data.type)} in state ${state}, block ${open}: ${JSON.stringify(data)}`);
  };
  for (const event of text.split("\n\n").filter((each) => each !== "")) {
    const [, name, json = ""] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? [];
    const data: JsonObject = JSON.parse(json);
    expect(name === data.type, data);
    switch (name) {
      case "ping":
        break;
      case "message_start":
        expect(state === "before", data);
        state = "between";
        break;
      case "content_block_start":
        expect(state === "between" && data.index === blocks.length, data);
        blocks.push({ ...objectOf(data.content_block) });
        [state, open, input] = ["block", blocks.length - 1, ""];
        break;
      case "content_block_delta": {
        expect(state === "block" && data.index === open, data);
        const delta = objectOf(data.delta);
        const block = blocks[open] ?? {};
        if (delta.type === "input_json_delta") input += String(delta.partial_json);
        for (const field of ["text", "thinking", "signature"]) {
          if (typeof delta[field] === "string") block[field] = `${block[field] ?? ""}${delta[field]}`;
        }
        break;
      }
      case "content_block_stop": {
        expect(state === "block" && data.index === open, data);
        const block = blocks[open] ?? {};
        if (input !== "") block.input = JSON.parse(input);
        state = "between";
        break;
      }
      case "message_delta":
        expect(state === "between", data);
        state = "ending";
        break;
      case "message_stop":
        expect(state === "ending", data);
        state = "ended";
        break;
      default:
        throw new Error(`unknown event ${name}`);
    }
  }
  if (state !== "ended") throw new Error(`the stream ended in state ${state}`);
  return blocks;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
