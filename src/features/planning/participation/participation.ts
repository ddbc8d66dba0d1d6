/** Taking part in an issue: what others may use of it. */
export { chooseSubscription, isSubscribed, participantsOf, type Reach, type Target } from './participation.queries.ts'
