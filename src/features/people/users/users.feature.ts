/** Endpoints of users, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { userActivities } from './activities.endpoints.ts'
import { userAssociations } from './associations.endpoints.ts'
import { avatarByEmail } from './avatar.endpoints.ts'
import { emails } from './emails.endpoints.ts'
import { ownSettings } from './own.endpoints.ts'
import { userStates } from './states.endpoints.ts'
import { userStatus } from './status.endpoints.ts'
import { users } from './users.endpoints.ts'
import { userWrites } from './writes.endpoints.ts'

export const usersFeature = feature({
  endpoints: section(
    'Users',
    users,
    avatarByEmail,
    userWrites,
    userStates,
    userStatus,
    emails,
    userActivities,
    userAssociations,
    ownSettings,
  ),
})
