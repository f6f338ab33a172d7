/**
 * An image as the browser shows it. Browsers send no token with what they load by themselves, so with one it is fetched
 * first, and shown from a copy that goes with the picture.
 */
import { useEffect, useState } from "react";
import { isLoadable, loadImage } from "../api/images.ts";

export interface PictureProps {
  readonly url: string;
  readonly name: string;
  readonly className?: string | undefined;
}

export function Picture({ url, name, className }: PictureProps) {
  return <img className={className} src={useAddress(url)} alt={name} loading="lazy" />;
}

function useAddress(url: string): string | undefined {
  const isPlain = isLoadable(url);
  const [copy, setCopy] = useState<string | undefined>();
  useEffect(() => {
    if (isPlain) return;
    const controller = new AbortController();
    let made: string | undefined;
    loadImage(url, controller.signal).then(
      (bytes) => {
        if (controller.signal.aborted) return;
        made = URL.createObjectURL(bytes);
        setCopy(made);
      },
      // Its name stands in its place, as where a browser cannot load one.
      () => undefined,
    );
    return () => {
      controller.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
      setCopy(undefined);
    };
  }, [url, isPlain]);
  return isPlain ? url : copy;
}
