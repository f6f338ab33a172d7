/**
 * Copies of images that are on their way to a message, under the names that the server gave them. The browser keeps them
 * until the log has them, so that loading the page again loses none; one that keeps nothing forgets them with the page.
 */
const DATABASE = "palimpsest";
const IMAGES = "images";
/** What a closed tab has left behind is nobody's after this. */
const LIFETIME_MS = 24 * 60 * 60 * 1_000;

interface KeptImage {
  readonly file: File;
  readonly at: number;
}

let opened: Promise<IDBDatabase> | undefined;

export async function keepImage(reference: string, file: File): Promise<void> {
  const image: KeptImage = { file, at: Date.now() };
  await attempt((images) => images.put(image, reference));
}

export async function findImage(reference: string): Promise<File | undefined> {
  const image: KeptImage | undefined = await attempt((images) => images.get(reference));
  return image?.file;
}

export async function forgetImage(reference: string): Promise<void> {
  await attempt((images) => images.delete(reference));
}

/** Undefined where it failed too: nothing here is worth more than a try. */
async function attempt<Value>(ask: (images: IDBObjectStore) => IDBRequest<Value>): Promise<Value | undefined> {
  try {
    opened ??= open();
    const database = await opened;
    return await settle(ask(database.transaction(IMAGES, "readwrite").objectStore(IMAGES)));
  } catch {
    return undefined;
  }
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(IMAGES);
  const database = await settle(request);
  await forgetOld(database);
  return database;
}

function forgetOld(database: IDBDatabase): Promise<void> {
  const request = database.transaction(IMAGES, "readwrite").objectStore(IMAGES).openCursor();
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const { result: cursor } = request;
      if (cursor === null) return resolve();
      if (isOld(cursor.value)) cursor.delete();
      cursor.continue();
    };
  });
}

function isOld({ at }: KeptImage): boolean {
  return at < Date.now() - LIFETIME_MS;
}

function settle<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
