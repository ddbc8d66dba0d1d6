/** The picture that goes with an address, for clients that know people by theirs: those who wrote a commit, say. */
import { Type } from 'typebox'
import { forbidden } from '../../../failure.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { anyone } from '../../../http/rules.ts'
import { nullable, resource } from '../../../http/schema.ts'
import { avatarUrl } from '../../storage/avatars/avatars.ts'
import { userByAddress } from './users.queries.ts'
import { areHiddenFrom } from './users.service.ts'

export const avatarByEmail = [
  endpoint('GET /avatar', {
    summary: 'Get the address of the avatar of whoever has an email address',
    access: anyone(),
    query: {
      email: Type.String(),
      size: Type.Optional(Type.Integer({ description: 'In pixels; without effect, as there is one size of each' })),
    },
    reply: resource('Avatar', { avatar_url: nullable(Type.String({ description: 'Null where nobody is found, or has no avatar' })) }),
    async handle({ app, user, query }) {
      if (await areHiddenFrom(app, user)) throw forbidden('Unauthorized access')
      // Whose address it is would be told by the avatar: to administrators, and to whose it is.
      const holder = user && (await userByAddress(app.db, user, query.email))
      return { avatar_url: holder && avatarUrl(app.config, 'user', holder) }
    },
  }),
]
