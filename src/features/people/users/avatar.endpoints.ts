/** Avatars by email address, for clients that know only that: of the author of a commit, say. */
import { Type } from 'typebox'
import { forbidden } from '../../../failure.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { anyone, only } from '../../../http/rules.ts'
import { nullable, resource } from '../../../http/schema.ts'
import { avatarUrl } from '../../storage/avatars/avatars.ts'
import { seesUsers } from './users.access.ts'
import { userByAddress } from './users.queries.ts'

export const avatarByEmail = [
  endpoint('GET /avatar', {
    summary: 'Get the avatar URL for an email address',
    operationId: 'getAvatarUrl',
    access: only(
      anyone(),
      seesUsers(() => forbidden('Unauthorized access')),
    ),
    query: {
      email: Type.String(),
      size: Type.Optional(Type.Integer({ description: 'In pixels; has no effect, avatars have one size' })),
    },
    reply: resource('Avatar', { avatar_url: nullable(Type.String({ description: 'Null if nobody is found, or the user has no avatar' })) }),
    async handle({ app, user, query }) {
      // The avatar shows whose address it is: found for administrators and for its user.
      const holder = user && (await userByAddress(app.db, user, query.email))
      return { avatar_url: holder && avatarUrl(app.config, 'user', holder) }
    },
  }),
]
