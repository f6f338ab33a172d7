/**
 * The texts that counters are compared on, one of each kind in conversations. They are generated from a seed, so that
 * the bytes are the same everywhere and no author is quoted.
 */
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";

export interface TextSample {
  readonly kind: "prose" | "code" | "json" | "chinese" | "base64";
  readonly source: "generated" | "data";
  readonly text: string;
}

const CHARACTERS = 300_000;

export function generateSamples(seed: number): readonly TextSample[] {
  const kinds = { prose: writeProse, code: writeCode, json: writeJson, chinese: writeChinese, base64: writeBase64 };
  return (["prose", "code", "json", "chinese", "base64"] as const).map((kind, index) => ({
    kind,
    source: "generated",
    text: repeatUntilLong(kinds[kind], seededRandom(seed + index)),
  }));
}

function repeatUntilLong(write: (random: SeededRandom) => string, random: SeededRandom): string {
  const pieces: string[] = [];
  for (let length = 0; length < CHARACTERS; length += pieces.at(-1)?.length ?? CHARACTERS) pieces.push(write(random));
  return pieces.join("");
}

const SUBJECTS = [
  "the planning committee",
  "our neighbour",
  "Margaret",
  "the second deployment",
  "nobody on the team",
  "a careful reader",
  "the customer from Rotterdam",
  "whoever wrote the specification",
  "the old lighthouse",
  "every participant",
];
const PREDICATES = [
  "postponed the decision until Thursday",
  "couldn't explain why the numbers had changed",
  "asked for another 1,250 copies",
  "suggested that we simplify the registration form",
  "remembered an entirely different conversation",
  "recommended keeping the original architecture",
  "walked along the river and thought about something else",
  "insisted that version 3.2 was incompatible",
  "quietly finished the remaining translations",
  "preferred to wait for a written confirmation",
];
const CLAUSES = [
  "although the budget was approved in March",
  "because nobody had tested the backup",
  "which surprised almost everyone",
  "after reading the minutes twice",
  "even though it rained",
  "so the meeting ended early",
];

function writeProse(random: SeededRandom): string {
  const subject = random.pick(SUBJECTS);
  const opening = `${subject[0]?.toUpperCase()}${subject.slice(1)} ${random.pick(PREDICATES)}, ${random.pick(CLAUSES)}.`;
  const ending = random.integer(5) === 0 ? "\n\n" : " ";
  return `${opening} “${random.pick(PREDICATES)},” said ${random.pick(SUBJECTS)}; it's what ${random.pick(SUBJECTS)} expected.${ending}`;
}

const NAMES = [
  "session",
  "entry",
  "budget",
  "cursor",
  "payload",
  "retryCount",
  "userId",
  "messageList",
  "HttpClient",
  "store",
];
const TYPES = ["string", "number", "readonly string[]", "Promise<void>", "Map<string, Entry>", "unknown"];

function writeCode(random: SeededRandom): string {
  const [name, other] = [random.pick(NAMES), random.pick(NAMES)];
  return `/** Returns the ${name} of the ${other}, or undefined where there is none. */
export function find_${other}(${name}: ${random.pick(TYPES)}, options: { limit?: number } = {}): ${random.pick(TYPES)} {
  const { limit = ${random.integer(5_000)} } = options;
  for (const [index, item] of ${other}.entries()) {
    if (item.${name} === null || index >= limit) continue;
    logger.debug(\`${name} \${index} of \${limit}\`, { at: "src/${other}/${name}.ts:${random.integer(400)}" });
  }
  return this.#${other}.get(${name})?.filter((value) => value !== "${random.id()}") ?? [];
}

`;
}

function writeJson(random: SeededRandom): string {
  const record = {
    id: random.id("ord_"),
    created_at: new Date(1.7e12 + random.integer(1e9) * 60).toISOString(),
    customer: {
      name: random.pick(SUBJECTS),
      email: `user${random.integer(9_999)}@example.org`,
      active: random.integer(2) === 0,
    },
    items: Array.from({ length: 3 }, () => ({
      sku: random.id().slice(0, 8),
      price: random.integer(100_000) / 100,
      count: random.integer(9),
    })),
    tags: [random.pick(NAMES), random.pick(NAMES)],
    note: null,
  };
  return `${random.integer(2) === 0 ? JSON.stringify(record) : JSON.stringify(record, null, 2)}\n`;
}

const CHINESE_SUBJECTS = ["我们", "项目经理", "客户", "新的服务器", "昨天的会议", "负责测试的同事", "大家", "这份报告"];
const CHINESE_VERBS = [
  "决定推迟",
  "没有说明",
  "需要重新检查",
  "已经完成了",
  "正在讨论",
  "建议修改",
  "忘记备份",
  "非常满意",
];
const CHINESE_OBJECTS = [
  "数据库的迁移计划",
  "上个月的费用",
  "用户登录的问题",
  "三个主要功能",
  "合同里的第二条",
  "所有的历史记录",
  "下周五的发布",
  "图书馆旁边的咖啡店",
];
const CHINESE_ENDS = ["，因为时间不够", "，但是没有人反对", "，并且通知了各个部门", "，然后大家一起去吃饭", ""];

function writeChinese(random: SeededRandom): string {
  const words = [CHINESE_SUBJECTS, CHINESE_VERBS, CHINESE_OBJECTS, CHINESE_ENDS].map((list) => random.pick(list));
  return `${words.join("")}${random.integer(6) === 0 ? "。\n" : "。"}`;
}

function writeBase64(random: SeededRandom): string {
  return Buffer.from(Array.from({ length: 3_000 }, () => random.integer(256))).toString("base64");
}
