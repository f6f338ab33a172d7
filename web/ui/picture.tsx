/**
 * An image. Browsers send no token with `img` requests, so an image that needs one is fetched first and shown from a
 * copy.
 */
import { useEffect, useState } from "react";
import { isLoadable, loadImage } from "../api/images.ts";

export interface PictureProps {
  readonly url: string;
  readonly name: string;
  readonly className?: string | undefined;
}

export function Picture({ url, name, className }: PictureProps) {
  return <img className={className} src={useImageUrl(url)} alt={name} loading="lazy" />;
}

function useImageUrl(url: string): string | undefined {
  const canLoad = isLoadable(url);
  const [copy, setCopy] = useState<string | undefined>();
  useEffect(() => {
    if (canLoad) return;
    const controller = new AbortController();
    let objectUrl: string | undefined;
    loadImage(url, controller.signal).then(
      (bytes) => {
        if (controller.signal.aborted) return;
        objectUrl = URL.createObjectURL(bytes);
        setCopy(objectUrl);
      },
      // The alternative text is shown, as for any image that fails to load.
      () => undefined,
    );
    return () => {
      controller.abort();
      if (objectUrl !== undefined) URL.revokeObjectURL(objectUrl);
      setCopy(undefined);
    };
  }, [url, canLoad]);
  return canLoad ? url : copy;
}
