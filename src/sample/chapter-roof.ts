/** An unrelated topic: the archive's roof leaks, and the guide has to wait for a few days. */

import type { ScriptTurn } from "./sample-script.ts";
import { archiveCards, humidityTable } from "./sample-tools.ts";

export const ROOF: readonly ScriptTurn[] = [
  {
    at: "2026-04-07T07:48",
    who: "Nora",
    asks: "Something else, and it is urgent. There is water on the floor of the archive under the roof. Forget the guide for today. What do the loggers say?",
    rounds: [{ calls: [{ tool: "read_sensors", input: { kind: "humidity" }, output: humidityTable(4, 22) }] }],
    answer:
      "Logger 3 at the north wall stood between 51 and 54 percent until 18:00 on 5 April. From 20:00 on that evening it is between 66 and 82 percent. So water has been coming in since the evening of 5 April.",
  },
  {
    at: "2026-04-07T07:59",
    who: "Nora",
    asks: "What stands at the north wall?",
    rounds: [
      {
        calls: [
          {
            tool: "search_archive",
            input: { query: "north wall, loft archive" },
            output: archiveCards("north wall, loft archive", [
              "Shelf N1: pattern books 1878 to 1931, 41 volumes, half leather.",
              "Shelf N2: glass negatives in wooden boxes, 260 plates, sensitive to damp.",
              "Shelf N3: printed price lists, duplicates, may get wet before anything else does.",
            ]),
          },
        ],
      },
    ],
    answer:
      "Shelf N1 holds the 41 pattern books, N2 the 260 glass negatives, which are sensitive to damp, and N3 duplicates of price lists. The negatives should leave first, then the pattern books.",
  },
  {
    at: "2026-04-07T08:10",
    who: "Nora",
    asks: "Maj and I carry the negatives to the office now. Who was the roofer that did the annex?",
    answer:
      "That has not come up in this conversation, and the cards I saw do not say. The invoices in the accounts would.",
  },
  {
    at: "2026-04-07T08:31",
    who: "Ifeoma",
    asks: "The annex was done by Storm & Daughter in 2019. Their number is 0980-319 217. I called: they come tomorrow at seven with a tarpaulin.",
    answer: "Storm & Daughter come on Wednesday, 8 April, at 7:00 with a tarpaulin; their number is 0980-319 217.",
  },
  {
    at: "2026-04-08T12:15",
    who: "Nora",
    asks: "They found two cracked slates and a rotten batten. It will be 640 euros, and it comes from the building account, not from the guide.",
    answer: "The repair costs 640 euros and is paid from the building account; the 4,800 for the guide are untouched.",
  },
  {
    at: "2026-04-09T16:40",
    who: "Nora",
    asks: "Done, the roof is tight. Can you check that it really gets dry?",
    rounds: [{ calls: [{ tool: "read_sensors", input: { kind: "humidity" }, output: humidityTable(6, 0) }] }],
    answer:
      "Not yet: logger 3 still moves between 66 and 82 percent. Without heating a wall like that needs two to three weeks. I would leave the negatives in the office until it stays under 55 percent.",
  },
  {
    at: "2026-04-09T16:52",
    who: "Nora",
    asks: "Fine, the negatives stay in the office until the end of April. Back to the guide!",
    answer:
      "Back to the guide, then. Where it stood: Ifeoma needs the figures by 10 April, which is tomorrow, and the application is due on 17 April.",
  },
];
