/**
 * Takes what an application wrote into the table itself into the log, so that it is shown, counted and folded like the
 * rest. The rows stay as they are: a message with the id of a row of its conversation gets no second one.
 */
import type { WindowedStore } from "./windowed-store.ts";

interface Appendable {
  readonly id: string;
  append(
    messages: readonly { readonly id: string; readonly role: string; readonly content: string }[],
  ): Promise<unknown>;
}

/** How many there were. Doing it twice does no harm. */
export async function adoptRows(session: Appendable, store: Pick<WindowedStore, "readLooseRows">): Promise<number> {
  const rows = await store.readLooseRows(session.id);
  if (rows.length > 0) await session.append(rows.map(({ id, role, content }) => ({ id, role, content })));
  return rows.length;
}
