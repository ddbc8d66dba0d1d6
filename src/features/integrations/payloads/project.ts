/** A project and its people in payloads of webhooks. */
import type { LocatedProject } from '../../../access/find.ts'
import { httpCloneUrl, projectUrl, sshCloneUrl } from '../../../addresses/links.ts'
import type { Config } from '../../../config.ts'
import type { User, Visibility } from '../../../db/tables.ts'
import { avatarUrl, userAvatarUrl } from '../../storage/avatars/avatars.ts'

export const visibilityLevels: Record<Visibility, 0 | 10 | 20> = { private: 0, internal: 10, public: 20 }

export function payloadProject(config: Config, project: LocatedProject) {
  const web_url = projectUrl(config, project)
  const git_ssh_url = sshCloneUrl(config, project.full_path)
  const git_http_url = httpCloneUrl(config, project.full_path)
  return {
    id: project.id,
    name: project.name,
    description: project.description ?? '',
    web_url,
    avatar_url: avatarUrl(config, 'project', project),
    git_ssh_url,
    git_http_url,
    namespace: project.namespace_name,
    visibility_level: visibilityLevels[project.visibility],
    path_with_namespace: project.full_path,
    default_branch: project.default_branch,
    ci_config_path: project.ci_config_path,
    homepage: web_url,
    url: git_ssh_url,
    ssh_url: git_ssh_url,
    http_url: git_http_url,
  }
}

/** The location of the repository, for older recipients. */
export function payloadRepository(project: ReturnType<typeof payloadProject>) {
  const { name, url, description, homepage, git_http_url, git_ssh_url, visibility_level } = project
  return { name, url, description, homepage, git_http_url, git_ssh_url, visibility_level }
}

/** The shorter form that payloads of issues, merge requests and notes have. */
export function payloadRepositoryBrief({ name, url, description, homepage }: ReturnType<typeof payloadProject>) {
  return { name, url, description, homepage }
}

/** The email address is only included if it is public. */
export function payloadUser(config: Config, user: User) {
  const { id, name, username } = user
  return { id, name, username, avatar_url: userAvatarUrl(config, user), email: '[REDACTED]' }
}
