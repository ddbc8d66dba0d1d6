/** A project as JSON: the simple form for anybody, the full one for users. */
import type { Static } from 'typebox'
import { isOn } from '../../../access/features.ts'
import type { LocatedProject } from '../../../access/find.ts'
import { accessLevels } from '../../../access/levels.ts'
import { may } from '../../../access/permissions.ts'
import { shownProjectToken } from '../../../access/runners/registration-tokens.ts'
import { httpCloneUrl, pageUrl, sshCloneUrl } from '../../../addresses/links.ts'
import { groupAddress, projectAddress, userAddress } from '../../../addresses/places.ts'
import { fileAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { Config } from '../../../config.ts'
import type { Db } from '../../../db/database.ts'
import { today } from '../../../db/instants.ts'
import { keptWith } from '../../../db/prepared-queries.ts'
import type { StoredSize, User } from '../../../db/tables.ts'
import type { Presented } from '../../../http/parameters/schema.ts'
import type { CustomAttributes } from '../../instance/custom-attributes/custom-attributes.schema.ts'
import { customAttributesOf } from '../../instance/custom-attributes/custom-attributes.ts'
import { fullNamesOf } from '../../namespaces/namespaces.ts'
import { avatarUrl, userAvatarUrl } from '../../storage/avatars/avatars.ts'
import { storedSizes } from '../../storage/quotas/quotas.ts'
import { type Owner, openIssueCounts, ownersOf, ownLevels, type SharedGroup, sharedGroupsOf, visibleProjects } from './details.queries.ts'
import { mergeTrainSettingsOf, presentAccess, presentLinks, presentOwner } from './parts.present.ts'
import type { Project, ProjectAny, ProjectSimple } from './projects.schema.ts'
import { presentStatistics, withLimits } from './statistics.present.ts'

export interface ProjectView {
  simple?: boolean | undefined
  statistics?: boolean | undefined
  /** Only affects administrators. */
  with_custom_attributes?: boolean | undefined
  /** The viewer's level if it is known: users who administer a project also see its secrets. */
  level?: number | undefined
}

/** The full form for users, unless they asked for the simple one. At most nine statements, regardless of the number of projects. */
export async function presentProjects(
  app: App,
  projects: LocatedProject[],
  viewer: User | null,
  view: ProjectView = {},
): Promise<Array<Presented<typeof ProjectAny>>> {
  if (projects.length === 0) return []
  if (viewer !== null && !view.simple) return presentInFull(app, projects, viewer, view)
  const [surroundings, attributes] = await Promise.all([surroundingsOf(app.db, projects), attributesOf(app.db, projects, viewer, view)])
  return projects.map((project) => presentSimple(app.config, project, surroundings, attributes(project)))
}

/** As `presentProjects`, but always the full form. */
async function presentInFull(
  app: App,
  projects: LocatedProject[],
  viewer: User,
  view: ProjectView = {},
): Promise<Array<Presented<typeof Project>>> {
  const ids = projects.map(({ id }) => id)
  const forkedFrom = projects.flatMap(({ forked_from_id }) => forked_from_id ?? [])
  const [sources, levels, shares, attributes, openIssues, stored] = await Promise.all([
    visibleProjects(app.db, viewer, [...new Set(forkedFrom)]),
    ownLevels(app.db, viewer.id, projects),
    sharedGroupsOf(app.db, viewer, ids),
    attributesOf(app.db, projects, viewer, view),
    openIssueCounts(app.db, viewer, projects),
    storedSizes(app.db, view.statistics ? ids : []),
  ])
  const surroundings = await surroundingsOf(app.db, [...projects, ...sources])
  const inProject = new Map(levels.map((level) => [level.project_id, level]))
  const inNamespace = new Map(levels.map((level) => [level.namespace_id, level]))
  const sourceOf = new Map(sources.map((source) => [source.id, source]))
  return projects.map((project) => {
    const source = sourceOf.get(project.forked_from_id ?? 0)
    return presentFull(app, project, {
      surroundings,
      view,
      custom_attributes: attributes(project),
      open_issues_count: openIssues.get(project.id),
      source: source && presentSimple(app.config, source, surroundings),
      stored: stored.get(project.id),
      shares: shares.filter(({ project_id }) => project_id === project.id),
      project_access: presentAccess(inProject.get(project.id)),
      group_access: project.namespace_kind === 'group' ? presentAccess(inNamespace.get(project.namespace_id)) : null,
    })
  })
}

/** One project in full, as a maintainer of it sees it. */
export async function presentToMaintainer(app: App, project: LocatedProject, user: User) {
  const [presented] = await presentInFull(app, [project], user, { level: accessLevels.maintainer })
  return presented as NonNullable<typeof presented>
}

/** Loads the custom attributes of each project if an administrator asked for them. */
async function attributesOf(db: Db, projects: LocatedProject[], viewer: User | null, view: ProjectView) {
  if (!viewer?.admin || !view.with_custom_attributes) return () => undefined
  const ids = projects.map(({ id }) => id)
  const attributes = await customAttributesOf(db, 'project', ids)
  return ({ id }: LocatedProject) => attributes.get(id) ?? []
}

/** Names of the namespaces of projects. */
interface Surroundings {
  /** The owners of personal namespaces, by namespace id. */
  owners: Map<number, Owner>
  /** Full names of subgroups: `Group / Subgroup`. */
  names: Map<number, string>
}

async function surroundingsOf(db: Db, projects: LocatedProject[]): Promise<Surroundings> {
  const personal = projects.flatMap(({ namespace_owner_id }) => namespace_owner_id ?? [])
  const nested = projects.filter(({ namespace_parent_id }) => namespace_parent_id !== null).map(({ namespace_id }) => namespace_id)
  const [owners, names] = await Promise.all([ownersOf(db, [...new Set(personal)]), fullNamesOf(db, nested)])
  return { owners, names }
}

/** As `presentProjects`, for one project. */
export async function presentProject(
  app: App,
  project: LocatedProject,
  viewer: User | null,
  view: ProjectView = {},
): Promise<Presented<typeof ProjectAny>> {
  const present = async () => {
    const [presented] = await presentProjects(app, [project], viewer, view)
    return presented as NonNullable<typeof presented>
  }
  // The sizes of files change without their project.
  if (view.statistics) return withLimits(app, project, view.level ?? 0, await present())
  return keptWith(app.db, project, JSON.stringify([viewer?.id, view, today()]), present)
}

type Attributes = Static<typeof CustomAttributes>

/** The path fields of both forms. */
function placeOf(config: Config, project: LocatedProject, { owners, names }: Surroundings) {
  const { readme_path, default_branch } = project
  const owner = owners.get(project.namespace_owner_id ?? 0)
  return {
    owner,
    name_with_namespace: `${owner?.name ?? names.get(project.namespace_id) ?? project.namespace_name} / ${project.name}`,
    readme_url: readme_path === null || default_branch === null ? null : pageUrl(config, fileAddress(project, default_branch, readme_path)),
    namespace: {
      id: project.namespace_id,
      name: project.namespace_name,
      path: project.namespace_path,
      kind: project.namespace_kind,
      full_path: project.namespace_full_path,
      parent_id: project.namespace_parent_id,
      avatar_url: owner ? userAvatarUrl(config, owner) : avatarUrl(config, 'group', groupOf(project)),
      web_url: pageUrl(config, owner ? userAddress(owner.username) : groupAddress(project.namespace_full_path)),
    },
  }
}

function groupOf({ namespace_id, namespace_avatar_name }: LocatedProject) {
  return { id: namespace_id, avatar_name: namespace_avatar_name }
}

function presentSimple(
  config: Config,
  project: LocatedProject,
  surroundings: Surroundings,
  custom_attributes?: Attributes,
): Presented<typeof ProjectSimple> {
  const { full_path } = project
  const topics = topicsOf(project)
  const { name_with_namespace, readme_url, namespace } = placeOf(config, project, surroundings)
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace,
    path: project.path,
    path_with_namespace: full_path,
    created_at: project.created_at,
    default_branch: project.default_branch,
    tag_list: topics,
    topics,
    ssh_url_to_repo: sshCloneUrl(config, full_path),
    http_url_to_repo: httpCloneUrl(config, full_path),
    web_url: pageUrl(config, projectAddress({ full_path })),
    readme_url,
    avatar_url: avatarUrl(config, 'project', project),
    star_count: project.star_count,
    forks_count: project.forks_count,
    last_activity_at: project.last_activity_at,
    namespace,
    custom_attributes,
  }
}

/** Values of the full form besides the row of the project. */
interface Details {
  surroundings: Surroundings
  view: ProjectView
  custom_attributes: Attributes | undefined
  /** Undefined if the viewer can't see the issues. */
  open_issues_count: number | undefined
  source: Presented<typeof ProjectSimple> | undefined
  shares: SharedGroup[]
  /** The sizes of its files; undefined if there are none. */
  stored: StoredSize | undefined
  project_access: ReturnType<typeof presentAccess>
  group_access: ReturnType<typeof presentAccess>
}

/** The fields of the simple form are written out again: spreading an object costs three times as much. */
function presentFull({ config, secrets }: App, project: LocatedProject, details: Details): Presented<typeof Project> {
  const { full_path } = project
  const topics = topicsOf(project)
  const { owner, name_with_namespace, readme_url, namespace } = placeOf(config, project, details.surroundings)
  const administered = may('edit_project', details.view.level ?? 0)
  return Object.assign(ciSettingsOf(project), mergeTrainSettingsOf(project), {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace,
    path: project.path,
    path_with_namespace: full_path,
    created_at: project.created_at,
    default_branch: project.default_branch,
    tag_list: topics,
    topics,
    ssh_url_to_repo: sshCloneUrl(config, full_path),
    http_url_to_repo: httpCloneUrl(config, full_path),
    web_url: pageUrl(config, projectAddress({ full_path })),
    readme_url,
    avatar_url: avatarUrl(config, 'project', project),
    star_count: project.star_count,
    forks_count: project.forks_count,
    last_activity_at: project.last_activity_at,
    namespace,
    custom_attributes: details.custom_attributes,
    _links: presentLinks(config, project, details.open_issues_count !== undefined),
    archived: project.archived,
    marked_for_deletion_at: project.marked_for_deletion_at?.slice(0, 10) ?? null,
    marked_for_deletion_on: project.marked_for_deletion_at?.slice(0, 10) ?? null,
    visibility: project.visibility,
    owner: owner && presentOwner(config, owner),
    resolve_outdated_diff_discussions: project.resolve_outdated_diff_discussions,
    container_registry_enabled: isOn(project.container_registry_access_level),
    issues_enabled: isOn(project.issues_access_level),
    merge_requests_enabled: isOn(project.merge_requests_access_level),
    wiki_enabled: isOn(project.wiki_access_level),
    jobs_enabled: isOn(project.builds_access_level),
    snippets_enabled: isOn(project.snippets_access_level),
    issues_access_level: project.issues_access_level,
    repository_access_level: project.repository_access_level,
    merge_requests_access_level: project.merge_requests_access_level,
    forking_access_level: project.forking_access_level,
    builds_access_level: project.builds_access_level,
    wiki_access_level: project.wiki_access_level,
    snippets_access_level: project.snippets_access_level,
    container_registry_access_level: project.container_registry_access_level,
    shared_runners_enabled: project.shared_runners_enabled,
    lfs_enabled: project.lfs_enabled,
    creator_id: project.creator_id,
    forked_from_project: details.source,
    import_status: project.import_status,
    import_error: administered ? project.import_error : undefined,
    open_issues_count: details.open_issues_count,
    runners_token: administered ? shownProjectToken(secrets, project) : undefined,
    public_jobs: project.public_jobs,
    ci_config_path: project.ci_config_path,
    shared_with_groups: details.shares,
    only_allow_merge_if_pipeline_succeeds: project.only_allow_merge_if_pipeline_succeeds,
    request_access_enabled: project.request_access_enabled,
    only_allow_merge_if_all_discussions_are_resolved: project.only_allow_merge_if_all_discussions_are_resolved,
    only_allow_merge_if_all_status_checks_passed: project.only_allow_merge_if_all_status_checks_passed,
    printing_merge_request_link_enabled: project.printing_merge_request_link_enabled,
    merge_method: project.merge_method,
    squash_option: project.squash_option,
    merge_commit_template: project.merge_commit_template,
    squash_commit_template: project.squash_commit_template,
    suggestion_commit_message: project.suggestion_commit_message,
    remove_source_branch_after_merge: project.remove_source_branch_after_merge,
    statistics: details.view.statistics ? presentStatistics(project, details.stored) : undefined,
    permissions: { project_access: details.project_access, group_access: details.group_access },
  })
}

function ciSettingsOf(project: LocatedProject) {
  return {
    build_timeout: project.build_timeout_s,
    build_git_strategy: project.build_git_strategy,
    build_coverage_regex: project.build_coverage_regex,
    auto_cancel_pending_pipelines: project.auto_cancel_pending_pipelines,
    ci_default_git_depth: project.ci_default_git_depth,
    group_runners_enabled: project.group_runners_enabled,
    keep_latest_artifact: project.keep_latest_artifact,
    ci_job_token_scope_enabled: project.job_token_scope_enabled,
  }
}

/** Most projects have none. */
function topicsOf({ tag_list }: LocatedProject): string[] {
  return tag_list === '[]' ? [] : (JSON.parse(tag_list) as string[]).sort()
}
