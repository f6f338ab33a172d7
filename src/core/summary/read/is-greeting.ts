/** Whether a text only greets and asks how somebody is: nobody's goal, in the languages that are told apart here. */
export function isGreeting(text: string): boolean {
  return text.length <= LONGEST_GREETING && GREETINGS.test(text);
}

const LONGEST_GREETING = 100;
const MARKS = "[\\s!?.,~。！？，、…¡¿؟،🙂👋😊😀-]*";
const WORDS = [
  "hi",
  "hiya",
  "hello",
  "hey",
  "good (?:morning|afternoon|evening|day)",
  "there|everyone|all|again",
  "how are you(?: doing)?(?: today)?|how(?:['’]s| is) it going|what(?:['’]s| is) up|nice to meet you",
  "hallo|moin|servus|guten (?:morgen|tag|abend)|wie geht(?:['’]s|s| es)(?: dir| ihnen| euch)?",
  "hola|buen(?:os|as) (?:días|tardes|noches)|qué tal|c[oó]mo est[áa]s?|buenas",
  "bonjour|bonsoir|salut|(?:comment )?ça va",
  "你好|您好|大家好|早上好|上午好|下午好|晚上好|早|嗨|最近怎么样|最近好吗|你好吗",
  "おはよう(?:ございます)?|こんにちは|こんばんは|お元気ですか|元気ですか|はじめまして",
  "صباح الخير|مساء الخير|مرحبا|أهلا(?: وسهلا)?|السلام عليكم|كيف حالك|كيف الحال",
];
const GREETINGS = new RegExp(`^${MARKS}(?:(?:${WORDS.join("|")})(?!\\p{Ll})${MARKS}){1,6}$`, "iu");
