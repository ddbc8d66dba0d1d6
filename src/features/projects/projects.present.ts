/** A row of a project as JSON: the simple form for anybody, the full one for users. */
import type { Static } from 'typebox'
import type { LocatedProject } from '../../access/find.ts'
import { accessLevels } from '../../access/levels.ts'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/database.ts'
import { today } from '../../db/instants.ts'
import { keptWith } from '../../db/prepared.ts'
import type { User } from '../../db/tables.ts'
import { apiUrl, httpCloneUrl, sshCloneUrl, webUrl } from '../../links.ts'
import { avatarUrl } from '../avatars/avatars.service.ts'
import { customAttributesOf } from '../custom-attributes/custom-attributes.service.ts'
import { fullNamesOf } from '../namespaces/namespaces.service.ts'
import { presentUserBrief } from '../users/users.present.ts'
import { ownersOf, ownLevels, sharedGroupsOf, visibleProjects } from './details.queries.ts'
import type { ProjectAny, ProjectSimple } from './projects.schema.ts'

export interface ProjectView {
  simple?: boolean | undefined
  statistics?: boolean | undefined
  /** Without effect but for administrators. */
  with_custom_attributes?: boolean | undefined
  /** The viewer's level where it is known: those who administer a project also see its secrets. */
  level?: number | undefined
}

/** At most six statements, however many the projects. */
export async function presentProjects(
  app: App,
  projects: LocatedProject[],
  viewer: User | null,
  view: ProjectView = {},
): Promise<Array<Static<typeof ProjectAny>>> {
  const full = viewer !== null && !view.simple
  const details = await detailsOf(app.db, projects, viewer, { full, noted: viewer?.admin === true && view.with_custom_attributes === true })
  return projects.map((project) => {
    const simple = {
      ...presentSimple(app.config, project, details.names),
      ...(details.attributes && { custom_attributes: details.attributes.get(project.id) ?? [] }),
    }
    if (!full) return simple
    const owner = project.namespace_owner_id === null ? undefined : details.owners.get(project.namespace_owner_id)
    const source = project.forked_from_id === null ? undefined : details.sources.get(project.forked_from_id)
    const levelAt = (place: 'project_id' | 'namespace_id', id: number) =>
      asAccess(details.levels.find((level) => level[place] === id)?.access_level)
    return {
      ...simple,
      ...presentFull(app.config, project),
      ...(owner && { owner: { ...presentUserBrief(app.config, owner), created_at: owner.created_at } }),
      ...(source && { forked_from_project: presentSimple(app.config, source, details.names) }),
      shared_with_groups: details.shares.filter(({ project_id }) => project_id === project.id),
      ...((view.level ?? 0) >= accessLevels.maintainer && { runners_token: project.runners_token, import_error: project.import_error }),
      ...(view.statistics && { statistics: presentStatistics(project) }),
      permissions: {
        project_access: levelAt('project_id', project.id),
        group_access: project.namespace_kind === 'group' ? levelAt('namespace_id', project.namespace_id) : null,
      },
    }
  })
}

/** What is shown of the projects besides their rows. */
async function detailsOf(db: Db, projects: LocatedProject[], viewer: User | null, { full, noted }: { full: boolean; noted: boolean }) {
  const ids = projects.map(({ id }) => id)
  const shown = full ? projects : []
  const personal = shown.flatMap(({ namespace_owner_id }) => namespace_owner_id ?? [])
  const forkedFrom = shown.flatMap(({ forked_from_id }) => forked_from_id ?? [])
  const [sources, owners, levels, shares, attributes] = await Promise.all([
    visibleProjects(db, viewer, [...new Set(forkedFrom)]),
    ownersOf(db, [...new Set(personal)]),
    viewer && full ? ownLevels(db, viewer.id, projects) : [],
    full ? sharedGroupsOf(db, viewer, ids) : [],
    noted ? customAttributesOf(db, 'project', ids) : null,
  ])
  const nested = [...projects, ...sources].filter(({ namespace_parent_id }) => namespace_parent_id !== null)
  const names = await fullNamesOf(
    db,
    nested.map(({ namespace_id }) => namespace_id),
  )
  return { sources: new Map(sources.map((source) => [source.id, source])), owners, levels, shares, attributes, names }
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

function presentSimple(config: Config, project: LocatedProject, names: Map<number, string>): Static<typeof ProjectSimple> {
  const { id, description, name, path, full_path, created_at, default_branch, star_count, forks_count, last_activity_at, readme_path } =
    project
  return {
    id,
    description,
    name,
    name_with_namespace: `${names.get(project.namespace_id) ?? project.namespace_name} / ${name}`,
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
