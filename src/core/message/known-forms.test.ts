import { describe, expect, test } from "vitest";
import { FormCache } from "./known-forms.ts";

describe("FormCache", () => {
  test("returns the form that was set for an object, even if it is the object itself", () => {
    const known = new FormCache<{ readonly text: string }>();
    const [same, changed, form] = [{ text: "a" }, { text: "b" }, { text: "B" }];
    expect(known.get(same)).toBeUndefined();
    known.set(same, same);
    known.set(changed, form);
    expect(known.get(same)).toBe(same);
    expect(known.get(changed)).toBe(form);
    expect(known.get(form)).toBeUndefined();
  });
});
