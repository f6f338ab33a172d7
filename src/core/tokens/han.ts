/**
 * Whether a Han character is one of the few hundred that make up more than half of ordinary Chinese text. Where almost
 * none are, the text is names, a word list or noise, and a tokenizer needs two or three tokens a character.
 */

const COMMON =
  "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看起发当没成只如事把还用第样道想作种开美总从无情己面最女但现前些所同日手又行意动方期它头经长儿回位分爱老因很给名法间斯知世什两次使身者被高已亲其进此话常与活正感见明问力理尔点文几定本公特做外孩相西果走将月十实向声车全信重三机工物气每并别真打太新比才便夫再书部水像眼等体却加电主界门利海受听表德少克代员许先口由死安写性马光白或住难望教命花结乐色更拉东神记处让母父应直字场平报友关放至张认接告入笑内英军候民岁往何度山觉路带万男边风解叫任金快原吃妈变通师立象数四失满战远格士音轻目条呢件据请需开始测试数据使用户服务器这個們來會說時國對學過還後開樣發現關於問題為什麼沒";

const FIRST = 0x4e00;
const LAST = 0x9fff;
const common = new Uint8Array(LAST - FIRST + 1);
for (const character of COMMON) common[character.charCodeAt(0) - FIRST] = 1;

export function isHan(code: number): boolean {
  return code >= FIRST && code <= LAST;
}

export function isCommonHan(code: number): boolean {
  return common[code - FIRST] === 1;
}
