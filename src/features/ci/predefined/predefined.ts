/** Variables that every job of a pipeline has: predefined ones of the instance, the project, the commit and the pipeline. Pure. */
import type { LocatedProject } from '../../../access/find.ts'
import { pipelineAddress } from '../../../addresses/ci.ts'
import { apiUrl, pageUrl, projectUrl } from '../../../addresses/links.ts'
import { mergeRequestAddress } from '../../../addresses/merge-requests.ts'
import type { KnownVariable, PipelineSource } from '../../../ci/plan.ts'
import type { Config } from '../../../config.ts'
import type { MergeRequest, Pipeline, User } from '../../../db/tables.ts'
import type { Commit } from '../../../git/objects/parse.ts'

export { mergeRequestOf, requestFactsOf, sourcePathOf } from './merge-request.queries.ts'

export interface PipelineFacts {
  project: LocatedProject
  /** Has an id and a number once it is inserted. */
  pipeline: Pick<Pipeline, 'ref' | 'sha' | 'source_sha' | 'before_sha' | 'tag' | 'protected'> & {
    source: string
    id?: number
    iid?: number
    name?: string | null
    created_at?: string
  }
  commit: Pick<Commit, 'message' | 'author' | 'committer' | 'parents'>
  /** The user as whom it runs; null if they were deleted. */
  user: Pick<User, 'id' | 'username' | 'name' | 'email'> | null
  merge_request?: MergeRequest | null
  /** Full path of the source project: null if it was deleted, absent if it is this project. */
  source_path?: string | null
  schedule_description?: string | null
  /** Whether the project is in a freeze period now. */
  is_frozen?: boolean
}

/** In ascending precedence. Values are final and not expanded. */
export function predefinedVariables(config: Config, facts: PipelineFacts): KnownVariable[] {
  const { merge_request = null } = facts
  return Object.entries({
    ...variablesOfPlace(config, facts.project),
    ...ofCommit(facts),
    ...ofPipeline(config, facts),
    ...(merge_request && ofMergeRequest(config, facts, merge_request)),
    ...(facts.user && ofUser(facts.user)),
  }).map(([key, value]) => ({ key, value, raw: true, file: false }))
}

/** Variables that are known before there is a pipeline. */
export function variablesOfPlace(config: Config, project: LocatedProject): Record<string, string> {
  return { ...ofService(config), ...ofProject(config, project) }
}

/** The name in a form for host names: `CI_COMMIT_REF_SLUG`. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
}

/** The ref of a merge request pipeline names the merge request; its jobs see the source branch. */
export function shownRef({ ref }: { ref: string }, merge_request: Pick<MergeRequest, 'source_branch'> | null): string {
  return merge_request?.source_branch ?? ref
}

const eventRefs = { detached: 'head', merged_result: 'merge', merge_train: 'train' } as const

/** The commit that a pipeline of a merge request builds: its source branch, the result of merging it, or that result in the merge queue. */
export type MergeEvent = keyof typeof eventRefs

/** The ref of a pipeline of a merge request. */
export function mergeEventRef(iid: number, event: MergeEvent = 'detached'): string {
  return `refs/merge-requests/${iid}/${eventRefs[event]}`
}

/** Reads the kind of a merge request pipeline back from its ref. */
export function mergeEventOf({ ref }: { ref: string }): MergeEvent {
  const [, name] = /^refs\/merge-requests\/[0-9]+\/(\w+)$/.exec(ref) ?? []
  return name === 'train' ? 'merge_train' : name === 'merge' ? 'merged_result' : 'detached'
}

const zeros = '0'.repeat(40)

function ofService(config: Config): Record<string, string> {
  const url = new URL(config.url)
  const [major = '', minor = '', patch = ''] = config.api_version.split('.')
  return {
    CI: 'true',
    GITLAB_CI: 'true',
    GITLAB_FEATURES: '',
    CI_SERVER: 'yes',
    CI_SERVER_NAME: 'GitLab',
    CI_SERVER_URL: config.url,
    CI_SERVER_HOST: url.hostname,
    CI_SERVER_PORT: url.port || (url.protocol === 'https:' ? '443' : '80'),
    CI_SERVER_PROTOCOL: url.protocol.slice(0, -1),
    CI_SERVER_FQDN: url.host,
    CI_SERVER_VERSION: config.api_version,
    CI_SERVER_VERSION_MAJOR: major,
    CI_SERVER_VERSION_MINOR: minor,
    CI_SERVER_VERSION_PATCH: patch,
    CI_SERVER_REVISION: '',
    CI_API_V4_URL: apiUrl(config, '').replace(/\/$/, ''),
  }
}

function ofProject(config: Config, project: LocatedProject): Record<string, string> {
  const { full_path, namespace_full_path } = project
  return {
    CI_PROJECT_ID: String(project.id),
    CI_PROJECT_NAME: project.path,
    CI_PROJECT_TITLE: project.name,
    CI_PROJECT_DESCRIPTION: project.description ?? '',
    CI_PROJECT_PATH: full_path,
    CI_PROJECT_PATH_SLUG: slugOf(full_path),
    CI_PROJECT_NAMESPACE: namespace_full_path,
    CI_PROJECT_NAMESPACE_ID: String(project.namespace_id),
    CI_PROJECT_NAMESPACE_SLUG: slugOf(namespace_full_path),
    CI_PROJECT_ROOT_NAMESPACE: namespace_full_path.split('/')[0] ?? '',
    CI_PROJECT_URL: projectUrl(config, project),
    CI_PROJECT_VISIBILITY: project.visibility,
    CI_DEFAULT_BRANCH: project.default_branch ?? '',
    CI_CONFIG_PATH: project.ci_config_path || '.gitlab-ci.yml',
  }
}

function ofCommit({ pipeline, commit, merge_request = null }: PipelineFacts): Record<string, string> {
  const { sha, before_sha, tag } = pipeline
  const ref = shownRef(pipeline, merge_request)
  const [title = '', ...rest] = commit.message.split('\n')
  return {
    CI_COMMIT_SHA: sha,
    CI_COMMIT_SHORT_SHA: sha.slice(0, 8),
    CI_COMMIT_BEFORE_SHA: before_sha ?? zeros,
    CI_COMMIT_REF_NAME: ref,
    CI_COMMIT_REF_SLUG: slugOf(ref),
    ...(tag ? { CI_COMMIT_TAG: ref } : merge_request ? {} : { CI_COMMIT_BRANCH: ref }),
    CI_COMMIT_MESSAGE: commit.message,
    CI_COMMIT_TITLE: title,
    CI_COMMIT_DESCRIPTION: rest.join('\n').trim(),
    CI_COMMIT_REF_PROTECTED: String(pipeline.protected),
    CI_COMMIT_TIMESTAMP: commit.committer.date,
    CI_COMMIT_AUTHOR: `${commit.author.name} <${commit.author.email}>`,
    // Names from before 9.0, which release 11.3 still sets.
    CI_BUILD_REF: sha,
    CI_BUILD_BEFORE_SHA: before_sha ?? zeros,
    CI_BUILD_REF_NAME: ref,
    CI_BUILD_REF_SLUG: slugOf(ref),
    ...(tag && { CI_BUILD_TAG: ref }),
  }
}

function ofPipeline(config: Config, { project, pipeline, schedule_description, is_frozen }: PipelineFacts): Record<string, string> {
  const { id, iid, source, name, created_at } = pipeline
  const isTriggered = (source as PipelineSource) === 'trigger'
  return {
    CI_PIPELINE_SOURCE: source,
    ...(id !== undefined && { CI_PIPELINE_ID: String(id), CI_PIPELINE_URL: pageUrl(config, pipelineAddress(project, id)) }),
    ...(iid !== undefined && { CI_PIPELINE_IID: String(iid) }),
    ...(created_at && { CI_PIPELINE_CREATED_AT: created_at }),
    ...(name && { CI_PIPELINE_NAME: name }),
    ...(isTriggered && { CI_PIPELINE_TRIGGERED: 'true', CI_BUILD_TRIGGERED: 'true' }),
    ...(is_frozen && { CI_DEPLOY_FREEZE: 'true' }),
    ...(schedule_description && { CI_PIPELINE_SCHEDULE_DESCRIPTION: schedule_description }),
  }
}

type Source = Pick<PipelineFacts, 'project' | 'source_path' | 'pipeline' | 'commit'>

function ofMergeRequest(
  config: Config,
  { project, source_path = project.full_path, pipeline, commit }: Source,
  merge_request: MergeRequest,
): Record<string, string> {
  const { id, iid, title, description, source_branch, target_branch, head_oid } = merge_request
  const event = mergeEventOf(pipeline)
  // A merge commit stands on what it is merged into.
  const [onto, ...others] = commit.parents
  return {
    CI_MERGE_REQUEST_ID: String(id),
    CI_MERGE_REQUEST_IID: String(iid),
    CI_MERGE_REQUEST_EVENT_TYPE: event,
    CI_MERGE_REQUEST_REF_PATH: mergeEventRef(iid, event),
    ...(event !== 'detached' && others.length > 0 && { CI_MERGE_REQUEST_TARGET_BRANCH_SHA: onto ?? '' }),
    CI_MERGE_REQUEST_PROJECT_ID: String(project.id),
    CI_MERGE_REQUEST_PROJECT_PATH: project.full_path,
    CI_MERGE_REQUEST_PROJECT_URL: projectUrl(config, project),
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: String(merge_request.source_project_id ?? ''),
    CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: source_path ?? '',
    CI_MERGE_REQUEST_SOURCE_PROJECT_URL: source_path === null ? '' : projectUrl(config, { full_path: source_path }),
    CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: source_branch,
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: pipeline.source_sha ?? head_oid ?? '',
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: target_branch,
    CI_MERGE_REQUEST_TITLE: title,
    CI_MERGE_REQUEST_DESCRIPTION: description ?? '',
    CI_OPEN_MERGE_REQUESTS: `${project.full_path}!${iid}`,
    CI_MERGE_REQUEST_URL: pageUrl(config, mergeRequestAddress(project, iid)),
  }
}

function ofUser({ id, username, name, email }: Pick<User, 'id' | 'username' | 'name' | 'email'>): Record<string, string> {
  return { GITLAB_USER_ID: String(id), GITLAB_USER_EMAIL: email, GITLAB_USER_LOGIN: username, GITLAB_USER_NAME: name }
}
