/** Taking part in an issue: what others may use of it. */
export {
  chooseSubscription,
  isSubscribed,
  participantsOf,
  type Reach,
  subscribedAmong,
  type Target,
  visibleParticipants,
} from './participation.queries.ts'
