/** Push mirrors in requests and answers. Credentials are only in requests. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { authMethod, HostKeys, hostKeys } from '../mirrors/mirrors.schema.ts'

export const MirrorState = oneOf('none', 'scheduled', 'started', 'finished', 'to_retry', 'failed')

export const RemoteMirror = resource('RemoteMirror', {
  id: Type.Integer(),
  enabled: Type.Boolean(),
  url: Type.String({ description: 'Without its user name and password' }),
  update_status: MirrorState,
  last_update_at: nullable(Instant),
  last_update_started_at: nullable(Instant),
  last_successful_update_at: nullable(Instant),
  last_error: nullable(Type.String({ description: 'Why the last update failed' })),
  only_protected_branches: Type.Boolean(),
  keep_divergent_refs: Type.Boolean(),
  mirror_branch_regex: nullable(Type.String()),
  auth_method: oneOf('password', 'ssh_public_key'),
  host_keys: HostKeys,
})

const changes = {
  enabled: Type.Optional(Type.Boolean()),
  only_protected_branches: Type.Optional(Type.Boolean({ description: 'Mirror protected branches alone' })),
  keep_divergent_refs: Type.Optional(Type.Boolean({ description: 'Leave refs that others have moved at the remote as they are' })),
  mirror_branch_regex: Type.Optional(nullable(Type.String({ maxLength: 200, description: 'Mirror branches whose names match (RE2)' }))),
  auth_method: authMethod,
  host_keys: hostKeys,
}

const url = Type.String({ description: 'HTTP, HTTPS or SSH URL, with credentials where they are needed' })

export const mirrorBody = { url, ...changes }
export const mirrorChanges = { url: Type.Optional(url), ...changes }
