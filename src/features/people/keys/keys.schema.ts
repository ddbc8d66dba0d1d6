/** Public keys as JSON (spec 2.1). */
import { Type } from 'typebox'
import { Instant, nullable, resource } from '../../../http/parameters/schema.ts'
import { UserAccount } from '../users/users.schema.ts'

export const Key = resource('SshKey', {
  id: Type.Integer(),
  title: Type.String(),
  key: Type.String({ description: 'Type, key and comment, as in a .pub file' }),
  created_at: Instant,
  last_used_at: nullable(Instant),
})

/** For administrators: with its fingerprints and its owner. */
export const KeyWithUser = resource('SshKeyWithUser', {
  ...Key.properties,
  fingerprint: Type.String({ description: 'MD5 fingerprint, as shown by ssh-keygen -E md5 -l' }),
  fingerprint_sha256: Type.String({ description: 'SHA-256 fingerprint, as shown by ssh-keygen -l' }),
  user: nullable(Type.Omit(UserAccount, ['is_admin'])),
})
