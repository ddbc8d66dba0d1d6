/** Search in the code of one repository: what other features may use. */
export {
  type CodeHit,
  type CodeHits,
  type CodePlace,
  context_lines,
  incomplete,
  isAskable,
  maxHits,
  presentCodeHit,
  searchCode,
} from './code-search.service.ts'
export type { LineMatcher } from './matchers.ts'
export type { Needs } from './narrowing.ts'
export { type CodeQuery, parseCodeQuery } from './query.ts'
