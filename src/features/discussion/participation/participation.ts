/**
 * Taking part in what is discussed: what others may use of it.
 *
 * It is computed from author, assignees, notes and mentions; only a choice for or against is stored, and wins. A table of participants would be
 * written by every note, and removing one would need to know all other reasons.
 */
export {
  participantsOf,
  participantsOn,
  type Reach,
  visibleParticipants,
} from './participation.queries.ts'
