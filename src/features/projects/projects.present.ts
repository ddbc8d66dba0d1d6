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
import { type Owner, ownersOf, ownLevels, sharedGroupsOf, visibleProjects } from './details.queries.ts'
import type { Project, ProjectAny, ProjectSimple } from './projects.schema.ts'

export interface ProjectView {
  simple?: boolean | undefined
  statistics?: boolean | undefined
  /** Without effect but for administrators. */
  with_custom_attributes?: boolean | undefined
  /** The viewer's level where it is known: those who administer a project also see its secrets. */
  level?: number | undefined
}

/** In the full form for users, unless they want the simple one. At most six statements, however many the projects. */
export async function presentProjects(
  app: App,
  projects: LocatedProject[],
  viewer: User | null,
  view: ProjectView = {},
): Promise<Array<Static<typeof ProjectAny>>> {
  if (viewer !== null && !view.simple) return presentInFull(app, projects, viewer, view)
  const [surroundings, attributes] = await Promise.all([surroundingsOf(app.db, projects), attributesOf(app.db, projects, viewer, view)])
  return projects.map((project) => ({ ...simpleForm(app.config, project, surroundings), ...attributes(project) }))
}

/** As `presentProjects`, in the full form whatever the view. */
export async function presentInFull(
  app: App,
  projects: LocatedProject[],
  viewer: User,
  view: ProjectView = {},
): Promise<Array<Static<typeof Project>>> {
  const ids = projects.map(({ id }) => id)
  const forkedFrom = projects.flatMap(({ forked_from_id }) => forked_from_id ?? [])
  const [sources, levels, shares, attributes] = await Promise.all([
    visibleProjects(app.db, viewer, [...new Set(forkedFrom)]),
    ownLevels(app.db, viewer.id, projects),
    sharedGroupsOf(app.db, viewer, ids),
    attributesOf(app.db, projects, viewer, view),
  ])
  const surroundings = await surroundingsOf(app.db, [...projects, ...sources])
  return projects.map((project) => {
    const owner = surroundings.owners.get(project.namespace_owner_id ?? 0)
    const source = sources.find(({ id }) => id === project.forked_from_id)
    const levelAt = (place: 'project_id' | 'namespace_id', id: number) =>
      asAccess(levels.find((level) => level[place] === id)?.access_level)
    return {
      ...simpleForm(app.config, project, surroundings),
      ...attributes(project),
      ...ownFields(app.config, project),
      ...(owner && { owner: { ...presentUserBrief(app.config, owner), created_at: owner.created_at } }),
      ...(source && { forked_from_project: simpleForm(app.config, source, surroundings) }),
      shared_with_groups: shares.filter(({ project_id }) => project_id === project.id),
      ...((view.level ?? 0) >= accessLevels.maintainer && { runners_token: project.runners_token, import_error: project.import_error }),
      ...(view.statistics && { statistics: presentStatistics(project) }),
      permissions: {
        project_access: levelAt('project_id', project.id),
        group_access: project.namespace_kind === 'group' ? levelAt('namespace_id', project.namespace_id) : null,
      },
    }
  })
}

/** What gives each project its attributes where an administrator asked for them. */
async function attributesOf(db: Db, projects: LocatedProject[], viewer: User | null, view: ProjectView) {
  if (!viewer?.admin || !view.with_custom_attributes) return () => ({})
  const ids = projects.map(({ id }) => id)
  const attributes = await customAttributesOf(db, 'project', ids)
  return ({ id }: LocatedProject) => ({ custom_attributes: attributes.get(id) ?? [] })
}

/** What names the places that projects stand in. */
interface Surroundings {
  /** Of personal namespaces, by their ids. */
  owners: Map<number, Owner>
  /** Of subgroups, with those above: `Group / Subgroup`. */
  names: Map<number, string>
}

async function surroundingsOf(db: Db, projects: LocatedProject[]): Promise<Surroundings> {
  const personal = projects.flatMap(({ namespace_owner_id }) => namespace_owner_id ?? [])
  const nested = projects.filter(({ namespace_parent_id }) => namespace_parent_id !== null).map(({ namespace_id }) => namespace_id)
  const [owners, names] = await Promise.all([ownersOf(db, [...new Set(personal)]), fullNamesOf(db, nested)])
  return { owners, names }
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

function simpleForm(config: Config, project: LocatedProject, { owners, names }: Surroundings): Static<typeof ProjectSimple> {
  const { id, description, name, path, full_path, created_at, default_branch, star_count, forks_count, last_activity_at, readme_path } =
    project
  const owner = owners.get(project.namespace_owner_id ?? 0)
  return {
    id,
    description,
    name,
    name_with_namespace: `${owner?.name ?? names.get(project.namespace_id) ?? project.namespace_name} / ${name}`,
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

/** What the full form has of the row of the project besides. */
function ownFields(config: Config, project: LocatedProject) {
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
