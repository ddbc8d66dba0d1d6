/** Second factors in the API, newer than release 11.3 (the current public documentation of the API). */
import { forbidden, invalid } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { none } from '../../../http/parameters/schema.ts'
import { turnOffSecondFactor } from './second-factor.service.ts'

export const secondFactors = [
  endpoint('PATCH /users/:id/disable_two_factor', {
    summary: 'Remove the second factor of a user who is no administrator',
    access: within(administrator(), userById),
    reply: none,
    async handle({ app, owner }) {
      // A token stolen from one administrator must not disarm the others.
      if (owner.admin) throw forbidden('Two-factor authentication for admins cannot be disabled via the API. Use the command line')
      if (!(await turnOffSecondFactor(app, owner.id))) throw invalid('Two-factor authentication is not enabled for this user')
      return null
    },
  }),
]
