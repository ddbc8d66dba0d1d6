/**
 * Participants: what other features may use. Participation is computed from author, assignees, notes and mentions; only an explicit choice
 * for or against is stored, and takes precedence. A table of participants would be written with every note, and removing one would require
 * knowing all other reasons.
 */
export {
  participantsOf,
  participantsOn,
  type Reach,
  visibleParticipants,
} from './participation.queries.ts'
