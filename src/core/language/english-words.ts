/**
 * English words that a summary of speech can leave out: sounds, fillers, greetings, thanks and intensifiers. No word
 * of negation, number, person, time, place or certainty is among them.
 */
import { listPhrases, listWords } from "./list-words.ts";

const createWordSet = (words: string): ReadonlySet<string> => new Set(listWords(words));
const runs = (texts: string): readonly (readonly string[])[] => listPhrases(texts).map(listWords);

/** Sounds, removed anywhere in a sentence. */
export const SOUNDS = createWordSet(
  "um umm uh uhh uhm er erm ah ahh eh hm hmm mm mmm mhm huh oh ooh oops wow whoa woah haha hahaha hehe lol yay woohoo " +
    "yikes aww aw phew mm-hmm mm-hm uh-huh mmhmm uhhuh ugh gosh omg",
);

/** Opening words that are removed before a punctuation mark, a name, or the end of the sentence. */
export const OPENERS = createWordSet(
  "hey hi hello yo bye goodbye yeah yep yup yes okay ok kay alright right sure well so anyway anyways also actually " +
    "basically honestly now then cool great awesome nice amazing perfect wonderful fantastic excellent lovely sweet good " +
    "thanks please exactly absolutely definitely totally true indeed congrats congratulations and but plus man dude guys " +
    "cheers welcome like look listen bravo there everyone",
);

/** Opening words that are always removed. */
export const PLAIN_OPENERS = createWordSet(
  "hey hi hello yeah yep yup okay ok kay so well anyway anyways also and but plus basically actually honestly",
);

/** Fillers, removed inside a sentence unless they follow a negation. */
export const FILLERS = createWordSet(
  "really very just actually basically literally totally definitely absolutely truly quite super simply obviously " +
    "certainly honestly seriously somehow anyway anyways please incredibly extremely essentially",
);

/** Fillers, removed only before a punctuation mark. */
export const MARKED_FILLERS = createWordSet("right okay ok yeah yes like well");

/** Phrases that are fillers, unless the words around them give them a meaning. */
export const FILLER_RUNS = runs(`
  you know, you see, i mean, i guess, i think, i suppose, i must say, i have to say, i gotta say, kind of, sort of,
  kinda, sorta, as well, of course, by the way, to be honest, and stuff, and things like that, and so on, or something
  like that, or something, or whatever, a bit, a little bit, for sure, so to speak, as i said, like i said, at the end
  of the day, as such, the fact that
`);

/** Sentence openings that a line with its speaker's name does not need; `BARE_STARTS` are those without a person. */
export const OWN_STARTS = runs("i, i'm, i am, i've");
export const BARE_STARTS = runs(`
  it's, it is, it was, it's been, that's, that is, that was, this is, this was, there's, there is, there are, there
  was, there were, here's, here is, here are
`);
/** After one of these, "I" is kept. */
export const OTHER_SUBJECTS = createWordSet(
  "you he she they we it who she's he's they're we're you're it's everyone everybody",
);

export const ARTICLES = createWordSet("a an the");
/** Words that need the article before them, as in "a few" and "twice a year". */
export const AFTER_ARTICLE = createWordSet(
  "few little bit lot couple while day week weekend month year hour minute second night decade million billion thousand " +
    "hundred dozen number",
);
export const BEFORE_ARTICLE = createWordSet("what such half many quite rather not");

/** Words before and after a "that" which only opens a clause. */
export const THAT_BEFORE = createWordSet(
  "think know believe realize realise realized realised hope say said says feel felt sure glad told find found means " +
    "see saw heard hear learned decided agree guess imagine wish happy",
);
export const THAT_AFTER = createWordSet(
  "i we you they he she it the my our your their his her there this these i'm it's we're they're",
);

/** Words before and after a "so" that only intensifies: "so happy", but not "so that" or "so far". */
export const SO_BEFORE = createWordSet(
  "is was are were am i'm it's that's be been being feel felt feels looks look you're they're we're he's she's sounds " +
    "seems look got getting",
);
export const SO_AFTER = createWordSet("that far i we they he she you it the much many long");

/** Last words of a clause that the speaker broke off. */
export const LOOSE_ENDS = createWordSet("and but so because or if when while although though the a an");

/** A clause that consists only of these words is a false start. */
export const FRAGMENTS = createWordSet(
  "and but so because or if when while the a an to of in on at for with is are was were i we you they he she it this that " +
    "these those i'm it's that's we're they're you're there's he's she's like then well what how who which be been can",
);

export const NEGATIONS = createWordSet("not never no none nothing nobody without neither nor cannot only hardly");

export const NUMBER_WORDS = createWordSet(
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen " +
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion point oh",
);

/** Short words that are not a false start, even if the next word begins with the same letters. */
export const WHOLE_WORDS = createWordSet(
  "a i an in is it to we he she me my be do go no so on or of at as by up us you the them then this that what who how " +
    "has had her his out for far any all can not one was am are if bed car cat day ever every he's it's let man may new " +
    "now off old our over own pay per put run say sea see set sit some sun tea than they time too top try two under use " +
    "war way web well will with yes yet your more most much part real some book work foot home good great",
);

/** Complete words without a vowel. */
export const SHORT_FORMS = createWordSet(
  "mr mrs ms dr vs tv tvs pm km kg cm mm ml hz gb mb kb ft lb lbs hr hrs cd cds pc pcs hq nyc pt phd msg txt nth rpg npc " +
    "dj dm dvd css sql ssh xml pdf png jpg mph bbq tbh btw vpn sms gps",
);

/** Words of a last clause that only expresses how the speaker feels about it. */
export const MOOD_WORDS = createWordSet(
  "great awesome amazing good nice cool fun super special beautiful incredible exciting wonderful inspiring lovely " +
    "fantastic perfect neat sweet it it's its was is that that's so pretty really which has been very i'm i and feels felt " +
    "such a blast love loved quite just right thrilled stoked excited happy glad",
);

/** Frequent words by which English is recognized. */
export const MARKERS = createWordSet(
  "the and to of is are was i you it that for in on my we have with this but be they not do what so it's i'm don't yes",
);
