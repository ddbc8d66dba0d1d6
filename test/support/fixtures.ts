/** One of each of the small families, for tests that walk over all endpoints. */
import type { Forge, TestProject, TestUser } from './forge.ts'
import { gpgKey } from './gpg-keys.ts'

/** Gives the user keys and tokens, the group and the project a badge, and all three an attribute; and their names in paths. */
export async function makeSmallThings(
  forge: Forge,
  user: TestUser,
  group: { id: number },
  project: Pick<TestProject, 'id'>,
): Promise<Record<string, string>> {
  const root = forge.as(forge.root)
  const idOf = async (path: string, body: unknown, client = root) => String((await client.post(path, body)).body.id)
  const badge = { link_url: 'https://example.com/%{project_path}', image_url: 'https://example.com/badge.svg' }
  const hook = { url: 'https://93.184.216.34/hook' }
  // Disabled, so that nothing is sent there.
  const mirror = { url: 'ssh://git@93.184.216.34/mirror.git', auth_method: 'ssh_public_key' }
  const machine = { name: 'machine', scopes: ['api'] }
  const fetching = { name: 'fetching', scopes: ['read_repository'] }
  for (const place of [`users/${user.id}`, `groups/${group.id}`, `projects/${project.id}`]) {
    await root.put(`/${place}/custom_attributes/role`, { value: 'tester' })
  }
  await root.post('/user/gpg_keys', { key: gpgKey() })
  await root.post('/user/personal_access_tokens', { name: 'own', scopes: ['api'] })
  await root.put(`/projects/${project.id}/mirror/pull`, { url: 'https://93.184.216.34/mirror.git', enabled: false })
  await root.put(`/projects/${project.id}/services/asana`, { api_key: 'a-key' })
  return {
    ...badge,
    attribute: 'role',
    id_or_username: user.username,
    gpg_key_id: await idOf('/user/gpg_keys', { key: gpgKey() }, forge.as(user)),
    token_id: await idOf(`/users/${user.id}/personal_access_tokens`, { name: 'one', scopes: ['api'] }),
    project_token_id: await idOf(`/projects/${project.id}/access_tokens`, machine),
    group_token_id: await idOf(`/groups/${group.id}/access_tokens`, machine),
    project_deploy_token_id: await idOf(`/projects/${project.id}/deploy_tokens`, fetching),
    group_deploy_token_id: await idOf(`/groups/${group.id}/deploy_tokens`, fetching),
    impersonation_token_id: await idOf(`/users/${user.id}/impersonation_tokens`, { name: 'one', scopes: ['api'] }),
    topic_id: await idOf('/topics', { name: `Topic of ${user.username} and ${project.id}` }),
    message_id: await idOf('/broadcast_messages', { message: 'Hello' }),
    badge_id: await idOf(`/projects/${project.id}/badges`, badge),
    hook_id: await idOf(`/projects/${project.id}/hooks`, hook),
    mirror_id: await idOf(`/projects/${project.id}/remote_mirrors`, mirror),
    group_hook_id: await idOf(`/groups/${group.id}/hooks`, hook),
    system_hook_id: await idOf('/hooks', hook),
    trigger: 'push_events',
    group_badge_id: await idOf(`/groups/${group.id}/badges`, badge),
    license: 'mit',
    gitignore: 'Node',
    gitlab_ci_yml: 'Nodejs',
    dockerfile: 'Node',
  }
}
