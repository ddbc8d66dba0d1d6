/** Settings of the current user: their avatar, and preferences that clients store here. */
import { Type } from 'typebox'
import type { User } from '../../../db/tables.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { File, nullable, resource } from '../../../http/parameters/schema.ts'
import { userAvatarUrl } from '../../storage/avatars/avatars.ts'
import { updateUser } from './users.queries.ts'
import { changeUser } from './writes.service.ts'

const preferences = {
  view_diffs_file_by_file: Type.Boolean({ description: 'One file on a page. Kept for clients' }),
  show_whitespace_in_diffs: Type.Boolean({ description: 'Kept for clients' }),
  pass_user_identities_to_ci_jwt: Type.Boolean({ description: 'Kept for clients' }),
}

const Preferences = resource('UserPreferences', { id: Type.Integer(), user_id: Type.Integer(), ...preferences })

export const ownSettings = [
  endpoint('PUT /user/avatar', {
    summary: 'Set the avatar of the current user; without a file, remove it',
    access: signedIn(),
    body: { avatar: Type.Optional(nullable(File)) },
    reply: resource('OwnAvatar', { avatar_url: Type.String({ description: 'An identicon where there is no avatar' }) }),
    async handle({ app, user, body }) {
      const changed = await changeUser(app, user.id, { avatar: body.avatar ?? null })
      return { avatar_url: userAvatarUrl(app.config, changed) }
    },
  }),
  endpoint('GET /user/preferences', {
    summary: 'Get the preferences of the current user',
    access: signedIn(),
    scopes: ['read_user'],
    reply: Preferences,
    handle: ({ user }) => present(user),
  }),
  endpoint('PUT /user/preferences', {
    summary: 'Set preferences of the current user',
    access: signedIn(),
    body: Type.Partial(Type.Object(preferences)).properties,
    atLeastOne: ['view_diffs_file_by_file', 'show_whitespace_in_diffs', 'pass_user_identities_to_ci_jwt'],
    reply: Preferences,
    handle: async ({ app, user, body }) => present(await updateUser(app.db, user.id, body)),
  }),
]

function present({ id, view_diffs_file_by_file, show_whitespace_in_diffs, pass_user_identities_to_ci_jwt }: User) {
  return { id, user_id: id, view_diffs_file_by_file, show_whitespace_in_diffs, pass_user_identities_to_ci_jwt }
}
