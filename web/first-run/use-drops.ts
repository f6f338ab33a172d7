/**
 * Files that are dropped where nobody takes them: a browser would leave the page for them. Images go to whoever writes a
 * message, and anything else is read in as a transcript.
 */
import { useEffect } from "react";
import { sayError } from "../api/errors.ts";
import { goTo } from "../hooks/use-location.ts";
import { announce } from "../ui/announcement.ts";
import { importFile } from "./import-file.ts";

type Take = (files: readonly File[]) => void;

const takers = new Set<Take>();

/** Takes images that are dropped anywhere, for as long as it is on the page. */
export function useDroppedImages(take: Take): void {
  useEffect(() => {
    takers.add(take);
    return () => void takers.delete(take);
  }, [take]);
}

export function useWindowDrops(): void {
  useEffect(() => {
    const onOver = (event: DragEvent) => hasFiles(event) && event.preventDefault();
    window.addEventListener("dragover", onOver);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("drop", onDrop);
    };
  }, []);
}

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

function onDrop(event: DragEvent): void {
  // What a part of the page has taken is its own; a piece of text is dropped where it may be.
  if (event.defaultPrevented || !hasFiles(event)) return;
  event.preventDefault();
  const files = [...(event.dataTransfer?.files ?? [])];
  const images = files.filter(({ type }) => type.startsWith("image/"));
  const [taker] = [...takers].slice(-1);
  if (images.length > 0 && taker === undefined) announce("Open a conversation first: images go with a message.");
  else if (images.length > 0) taker?.(images);
  const transcript = files.find((file) => !images.includes(file));
  if (transcript === undefined) return;
  importFile(transcript).then(
    (id) => goTo({ type: "session", id, seq: undefined }),
    (error: unknown) => announce(`${transcript.name} was not read in. ${sayError(error)}`),
  );
}
