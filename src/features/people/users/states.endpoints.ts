/** The states of users, for administrators (spec 4.7, and as today's clients know them). */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { administrator } from '../../../http/declare/rules.ts'
import { userById, within } from '../../../http/declare/within.ts'
import { Message } from '../../../http/parameters/schema.ts'
import { changeUserState } from './states.service.ts'

const Done = Type.Boolean({ description: 'True: the account is in that state now' })

export const userStates = [
  endpoint('POST /users/:id/block', {
    summary: 'Block a user',
    access: within(administrator(), userById),
    reply: Type.Boolean({ description: 'False if the user was blocked already' }),
    handle: ({ app, owner }) => changeUserState(app, owner.id, 'block'),
  }),
  endpoint('POST /users/:id/unblock', {
    summary: 'Unblock a user',
    access: within(administrator(), userById),
    reply: Type.Boolean({ description: 'False if the user was not blocked' }),
    handle: ({ app, owner }) => changeUserState(app, owner.id, 'unblock'),
  }),
  endpoint('POST /users/:id/approve', {
    summary: 'Approve a user who has signed up',
    access: within(administrator(), userById),
    reply: Message,
    fails: ['conflict'],
    async handle({ app, owner }) {
      await changeUserState(app, owner.id, 'approve')
      return { message: 'Success' }
    },
  }),
  endpoint('POST /users/:id/deactivate', {
    summary: 'Deactivate a user who was not seen for 90 days',
    access: within(administrator(), userById),
    reply: Done,
    async handle({ app, owner }) {
      await changeUserState(app, owner.id, 'deactivate')
      return true
    },
  }),
  endpoint('POST /users/:id/activate', {
    summary: 'Activate a user who was deactivated',
    access: within(administrator(), userById),
    reply: Done,
    async handle({ app, owner }) {
      await changeUserState(app, owner.id, 'activate')
      return true
    },
  }),
  endpoint('POST /users/:id/ban', {
    summary: 'Ban a user, and hide what they wrote',
    access: within(administrator(), userById),
    reply: Done,
    handle: ({ app, owner }) => changeUserState(app, owner.id, 'ban'),
  }),
  endpoint('POST /users/:id/unban', {
    summary: 'Unban a user',
    access: within(administrator(), userById),
    reply: Done,
    handle: ({ app, owner }) => changeUserState(app, owner.id, 'unban'),
  }),
]
