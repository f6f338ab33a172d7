/** Images that wait for the message they go with, small, each with a way to leave it out. */

import { writeCount } from "../ui/format.ts";
import { CloseIcon } from "../ui/icons.tsx";
import { Picture } from "../ui/picture.tsx";
import type { Images } from "./use-images.ts";

export function ImageShelf({ images: { held, sending, remove, refused } }: { readonly images: Images }) {
  if (held.length === 0 && sending === 0 && refused === "") return null;
  return (
    <div className="image-shelf">
      <ul aria-label="Images of this message">
        {held.map(({ key, preview, name }) => (
          <li key={key}>
            <Picture url={preview} name={name || "An image"} />
            <button
              type="button"
              className="icon-button"
              aria-label={`Remove ${name || "the image"}`}
              onClick={() => remove(key)}
            >
              <CloseIcon />
            </button>
          </li>
        ))}
      </ul>
      <p className="aside" role="status">
        {sending > 0 ? `Sending ${writeCount(sending, "image")}… ` : ""}
        {refused === "" ? null : <span className="failed">{refused}</span>}
      </p>
    </div>
  );
}
