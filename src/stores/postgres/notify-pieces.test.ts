import { describe, expect, test } from "vitest";
import { encodingTexts } from "../../testing/hostile-texts.ts";
import { cutIntoPieces, PieceJoiner } from "./notify-pieces.ts";

const LONG = "Ein Stück, ein 🧵, ein \u0000, ein \ud800 allein. ".repeat(2_000);

function joinAll(joiner: PieceJoiner, pieces: readonly string[]): readonly string[] {
  return pieces.flatMap((piece) => joiner.add(piece) ?? []);
}

describe("a text in pieces", () => {
  test("any text is joined again from its pieces", () => {
    const joiner = new PieceJoiner();
    for (const [number, text] of ["", "short", LONG, ...encodingTexts().map(({ build }) => build())].entries()) {
      const pieces = cutIntoPieces(text, { sender: "a", number });
      for (const piece of pieces) {
        expect(Buffer.byteLength(piece)).toBeLessThan(8_000);
        expect(piece.isWellFormed()).toBe(true);
        expect(piece).not.toContain("\0");
      }
      expect(joinAll(joiner, pieces)).toEqual([text]);
    }
  });

  test("pieces of two senders are joined separately", () => {
    const joiner = new PieceJoiner();
    const one = cutIntoPieces(`one ${LONG}`, { sender: "a", number: 1 });
    const other = cutIntoPieces(`other ${LONG}`, { sender: "b", number: 1 });
    const mixed = one.flatMap((piece, index) => [piece, other[index] ?? ""]);
    expect(joinAll(joiner, mixed)).toEqual([`one ${LONG}`, `other ${LONG}`]);
  });

  test("a text with a missing piece is dropped, and the next one arrives", () => {
    const joiner = new PieceJoiner();
    const [first = "", , ...rest] = cutIntoPieces(LONG, { sender: "a", number: 1 });
    expect(joinAll(joiner, [first, ...rest])).toEqual([]);
    expect(joinAll(joiner, cutIntoPieces("next", { sender: "a", number: 2 }))).toEqual(["next"]);
  });

  test("a text is dropped if it is too long, too late or above the limit of pending texts", () => {
    const joiner = new PieceJoiner({ characters: 20_000, senders: 2, waitMs: 1_000 });
    expect(joinAll(joiner, cutIntoPieces(LONG, { sender: "a", number: 1 }))).toEqual([]);
    const fitting = LONG.slice(0, 10_000);
    const [begun = "", last = ""] = cutIntoPieces(fitting, { sender: "a", number: 2 });
    expect(joiner.add(begun, 0)).toBeUndefined();
    expect(joiner.add(last, 2_000)).toBeUndefined();
    expect(joiner.add(begun, 0)).toBeUndefined();
    for (const sender of ["b", "c", "d"]) joiner.add(cutIntoPieces(fitting, { sender, number: 1 })[0] ?? "", 0);
    expect(joiner.add(last, 0)).toBeUndefined();
  });

  test("payloads of other programs on the channel are ignored", () => {
    const joiner = new PieceJoiner();
    expect(joinAll(joiner, ["", "look", "a 1 0", "a 1 1 2 x", "a -1 0 1 x", "ä 1 0 1 x"])).toEqual([]);
  });
});
