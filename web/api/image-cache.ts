/**
 * Copies of uploaded images in IndexedDB, by the server's reference, so that reloading the page loses none before the
 * log has them. In a browser without IndexedDB they last as long as the page.
 */
const DATABASE = "palimpsest";
const IMAGES = "images";
/** Age at which a copy is removed when a page opens the cache: no message has used it. */
const LIFETIME_MS = 24 * 60 * 60 * 1_000;

interface CachedImage {
  readonly file: File;
  readonly at: number;
}

let opened: Promise<IDBDatabase> | undefined;

export async function cacheImage(reference: string, file: File): Promise<void> {
  const image: CachedImage = { file, at: Date.now() };
  await attempt((images) => images.put(image, reference));
}

export async function findCachedImage(reference: string): Promise<File | undefined> {
  const image: CachedImage | undefined = await attempt((images) => images.get(reference));
  return image?.file;
}

export async function removeCachedImage(reference: string): Promise<void> {
  await attempt((images) => images.delete(reference));
}

/** Also undefined if the request failed: the cache is optional. */
async function attempt<Value>(request: (images: IDBObjectStore) => IDBRequest<Value>): Promise<Value | undefined> {
  try {
    opened ??= open();
    const database = await opened;
    return await settle(request(database.transaction(IMAGES, "readwrite").objectStore(IMAGES)));
  } catch {
    return undefined;
  }
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(IMAGES);
  const database = await settle(request);
  await removeExpired(database);
  return database;
}

function removeExpired(database: IDBDatabase): Promise<void> {
  const request = database.transaction(IMAGES, "readwrite").objectStore(IMAGES).openCursor();
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const { result: cursor } = request;
      if (cursor === null) return resolve();
      if (isExpired(cursor.value)) cursor.delete();
      cursor.continue();
    };
  });
}

function isExpired({ at }: CachedImage): boolean {
  return at < Date.now() - LIFETIME_MS;
}

function settle<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
