/** Following users: what others may use of it. */
export { isFollowing, listFollows } from './follows.queries.ts'
export { follow, unfollow } from './follows.service.ts'
