/** Parameters and fields that pull mirrors and push mirrors share. */
import { Type } from 'typebox'
import { oneOf, resource } from '../../../http/parameters/schema.ts'

export const authMethod = Type.Optional(oneOf('password', 'ssh_public_key'))

export const hostKeys = Type.Optional(
  Type.Array(Type.String({ maxLength: 10_000 }), { description: 'Keys of the host, as `ssh-keyscan` writes them' }),
)

export const HostKeys = Type.Array(Type.Object({ fingerprint_sha256: Type.String() }))

export const PublicKey = resource('MirrorPublicKey', { public_key: Type.String({ description: 'To be allowed at the remote' }) })
