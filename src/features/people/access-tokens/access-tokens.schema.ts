/** Access tokens as they are shown: all of them but the token itself, which is seen once. */
import { Type } from 'typebox'
import { Day, Instant, nullable, resource } from '../../../http/schema.ts'

const token = {
  id: Type.Integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: Instant,
  scopes: Type.Array(Type.String()),
  user_id: Type.Integer(),
  last_used_on: nullable(Day),
  active: Type.Boolean({ description: 'Whether the token is neither revoked nor expired' }),
  expires_at: nullable(Day),
}

export const PersonalAccessToken = resource('PersonalAccessToken', token)

/** The answer to its making. */
export const NewPersonalAccessToken = resource('NewPersonalAccessToken', {
  ...token,
  token: Type.String({ description: 'Shown only once' }),
})

/** Made by an administrator to act as the user. */
export const ImpersonationToken = resource('ImpersonationToken', {
  ...token,
  impersonation: Type.Boolean(),
  token: nullable(Type.String({ description: 'Shown only when it is created, later null: only a digest is stored' })),
})
