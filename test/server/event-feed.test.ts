/**
 * The feed that events are sent from: it keeps a limited number of past events, and closes readers that do not keep up.
 */
import { expect, test } from "vitest";
import { openPalimpsest } from "../../src/compose.ts";
import { EventFeed, type FeedEvent } from "../../src/server/tenants/event-feed.ts";

async function aFeed(): Promise<EventFeed> {
  return new EventFeed(await openPalimpsest());
}

const tell = (feed: EventFeed, count: number): void => {
  for (let index = 0; index < count; index += 1) feed.add("append", { sessionId: String(index) });
};

test("a client that reads nothing gets at most 502 pending events, and its stream then ends", async () => {
  const feed = await aFeed();
  const events = feed.follow(new AbortController().signal);
  const first = events.next();
  tell(feed, 100_000);
  const received: (FeedEvent | undefined)[] = [(await first).value as FeedEvent];
  for await (const event of events) received.push(event);
  expect(received.length).toBeLessThanOrEqual(502);
  expect(feed.followers).toBe(0);
  const last = received.at(-1);
  // The id is too old to continue from.
  expect(last && feed.since(feed.positionOf(last))).toBeUndefined();
});

test("a client can continue from the newest thousand events, and older ones are reported as missing", async () => {
  const feed = await aFeed();
  tell(feed, 2_500);
  const place = (id: number) => feed.positionOf({ id, name: "", sessionId: undefined, data: undefined });
  expect(feed.since(place(1_500))).toHaveLength(1_000);
  expect(feed.since(place(1_499))).toBeUndefined();
  expect(feed.since(place(2_500))).toEqual([]);
  expect(feed.since(place(2_501))).toBeUndefined();
});

test("an event id of another feed is unknown", async () => {
  const [feed, other] = [await aFeed(), await aFeed()];
  tell(feed, 3);
  tell(other, 3);
  expect(feed.since(other.positionOf({ id: 1, name: "", sessionId: undefined, data: undefined }))).toBeUndefined();
});
