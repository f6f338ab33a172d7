/**
 * Classifies what a sentence of the user does to the goal: opens a task, opens one inside another, returns to an
 * earlier one, finishes it or gives it up. Reads English phrases at the start of a sentence, and the cues of other
 * languages. Small steps within a task ("make it blue", "run it again") do nothing.
 */
import { type CourseCues, isShortApproval } from "../../language/cues/course-cues.ts";
import { hasNonEnglishCue, listCourseCues } from "../../language/cues/non-english-cues.ts";
import { contentStems } from "../../language/words.ts";
import { isQuestion } from "./find-demands.ts";
import { isChange, isChangeOfMind } from "./find-reversals.ts";

export type GoalStep =
  | "open"
  | "open-standing"
  | "replace"
  | "return"
  | "finish"
  | "finish-subject"
  | "give-up"
  | "give-up-subject";

export interface GoalSentence {
  readonly steps: readonly GoalStep[];
  /** True if the open task stays open: this one is done first, or in addition to it. */
  readonly isNested: boolean;
  /** True if the sentence only thanks or approves, which finishes a task if another one follows. */
  readonly isApproval?: boolean | undefined;
}

const NOTHING: GoalSentence = { steps: [], isNested: false };
const READ_CHARACTERS = 300;

export function readGoalSentence(sentence: string): GoalSentence {
  const text = sentence.slice(0, READ_CHARACTERS);
  for (const cues of listCourseCues(text)) {
    const found = readByCues(text, cues);
    if (found !== undefined) return found;
  }
  if (isShortApproval(text)) return { ...NOTHING, isApproval: true };
  return readEnglish(text);
}

/** Returns true for a sentence that asks for work, also for a small step such as "make it blue". */
export function asksForWork(sentence: string): boolean {
  const text = sentence.slice(0, READ_CHARACTERS);
  if (readGoalSentence(text).steps.length > 0 || ADJUSTING.test(text)) return true;
  const rest = text.slice(LEAD_IN.exec(`${text} `)?.[0].length ?? 0);
  return isRequest(rest) || listCourseCues(text).some(({ asked }) => asked.test(rest));
}

/** Returns undefined if no cue of the language is in the sentence. */
function readByCues(text: string, cues: CourseCues): GoalSentence | undefined {
  const start = cues.accepted.exec(`${text} `)?.[0] ?? "";
  const rest = text.slice(start.length);
  const isNested = cues.nested.test(text);
  if (rest.trim() === "") return undefined;
  const givenUp = cues.givenUp.exec(rest);
  if (givenUp !== null) {
    const isNamed = contentStems(rest.slice(givenUp[0].length)).size > 0;
    return { steps: [isNamed ? "give-up-subject" : "give-up"], isNested };
  }
  if (cues.returned.test(rest)) return { steps: ["return"], isNested };
  if (cues.finished.test(rest)) return { steps: ["finish"], isNested };
  const isAsked = cues.asked.test(rest) || (!isQuestion(rest) && cues.standing.test(rest));
  if (!isAsked || contentStems(rest).size < MIN_STEMS - 1 || isRule(rest)) return undefined;
  const opens = cues.standing.test(rest) ? "open-standing" : "open";
  return { steps: start === "" ? [opens] : ["finish", opens], isNested };
}

function isRule(text: string): boolean {
  return hasNonEnglishCue(text, "demand") || hasNonEnglishCue(text, "decision");
}

function readEnglish(text: string): GoalSentence {
  const start = LEAD_IN.exec(`${text} `)?.[0] ?? "";
  const rest = text.slice(start.length);
  const isNested = NESTED.test(text);
  if (rest.trim() === "") return { ...NOTHING, isApproval: ACKNOWLEDGED.test(start) };
  if (GIVE_UP.test(rest) || GIVE_UP_AFTER.test(rest)) return { steps: isNested ? [] : ["give-up"], isNested };
  if (GIVE_UP_SUBJECT.test(rest)) return { steps: isNested ? [] : ["give-up-subject"], isNested };
  if (RETURN.test(rest)) return { steps: ["return"], isNested };
  if (!NOT_FINISHED.test(text)) {
    if (FINISH.test(rest)) return { steps: ["finish"], isNested };
    if (FINISHED_SUBJECT.test(rest)) return { steps: ["finish-subject"], isNested };
  }
  if (isChangeOfMind(text) && !isNewAim(text)) return NOTHING;
  if (isNewAim(text)) return { steps: ["replace"], isNested: false };
  const isAsked = isRequest(rest) || NEXT.test(text) || (/\bplease\W*$/i.test(start) && PLEASE.test(rest));
  if (!isAsked || !isWhole(rest) || ANSWER.test(start) || CHOOSING.test(rest)) return NOTHING;
  if (/\bactually\b/i.test(start) && isChange(text)) return NOTHING;
  const opens = STANDING.test(rest) ? "open-standing" : "open";
  return { steps: ACKNOWLEDGED.test(start) ? ["finish", opens] : [opens], isNested };
}

/** Words before a request: "Great, thanks. Now", "By the way," and "One more thing:". */
const LEAD_IN =
  /^(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|ok|okay|alright|right|so|well|and|then|now|next|first|finally|yes|nah|nope|no|instead|great|good|perfect|nice|wonderful|excellent|awesome|lovely|beautiful|brilliant|fantastic|cool|fine|thanks|thank you|thanks a lot|oh|ah|hmm+|wait|actually|also|please|just|sorry|done|btw|by the way|meanwhile|in the meantime|before that|before we (?:continue|go on)|quick question|quick one|one (?:more|other|last) thing|another thing|something else(?:, and it is urgent)?|new task|next task|different topic|moving on|on second thoughts?|unrelated(?: to [\w ]{1,30})?|while (?:we|you)(?:'|’)?re at it|back in [\w ]{1,20}|i think)(?: (?:everyone|all|there|again|so much|you))?[,.!:;–—-]*\s+){0,6}/i;
/** Matches the start of an answer to the assistant: "Yes, please use the blue one." */
const ANSWER = /^(?:yes|yep|yeah|no|nope|sure)\b(?!.*\b(?:now|next|then|also|finally)\b)/i;
/** Matches words that accept an answer or announce the next task. */
const ACKNOWLEDGED =
  /\b(?:great|good|perfect|nice|wonderful|excellent|awesome|lovely|beautiful|brilliant|fantastic|cool|thanks|thank you|done|new task|next task|moving on|different topic)\b(?! (?:morning|afternoon|evening))/i;
const NESTED =
  /^(?:\W{0,3}(?:ok(?:ay)?|oh|wait|hmm+|actually|and|but|so)[,.!]? )*(?:first\b|before (?:that|we|you)\b|quick(?:ly)?\b|btw\b|by the way\b|meanwhile\b|in the meantime\b|while (?:we|you)(?:'|’)?re at it\b|something else\b|unrelated\b|one thing first\b|side (?:note|question|task)\b|(?:put|park|pause|hold) (?:that|this|it)\b)|\b(?:on hold)\b|\b(?:is|it(?:'|’)s) urgent\b|\bfor (?:today|now|the moment)\b|\bfirst(?:,|\.$| though)/i;

const GIVE_UP =
  /^(?:never ?mind\b|forget (?:it|that|this)\b|scratch (?:that|this)\b|scrap (?:that|this|it)\b|drop (?:it|that|this|the (?:idea|task|plan))\b|cancel (?:that|this|it|the (?:task|request))\b|leave (?:it|that|this)(?: be| alone| for now| as (?:it )?is)?(?:[.,!]|$)|skip (?:it|that|this)\b|don(?:'|’)?t bother\b|stop (?:that|this|here|working)\b|(?:there(?:'|’)s |there is )?no need (?:for (?:that|this|it|the)|to)\b|we (?:don(?:'|’)t|do not|no longer) need (?:that|this|it|the)\b|let(?:'|’)?s not\b|(?:that(?:'|’)?s|that is|it(?:'|’)?s|it is|this is) not worth\b)/i;
/** "Let's forget the chart": gives up the task that it names. */
const GIVE_UP_SUBJECT =
  /^(?:let(?:'|’)?s |let us |(?:we|you|i)(?:(?:'|’)(?:ll|d rather)| can| could| should| will)? )?(?:please |just )?(?:leave|forget|drop|scrap|scratch|skip|cancel|abandon|ditch|stop|discard)(?: about| with)? (?:the|my|our|this|that|all)\b (?!last\b)/i;
/** "Too much work, we drop it": gives up after a reason. */
const GIVE_UP_AFTER =
  /[,;] (?:so |then )?(?:let(?:'|’)?s |let us |we(?:(?:'|’)ll| will)? |just |please )?(?:not do|drop|leave|skip|forget|scrap|cancel) (?:it|that|this)(?: then| be| alone)?[.!]?$/i;
const RETURN =
  /^(?:let(?:'|’)?s )?(?:(?:we )?(?:can )?(?:go|get|come|move) )?(?:back to\b|return(?:ing)? to\b|resum(?:e|ing)\b|continue with\b|carry on with\b|go ahead with\b|go on with\b|proceed with\b|get on with\b|pick up\b)|^(?:you can |please |now )?(?:continue|resume|go on|carry on) (?:with )?(?:the|your|our|my)\b|^where were we\b/i;
const FINISH =
  /^(?:(?:that|it|this|everything|all(?: of (?:it|that))?)(?:(?:'|’)s| is| are)? (?:all )?(?:now )?(?:works?|done|fixed|good|perfect|solved|finished|correct|(?:exactly )?what i (?:wanted|needed|meant|had in mind))\b|(?:exactly |just )what (?:i|we) (?:wanted|needed|meant|had in mind)\b|done\b|fixed\b|solved\b|finished\b|works\b|all (?:good|done|set)\b|looks? (?:good|great|perfect|right)\b|lgtm\b|(?:i )?(?:have )?(?:merged|shipped|deployed|released|sent) (?:it|that|this)\b|that (?:did it|was it|helped|worked)\b|that(?:(?:'|’)s| is| was| will be)? (?:all|everything)(?: for (?:today|now))?[.!]?$|(?:we|i)(?:(?:'|’)ll| will)? (?:post|use|take|send|publish|print|ship|submit|keep) (?:it|that|this|them)\b)/i;
/** "Test done": finishes a task about a test. */
const FINISHED_SUBJECT =
  /^(?:(?:the|my|our|both|all) )?(?:[\w-]+ ){1,2}(?:is |are )?(?:now )?(?:done|finished|complete|fixed|solved|sent|tight)\b/i;
const NOT_FINISHED = /\b(?:not|but|except|almost|n(?:'|’)t|still|yet|when|if|until|once)\b|\?$/i;

function isRequest(text: string): boolean {
  if (ASKING.test(text) || ASKING_LATER.test(text)) return true;
  return !isQuestion(text) && (IMPERATIVE.test(text) || COMMANDING.test(text) || NEED.test(text));
}

/** "The mail server is down, can you find the reason?" */
const ASKING_LATER =
  /[,;:–—] (?:so |and |but |then )?(?:please [a-z]+|(?:can|could|would|will) you|(?:i|we)(?:(?:'|’)d| would)? (?:want|need|like) (?:you )?to)\b/i;
/** Words after "please" that request a task. Other words describe how to do it. */
const PLEASE =
  /^(?!note|remember|keep|don|do not|never|always|only|be\b|wait|go on|continue|proceed|use\b|make sure)[a-z]+ /i;
/** A verb before an object: "Compress the originals." */
const COMMANDING =
  /^(?!(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|shall|should|may|might|must|and|but|or|nor|so|if|as|at|by|for|from|in|into|of|off|on|onto|out|over|to|up|with|about|above|across|after|against|along|among|around|before|behind|below|beside|besides|between|beyond|despite|down|during|except|given|inside|like|near|once|only|outside|past|per|since|still|than|though|through|till|toward|towards|under|unless|until|upon|via|when|where|while|why|how|what|who|which|that|this|not|never|always|even|just|maybe|perhaps|because|also|both|all|half|quite|such|now|then|here|there|let|use|keep|thanks|sorry|i|we|you|he|she|it|they|became|felt|got|gave|had|kept|left|lost|made|met|put|said|saw|took|told|tried|was|went|yes|no)\b)[a-z]{3,12}(?<!ed|ing|[^s]s) (?:the|an?|my|our|all|every|each|these|those)\b/i;
/** "The footer needs links to the imprint." */
const NEED = /^(?:the|our|my|this) (?:\S+ ){1,4}?(?:needs?|should|lacks?|is missing|are missing)\b(?! to know)/i;
/** "Next, the member list." */
const NEXT =
  /^(?:(?:ok(?:ay)?|so|and|great|good|now)[,.!]? )*next(?:(?:,| up[,:]?| is| comes|:) (?:the|my|our|a|an)\b| (?:thing|one|task|item): ?\S)/i;
/** A choice within the open task. */
const CHOOSING = /^let(?:'|’)?s (?:use|go with|stick with|switch to|keep|take|stay with)\b/i;
const ASKING =
  /^(?:(?:would|do) you mind\b|(?:is it|would it be) possible\b|any chance\b|i(?:(?:'|’)d| would) appreciate\b|it would be (?:great|nice|good|helpful|lovely|useful|cool)\b|i (?:was|am|(?:'|’)m) wondering (?:if|whether)\b|(?:there(?:'|’)?s|there is|we have|i have|i(?:(?:'|’)ve)? (?:found|got|noticed|see|get)|i(?:(?:'|’)m| am) (?:getting|seeing)) (?:still )?(?:a|an|another|one more|the next|this|some)(?: \w+)? (?:problem|bug|issue|error|failure|crash|regression)\b|(?:another|a new|new|the next) (?:problem|bug|issue|error)\b|on to the\b|(?:can|could|would|will) (?:you|we|somebody)\b|(?:i|we)(?:(?:'|’)d| would)? (?:also |now |still |really |then )?(?:want|like|need|wish)\b|(?:i|we)(?:(?:'|’)(?:m|re)| am| are) (?:now )?(?:[a-z]+ing (?:on |out |up )?(?:to|an?|the|my|our)|looking|working on|building|writing|planning|making)\b|(?:i|we) (?:plan|have) to\b|let(?:'|’)?s\b|let us\b|help (?:me|us)\b|(?:the|my|our|your) (?:overall |main |real |new |next )?(?:goal|aim|objective|task|job|project)(?: now| here)? is\b|(?:your|the) task:)/i;
const IMPERATIVE =
  /^(?:add|analy[sz]e|apply|arrange|ask|book|build|bump|call|change|check|clean|commit|compare|configure|convert|copy|create|cut|debug|delete|deploy|describe|design|document|draft|download|enable|explain|export|extract|figure out|find|fix|format|generate|get|give|go through|handle|help with|implement|import|improve|insert|inspect|install|integrate|investigate|list|load|look|make|merge|measure|migrate|modify|move|open|optimi[sz]e|order|organi[sz]e|outline|parse|plan|port|prepare|produce|propose|push|put|read|refactor|release|remove|rename|replace|research|review|rewrite|run|schedule|search|send|set up|show|simplify|solve|sort|split|start|suggest|summari[sz]e|support|take|teach|tell|test|track|translate|trim|try|turn|update|upgrade|upload|validate|verify|wire|work out|write)\b/i;
/** Matches an aim that several tasks serve. */
const STANDING =
  /^(?:(?:i|we)(?:(?:'|’)d| would)? (?:want|like|need)\b(?! you\b)(?! to (?:know|see|ask|check|understand)\b)|(?:i|we)(?:(?:'|’)(?:m|re)| am| are) (?:now |currently |just )?(?!(?:asking|getting|going|having|hoping|looking|running|saying|seeing|talking|thinking|using|waiting|wondering)\b)[a-z]+ing (?:on |out |up )?(?:to|an?|the|my|our)\b|help (?:me|us) (?:to )?(?:build|write|plan|make|create|design|prepare|organi[sz]e|set up|move|migrate|learn)\b|let(?:'|’)?s (?:build|write|plan|make|create|design)\b|(?:the|my|our|your) (?:overall |main |real |new )?(?:goal|aim|objective|task|job|project)(?: now| here)? is\b)/i;

/** Returns true for a change of mind that names another aim: "Plans changed, so I want to learn Italian." */
function isNewAim(text: string): boolean {
  return (isChangeOfMind(text) || /\binstead[.!]?$/i.test(text)) && NEW_AIM.test(text);
}

const NEW_AIM =
  /(?:^|[,:;.] |\b(?:so|and|now) )(?:i|we)(?:(?:'|’)d| would)? (?:now |really |rather )?(?:want|like|need) (?:to (?!know|see|ask|check|understand|use|go with|take)|an? )/i;

/** Returns true unless a request only points back ("make it blue", "run that again") or has no subject ("go on"). */
function isWhole(text: string): boolean {
  if (POINTS_BACK.test(text) && !ASKING_LATER.test(text)) return false;
  return contentStems(text).size >= (NAMES_OBJECT.test(text) ? MIN_STEMS - 1 : MIN_STEMS);
}

const POINTS_BACK =
  /^(?:(?:can|could|would|will) you |please |let(?:'|’)?s |let us )*(?:please )?(?!(?:convert|document|port|publish|review|rewrite|send|summari[sz]e|test|translate)\b)[a-z]+ (?:it|that|this|them|these|those|again|instead|one|him|her)\b(?! \w+(?:s|ing)? (?:that|which|from|into)\b)|^(?:try|run|do|start|use) (?:again|it|that|the other|another)\b|^(?:please )?(?:use|take|try|do|make|go|put|pick)\b.*\binstead[.!]?$/i;
const MIN_STEMS = 3;
/** "Could you write a README?", "Translate it to Dutch." */
const NAMES_OBJECT =
  /^(?:(?:can|could|would|will) you .*\b(?:an?|the|my|our)\b|[a-z]+ it (?:to|into|for|with|from)\b)/i;

/** Returns false for a project, such as "Build a shop", which several tasks may serve. Other tasks end with the next one. */
export function isErrand(text: string): boolean {
  const start = text.slice(0, READ_CHARACTERS);
  const rest = start.slice(LEAD_IN.exec(start)?.[0].length ?? 0);
  if (PROJECT.test(rest) || STANDING.test(rest)) return false;
  return !listCourseCues(start).some(({ standing, project }) => standing.test(start) || project.test(start));
}

const PROJECT =
  /^(?:(?:can|could|would|will) (?:you|we) |please |now |let(?:'|’)?s |help (?:me|us) (?:to )?|(?:i|we)(?:(?:'|’)d| would)? (?:want|need|like) (?:you )?to )*(?:build|choose|convert|develop|implement|improve|migrate|move|organi[sz]e|plan|port|prepare|rebuild|redesign|refactor|rewrite|set up|speed up|translate|(?:create|write|design|make) .{0,60}\b(?:app\w*|article|book|bot|cli|client|course|database|documentation|extension|framework|game|guide|importer|letter|library|manual|novel|package|page|paper|parser|plugin|program|report|server|service|shop|site|story|system|texts?|thesis|tool|website))\b/i;

/** Returns true for a step that only adjusts the result of an open task: "Make the labels wider." */
export function isAdjustment(text: string, task: string): boolean {
  if (!ADJUSTING.test(text) || text.length > MAX_ADJUSTMENT_CHARACTERS) return false;
  const words = contentStems(task);
  return [...contentStems(text)].some((stem) => words.has(stem));
}

const ADJUSTING =
  /^(?:please |and |now |also |just )*(?:make|set|change|move|put|turn|keep|use|let) (?:the|all|my|our)\b/i;
const MAX_ADJUSTMENT_CHARACTERS = 80;
