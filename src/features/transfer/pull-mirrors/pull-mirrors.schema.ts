/** Pull mirrors in requests and answers. Credentials are only in requests. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { authMethod, HostKeys, hostKeys } from '../mirrors/mirrors.schema.ts'

export const PullMirror = resource('PullMirror', {
  id: Type.Integer(),
  enabled: Type.Boolean(),
  url: Type.String({ description: 'Without its user name and password' }),
  update_status: oneOf('none', 'scheduled', 'started', 'finished', 'to_retry', 'failed'),
  last_update_at: nullable(Instant),
  last_update_started_at: nullable(Instant),
  last_successful_update_at: nullable(Instant),
  last_error: nullable(Type.String({ description: 'Why the last update failed' })),
  mirror_trigger_builds: Type.Boolean(),
  only_mirror_protected_branches: Type.Boolean(),
  mirror_overwrites_diverged_branches: Type.Boolean(),
  mirror_branch_regex: nullable(Type.String()),
  auth_method: oneOf('password', 'ssh_public_key'),
  host_keys: HostKeys,
})

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

export const pullMirrorBody = {
  url: Type.Optional(Type.String({ description: 'HTTP, HTTPS or SSH URL; needed once' })),
  auth_user: Type.Optional(Type.String({ maxLength: 255, description: 'Instead of a user name in the URL' })),
  auth_password: Type.Optional(Type.String({ maxLength: 1_024, description: 'Never returned' })),
  enabled: flag('Look for changes every half hour'),
  mirror_trigger_builds: flag('Start pipelines for what comes'),
  only_mirror_protected_branches: flag('Update protected branches alone'),
  mirror_overwrites_diverged_branches: flag('Overwrite branches that have commits of their own here'),
  mirror_branch_regex: Type.Optional(nullable(Type.String({ maxLength: 200, description: 'Update branches whose names match (RE2)' }))),
  auth_method: authMethod,
  host_keys: hostKeys,
}
