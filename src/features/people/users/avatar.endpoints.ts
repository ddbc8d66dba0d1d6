/** Avatars by email address, for clients that only know the address, for example that of a commit author. */
import { Type } from 'typebox'
import { forbidden } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { anyone, only } from '../../../http/declare/rules.ts'
import { resource } from '../../../http/parameters/schema.ts'
import { userAvatarUrl } from '../../storage/avatars/avatars.ts'
import { seesUsers } from './users.access.ts'
import { userByAddress } from './users.queries.ts'

/** Stands for every address that the caller may not look up, or that nobody has: all get the same identicon. */
const nobody = { id: 0, avatar_name: null }

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
    reply: resource('Avatar', { avatar_url: Type.String({ description: 'An identicon if the user has no avatar, or nobody is found' }) }),
    async handle({ app, user, query }) {
      // The avatar reveals whose address it is, so it is only looked up for administrators and for its user.
      const holder = user && (await userByAddress(app.db, user, query.email))
      return { avatar_url: userAvatarUrl(app.config, holder ?? nobody) }
    },
  }),
]
