/** Keeps the browser's own copies of images for as long as something shows them. */
import { useEffect } from "react";
import { holdPreview, letGoPreview } from "../api/images.ts";

export function useHeldPreviews(references: readonly string[]): void {
  const key = references.join("\n");
  useEffect(() => {
    const held = key === "" ? [] : key.split("\n");
    for (const reference of held) holdPreview(reference);
    return () => {
      for (const reference of held) letGoPreview(reference);
    };
  }, [key]);
}
