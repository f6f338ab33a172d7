/** The current location, stored in the address after `#`: the first screen, or a session with an optional message. */
import { useSyncExternalStore } from "react";

export type PageLocation =
  | { readonly type: "start" }
  | { readonly type: "session"; readonly id: string; readonly seq: number | undefined };

export function useLocation(): PageLocation {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return parsePlace(hash);
}

export function goTo(place: PageLocation): void {
  window.location.hash = placeHref(place);
}

export function placeHref(place: PageLocation): string {
  if (place.type === "start") return "#/";
  const id = encodeURIComponent(place.id);
  return place.seq === undefined ? `#/sessions/${id}` : `#/sessions/${id}/${place.seq}`;
}

function parsePlace(hash: string): PageLocation {
  const [, id, seq] = /^#\/sessions\/([^/]+)(?:\/(\d+))?$/.exec(hash) ?? [];
  if (id === undefined) return { type: "start" };
  return { type: "session", id: decode(id), seq: seq === undefined ? undefined : Number(seq) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}
