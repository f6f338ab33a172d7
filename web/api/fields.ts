/** Reading what came over the wire, as the client does. */
export {
  type Fields,
  findNumber,
  findText,
  readFields,
  readList,
  readNumber,
  readText,
  readTexts,
} from "../../src/client/fields.ts";
