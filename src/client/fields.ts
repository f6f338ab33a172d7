/** Reads fields of unknown values. A missing field, or one of another type, reads as empty. */
export {
  type Fields,
  findNumber,
  findText,
  readFields,
  readList,
  readNumber,
  readText,
} from "../core/check-value.ts";
