/** Taking part in an issue: what others may use of it. */
export {
  chooseSubscription,
  isSubscribed,
  participantsOf,
  type Reach,
  subscribedAmong,
  visibleParticipants,
} from './participation.queries.ts'
