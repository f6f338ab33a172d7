import { describe, expect, test } from "vitest";
import type { Message } from "../../message/message.ts";
import { runSteps } from "../../tokens/count-text.ts";
import { splitTranscriptsInSteps } from "./split-transcripts.ts";

const split = (messages: readonly Message[]): readonly Message[] => runSteps(splitTranscriptsInSteps(messages));
const says = (text: string, id = "m1", role: Message["role"] = "user"): Message => ({
  id,
  role,
  parts: [{ type: "text", text }],
});

/** Returns each turn as `2023-05-08 14:02 Ann: text`. */
const turnsOf = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ name, saidAt, parts: [part] }) => {
    const at = saidAt === undefined ? "" : `${new Date(saidAt).toISOString().slice(0, 16).replace("T", " ")} `;
    return `${at}${name === undefined ? "" : `${name}: `}${part?.type === "text" ? part.text : ""}`;
  });

describe("a pasted transcript", () => {
  test.each([
    [
      "days in brackets and plain names",
      "[3 March 2021]\nMia: I sold the car yesterday.\nJonas: At last!\nMia: The buyer is a baker.\nHe paid in cash.\nJonas: Well done.",
      [
        "2021-03-03 00:00 Mia: I sold the car yesterday.",
        "2021-03-03 00:00 Jonas: At last!",
        "2021-03-03 00:00 Mia: The buyer is a baker.\nHe paid in cash.",
        "2021-03-03 00:00 Jonas: Well done.",
      ],
    ],
    [
      "times before names",
      "2021-03-03 09:15 Mia: on my way\n2021-03-03 09:20 Jonas Berg: see you",
      ["2021-03-03 09:15 Mia: on my way", "2021-03-03 09:20 Jonas Berg: see you"],
    ],
    [
      "a phone's export with months first",
      "3/4/21, 9:15 PM - Mia: hi\n3/4/21, 9:16 PM - Jonas: hello\n3/14/21, 8:00 AM - Mia: happy pi day",
      ["2021-03-04 21:15 Mia: hi", "2021-03-04 21:16 Jonas: hello", "2021-03-14 08:00 Mia: happy pi day"],
    ],
    [
      "a phone's export with days first, and a number without a name",
      "[04.03.21, 21:15:02] Mia: hallo\n[04.03.21, 21:16:40] +49 171 2345678: hi",
      ["2021-03-04 21:15 Mia: hallo", "2021-03-04 21:16 +49 171 2345678: hi"],
    ],
    [
      "bold names and a time, with the words below",
      "# 3 March 2021\n\n**Mia** (10:15)\nThe oven is broken.\n\n**Jonas** (10:16)\nI will call a mechanic.",
      ["2021-03-03 10:15 Mia: The oven is broken.", "2021-03-03 10:16 Jonas: I will call a mechanic."],
    ],
    [
      "a work chat that was copied",
      "Wednesday, March 3rd\nMia Lund  2:02 PM\nThe oven is broken.\nJonas  2:05 PM\nAgain?\n",
      ["Mia Lund: The oven is broken.", "Jonas: Again?"],
    ],
    [
      "a chat log with tabs and small names",
      "2024-03-12 18:04:11\tana\tI sold the piano.\n2024-03-12 18:05:40\tben\tTo whom?",
      ["2024-03-12 18:04 ana: I sold the piano.", "2024-03-12 18:05 ben: To whom?"],
    ],
    [
      "lines of a log by people",
      "2024-03-12T18:04:11Z ana: I sold the piano.\n2024-03-12T18:05:40Z [ben] To whom?",
      ["2024-03-12 18:04 ana: I sold the piano.", "2024-03-12 18:05 ben: To whom?"],
    ],
    [
      "days that an IRC client notes",
      "--- Day changed Tue Mar 12 2024\n18:04 < ana> I sold the piano.\n18:05 < ben> To whom?",
      ["2024-03-12 18:04 ana: I sold the piano.", "2024-03-12 18:05 ben: To whom?"],
    ],
    [
      "a copied chat with the time below the name",
      "Ana Ruiz\n  6:04 PM\nI sold the piano.\nBen\n  6:05 PM\nTo whom?",
      ["Ana Ruiz: I sold the piano.", "Ben: To whom?"],
    ],
    [
      "small names, a dash and the time above the words",
      "ana — 03/12/2024 6:04 PM\nI sold the piano.\nben — 03/13/2024 6:05 PM\nTo whom?",
      ["2024-03-12 18:04 ana: I sold the piano.", "2024-03-13 18:05 ben: To whom?"],
    ],
    [
      "a time in brackets and a name above the words",
      "[3/12/2024 6:04 PM] Ana Ruiz\nI sold the piano.\n[3/13/2024 6:05 PM] Ben\nTo whom?",
      ["2024-03-12 18:04 Ana Ruiz: I sold the piano.", "2024-03-13 18:05 Ben: To whom?"],
    ],
    [
      "numbered subtitles with voices",
      "WEBVTT\n\n1\n00:00:03.000 --> 00:00:07.000\n<v Ana>I sold it.</v>\n\n2\n00:00:08.000 --> 00:00:09.000\n<v Ben>To whom?</v>\n\n3\n00:00:10.000 --> 00:00:11.000\n<v Ana>To a school.</v>\n\n4\n00:00:12.000 --> 00:00:13.000\n<v Ben>Well done.</v>",
      ["Ana: I sold it.", "Ben: To whom?", "Ana: To a school.", "Ben: Well done."],
    ],
    [
      "a log of programs, which are no speakers",
      "2024-03-12T18:04:11Z nginx: GET /index.html 200\n2024-03-12T18:04:12Z worker: job 17 started",
      [
        "2024-03-12 18:04 2024-03-12T18:04:11Z nginx: GET /index.html 200",
        "2024-03-12 18:04 2024-03-12T18:04:12Z worker: job 17 started",
      ],
    ],
    [
      "nicknames in angle brackets",
      "[14:02] <mia_k> anyone here?\n[14:03] <jonas> yes",
      ["mia_k: anyone here?", "jonas: yes"],
    ],
    [
      "roles as names",
      "User: How do I boil an egg?\nAssistant: For six minutes.\nUser: And a hard one?\nAssistant: Ten minutes.",
      [
        "User: How do I boil an egg?",
        "Assistant: For six minutes.",
        "User: And a hard one?",
        "Assistant: Ten minutes.",
      ],
    ],
    [
      "Chinese names and wide colons",
      "小明：我昨天去了北京。\n小红：真的吗？\n小明：是的，很好玩。\n小红：太好了。",
      ["小明: 我昨天去了北京。", "小红: 真的吗？", "小明: 是的，很好玩。", "小红: 太好了。"],
    ],
  ])("with %s is split into turns with names and times", (_, text, turns) => {
    expect(turnsOf(split([says(text)]))).toEqual(turns);
  });

  test("keeps the user's words before it separate, and every turn cites the message", () => {
    const turns = split([
      says("What did they agree on?\n\nMia (3 March 2021, 10:15): I take the dog.\nJonas (3 March 2021, 10:16): Fine."),
    ]);
    expect(turnsOf(turns)).toEqual([
      "What did they agree on?",
      "2021-03-03 10:15 Mia: I take the dog.",
      "2021-03-03 10:16 Jonas: Fine.",
    ]);
    expect(new Set(turns.map(({ id }) => id))).toEqual(new Set(["m1"]));
  });

  test("takes the year of its message if its dates have none", () => {
    const text = "March 3, 10:15 - Mia: I take the dog.\nMarch 4, 10:16 - Jonas: Fine.";
    expect(turnsOf(split([{ ...says(text), saidAt: Date.UTC(2022, 5, 1) }]))).toEqual([
      "2022-03-03 10:15 Mia: I take the dog.",
      "2022-03-04 10:16 Jonas: Fine.",
    ]);
  });
});

describe("messages that each begin with a speaker", () => {
  test("get the name and the time from their text", () => {
    const messages = [
      says("[3 March 2021] Mia: I moved.", "a"),
      says("[4 March 2021] Jonas: Where to?", "b", "assistant"),
    ];
    expect(turnsOf(split(messages))).toEqual(["2021-03-03 00:00 Mia: I moved.", "2021-03-04 00:00 Jonas: Where to?"]);
    expect(split(messages).map(({ id, role }) => `${id} ${role}`)).toEqual(["a user", "b assistant"]);
  });

  test("get a name without a time if the names repeat", () => {
    const texts = [
      "Mia: I moved to the coast.",
      "Jonas: Which one?",
      "Mia: The northern coast.",
      "Jonas: It is windy there.",
    ];
    const turns = split(texts.map((text, index) => says(text, `m${index}`)));
    expect(turns.map(({ name }) => name)).toEqual(["Mia", "Jonas", "Mia", "Jonas"]);
  });

  test("stay unchanged if they already have names", () => {
    const messages = [0, 1, 2, 3].map((index) => ({
      ...says(`[3 March 2021] Mia: part ${index}.`, `m${index}`),
      name: "Bot",
    }));
    expect(split(messages)).toBe(messages);
  });
});

test("lines of a log get their time, and keep it in their text", () => {
  const log = "2021-03-03 09:15:02 INFO started\n2021-03-04T09:15:07.250Z ERROR: disk full";
  expect(turnsOf(split([says(log)]))).toEqual([
    "2021-03-03 09:15 2021-03-03 09:15:02 INFO started",
    "2021-03-04 09:15 2021-03-04T09:15:07.250Z ERROR: disk full",
  ]);
});

test.each([
  ["notes", "Note: the door sticks.\nWarning: it is heavy.\nNote: push hard.\nWarning: mind your hand."],
  [
    "errors",
    "Error: cannot open the file.\nError: cannot close it.\nTypeError: x is not a function.\nTypeError: y is not one.",
  ],
  ["tasks", "TODO: paint the fence.\nTODO: call the plumber.\nDone: the roof is new.\nDone: the gate is new."],
  ["records", "Name: Mia\nCity: Bergen\nName: Jonas\nCity: Oslo\nName: Eva\nCity: Rome"],
  ["settings", "server:\n  host: example.org\n  port: 8080\nclient:\n  host: example.org\n  retries: 3"],
  [
    "code",
    "```ts\nfunction greet(name: string): string {\n  return name;\n}\nconst Mia: Person = make();\nconst Jonas: Person = make();\n```",
  ],
  [
    "code in a fence with a language",
    "```yaml\nMia: She sings in a choir.\nJonas: He plays the flute.\nMia: She likes tea.\nJonas: He likes milk.\n```",
  ],
  [
    "addresses",
    "https://example.org/a: the first page.\nhttps://example.org/b: the second page.\nhttps://example.org/a: again.",
  ],
  [
    "an email",
    "From: mia@example.org\nTo: jonas@example.org\nSubject: The oven\n\nDear Jonas, the oven is broken. Regards, Mia",
  ],
  ["a list of cities", "Berlin: 10 degrees and rain.\nParis: 12 degrees and sun.\nRome: 20 degrees and sun."],
  ["pros and cons", "Pros: it is cheap.\nCons: it is slow.\nPros: it is small.\nCons: it is loud."],
  [
    "a request with times",
    "Move the meeting from 10:15 to 14:30, please.\nIt is on 3 March 2021 in Oslo.\nThe train leaves at 9:05.",
  ],
  [
    "a stack trace",
    'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: bad value.\nValueError: bad value again.',
  ],
  ["HTTP requests", "GET /a HTTP/1.1\nHost: example.org\nAccept: text/html\nHost: example.com\nAccept: text/plain"],
])("splitTranscripts does not split %s", (_, text) => {
  const messages = [says(text)];
  expect(split(messages)).toBe(messages);
});
