/** Taking part in what is discussed: what others may use of it. */
export {
  participantsOf,
  type Reach,
  visibleParticipants,
} from './participation.queries.ts'
