/** Award emoji: what other features may use. */
export { presentAward } from './award-emoji.present.ts'
export { type Award, awardsToComments, awardsToNotes, listAwards } from './award-emoji.queries.ts'
export {
  type Awardable,
  award,
  awardIn,
  findAward,
  removeAward,
  removeAwardIn,
  toggleAward,
  toggleAwardIn,
} from './award-emoji.service.ts'
