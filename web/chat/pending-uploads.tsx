/** Thumbnails of the images of the next message, each with a button to remove it. */
import { formatCount } from "../ui/format.ts";
import { CloseIcon } from "../ui/icons.tsx";
import { Picture } from "../ui/picture.tsx";
import type { Images } from "./use-images.ts";

export function PendingUploads({ images: { images, uploading, remove, refusal } }: { readonly images: Images }) {
  if (images.length === 0 && uploading === 0 && refusal === "") return null;
  return (
    <div className="pending-uploads">
      <ul aria-label="Images of this message">
        {images.map(({ key, preview, name }) => (
          <li key={key}>
            <Picture url={preview} name={name || "Image"} />
            <button
              type="button"
              className="icon-button"
              aria-label={`Remove ${name || "image"}`}
              onClick={() => remove(key)}
            >
              <CloseIcon />
            </button>
          </li>
        ))}
      </ul>
      <p className="aside" role="status">
        {uploading > 0 ? `Uploading ${formatCount(uploading, "image")}… ` : ""}
        {refusal === "" ? null : <span className="failed">{refusal}</span>}
      </p>
    </div>
  );
}
