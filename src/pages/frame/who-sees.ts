/** Access to the pages and feeds of users: the same rule as in the API. */
import { notFound } from '../../failure.ts'
import { seesUsers } from '../../features/people/users/users.ts'
import { anyone, only } from '../../http/declare/rules.ts'

export const whoSees = only(
  anyone(),
  seesUsers(() => notFound('User')),
)
