/** A row of a project as JSON: the simple form for anybody, the full one for users. */
import type { Static } from 'typebox'
import type { LocatedProject } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import { today } from '../../db/instants.ts'
import { keptWith } from '../../db/prepared.ts'
import type { User } from '../../db/tables.ts'
import { apiUrl, httpCloneUrl, sshCloneUrl, webUrl } from '../../links.ts'
import { avatarUrl } from '../avatars/avatars.service.ts'
import { fullNamesOf } from '../namespaces/namespaces.service.ts'
import { presentUserBrief } from '../users/users.present.ts'
import { ownersOf, ownLevels } from './projects.queries.ts'
import type { ProjectAny, ProjectSimple } from './projects.schema.ts'

export interface ProjectView {
  simple?: boolean | undefined
  statistics?: boolean | undefined
  /** The viewer's level where it is known: those who administer a project also see its secrets. */
  level?: number | undefined
}

/** At most three statements, however many the projects. */
export async function presentProjects(
  app: App,
  projects: LocatedProject[],
  viewer: User | null,
  view: ProjectView = {},
): Promise<Array<Static<typeof ProjectAny>>> {
  const nested = projects.filter(({ namespace_parent_id }) => namespace_parent_id !== null)
  const personal = projects.flatMap(({ namespace_owner_id }) => namespace_owner_id ?? [])
  const full = viewer !== null && !view.simple
  const [names, owners, levels] = await Promise.all([
    fullNamesOf(
      app.db,
      nested.map(({ namespace_id }) => namespace_id),
    ),
    ownersOf(app.db, full ? personal : []),
    full ? ownLevels(app.db, viewer.id, projects) : [],
  ])
  return projects.map((project) => {
    const simple = presentSimple(app.config, project, names.get(project.namespace_id) ?? project.namespace_name)
    if (!full) return simple
    const owner = project.namespace_owner_id === null ? undefined : owners.get(project.namespace_owner_id)
    const levelAt = (place: 'project_id' | 'namespace_id', id: number) =>
      asAccess(levels.find((level) => level[place] === id)?.access_level)
    return {
      ...simple,
      ...presentFull(app.config, project),
      ...(owner && { owner: { ...presentUserBrief(app.config, owner), created_at: owner.created_at } }),
      ...((view.level ?? 0) >= accessLevels.maintainer && { runners_token: project.runners_token, import_error: project.import_error }),
      ...(view.statistics && { statistics: presentStatistics(project) }),
      permissions: {
        project_access: levelAt('project_id', project.id),
        group_access: project.namespace_kind === 'group' ? levelAt('namespace_id', project.namespace_id) : null,
      },
    }
  })
}

/** As `presentProjects`, for one. */
export function presentProject(
  app: App,
  project: LocatedProject,
  viewer: User | null,
  view: ProjectView = {},
): Promise<Static<typeof ProjectAny>> {
  return keptWith(project, JSON.stringify([viewer?.id, view, today()]), async () => {
    const [presented] = await presentProjects(app, [project], viewer, view)
    return presented as NonNullable<typeof presented>
  })
}

/** What "global" is among the notification levels. */
const globalNotificationLevel = 3

function asAccess(access_level: number | undefined) {
  return access_level === undefined ? null : { access_level, notification_level: globalNotificationLevel }
}

function presentSimple(config: Config, project: LocatedProject, namespaceName: string): Static<typeof ProjectSimple> {
  const { id, description, name, path, full_path, created_at, default_branch, star_count, forks_count, last_activity_at, readme_path } =
    project
  return {
    id,
    description,
    name,
    name_with_namespace: `${namespaceName} / ${name}`,
    path,
    path_with_namespace: full_path,
    created_at,
    default_branch,
    tag_list: JSON.parse(project.tag_list) as string[],
    ssh_url_to_repo: sshCloneUrl(config, full_path),
    http_url_to_repo: httpCloneUrl(config, full_path),
    web_url: webUrl(config, full_path),
    readme_url: readme_path === null ? null : webUrl(config, `${full_path}/blob/${default_branch}/${readme_path}`),
    avatar_url: avatarUrl(config, 'project', project),
    star_count,
    forks_count,
    last_activity_at,
    namespace: {
      id: project.namespace_id,
      name: project.namespace_name,
      path: project.namespace_path,
      kind: project.namespace_kind,
      full_path: project.namespace_full_path,
      parent_id: project.namespace_parent_id,
    },
  }
}

function presentFull(config: Config, project: LocatedProject) {
  const self = apiUrl(config, `projects/${project.id}`)
  return {
    _links: {
      self,
      ...(project.issues_enabled && { issues: `${self}/issues` }),
      ...(project.merge_requests_enabled && { merge_requests: `${self}/merge_requests` }),
      repo_branches: `${self}/repository/branches`,
      labels: `${self}/labels`,
      events: `${self}/events`,
      members: `${self}/members`,
    },
    archived: project.archived,
    visibility: project.visibility,
    resolve_outdated_diff_discussions: project.resolve_outdated_diff_discussions,
    container_registry_enabled: project.container_registry_enabled,
    issues_enabled: project.issues_enabled,
    merge_requests_enabled: project.merge_requests_enabled,
    wiki_enabled: project.wiki_enabled,
    jobs_enabled: project.jobs_enabled,
    snippets_enabled: project.snippets_enabled,
    shared_runners_enabled: project.shared_runners_enabled,
    lfs_enabled: project.lfs_enabled,
    creator_id: project.creator_id,
    import_status: project.import_status,
    ...(project.issues_enabled && { open_issues_count: project.open_issues_count }),
    public_jobs: project.public_jobs,
    ci_config_path: project.ci_config_path,
    shared_with_groups: [],
    only_allow_merge_if_pipeline_succeeds: project.only_allow_merge_if_pipeline_succeeds,
    request_access_enabled: project.request_access_enabled,
    only_allow_merge_if_all_discussions_are_resolved: project.only_allow_merge_if_all_discussions_are_resolved,
    printing_merge_request_link_enabled: project.printing_merge_request_link_enabled,
    merge_method: project.merge_method,
  }
}

function presentStatistics({ commit_count, repository_size, lfs_objects_size }: LocatedProject) {
  return { commit_count, storage_size: repository_size + lfs_objects_size, repository_size, lfs_objects_size, job_artifacts_size: 0 }
}
