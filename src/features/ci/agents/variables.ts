/** The variables of a running job: those of its pipeline, and those that exist only for a job. Pure. */
import type { LocatedProject } from '../../../access/find.ts'
import { jobAddress } from '../../../addresses/ci.ts'
import { httpCloneUrl, pageUrl } from '../../../addresses/links.ts'
import type { KnownVariable, PlannedJob } from '../../../ci/plan.ts'
import type { Config } from '../../../config.ts'
import type { CiEnvironment, CiRunner, CommitStatus } from '../../../db/tables.ts'

/** In the format of agents. False values of `file` and `raw` are omitted, as agents of release 11.3 expect. */
export interface RunnerVariable {
  key: string
  value: string
  public: boolean
  masked: boolean
  file: boolean | undefined
  raw: boolean | undefined
}

export interface RunningFacts {
  project: Pick<LocatedProject, 'full_path'>
  status: Pick<CommitStatus, 'id' | 'name' | 'stage' | 'started_at'>
  plan: PlannedJob
  token: string
  timeout_s: number
  runner: Pick<CiRunner, 'id' | 'description' | 'tags'>
  environment: Pick<CiEnvironment, 'name' | 'slug' | 'tier' | 'external_url'> | null
}

/** Lists in ascending precedence, in the order of the reference. */
export interface VariableLists {
  predefined: KnownVariable[]
  yaml: Array<{ key: string; value: string; raw: boolean }>
  /** Variables from dotenv reports of earlier jobs. */
  reported: Array<{ key: string; value: string }>
  stored: Array<KnownVariable & { masked: boolean }>
  /** Variables given by whoever started the pipeline. */
  given: KnownVariable[]
}

export function variablesOf(config: Config, facts: RunningFacts, lists: VariableLists): RunnerVariable[] {
  const open = ({ key, value, raw = true, file = false }: { key: string; value: string; raw?: boolean; file?: boolean }) =>
    runnerVariable({ key, value, raw, file, public: true, masked: false })
  const closed = ({ key, value, raw, file, masked = false }: KnownVariable & { masked?: boolean }) =>
    runnerVariable({ key, value, raw, file, public: false, masked })
  const ofUser = (key: string) => key.startsWith('GITLAB_USER_')
  return [
    ...ofJob(config, facts),
    ...lists.predefined.filter(({ key }) => !ofUser(key)).map(open),
    ...ofRunner(facts.runner).map(open),
    ...lists.yaml.map(open),
    ...lists.predefined.filter(({ key }) => ofUser(key)).map(open),
    ...lists.reported.map(open),
    ...lists.stored.map(closed),
    ...lists.given.map(closed),
    ...ofEnvironment(facts).map(open),
  ]
}

function runnerVariable({
  key,
  value,
  public: isPublic,
  masked,
  file,
  raw,
}: Record<'public' | 'masked' | 'file' | 'raw', boolean> & { key: string; value: string }) {
  return { key, value, public: isPublic, masked, file: file || undefined, raw: raw || undefined }
}

/** The URL of the repository, including the token of the job. */
export function repositoryUrl(config: Config, full_path: string, token: string): string {
  return httpCloneUrl(config, full_path).replace(/^https?:\/\//, (scheme) => `${scheme}gitlab-ci-token:${token}@`)
}

function ofJob(config: Config, { project, status, plan, token, timeout_s }: RunningFacts): RunnerVariable[] {
  const isManual = plan.when === 'manual'
  const shown = {
    CI_JOB_ID: String(status.id),
    CI_JOB_URL: pageUrl(config, jobAddress(project, status.id)),
    CI_JOB_STARTED_AT: status.started_at ?? '',
    CI_BUILD_ID: String(status.id),
    CI_REGISTRY_USER: 'gitlab-ci-token',
    CI_JOB_NAME: status.name,
    CI_JOB_NAME_SLUG: slugOf(status.name),
    CI_JOB_STAGE: status.stage,
    CI_JOB_TIMEOUT: String(timeout_s),
    CI_BUILD_NAME: status.name,
    CI_BUILD_STAGE: status.stage,
    CI_JOB_MANUAL: isManual ? 'true' : null,
    CI_BUILD_MANUAL: isManual ? 'true' : null,
    CI_NODE_INDEX: plan.parallel ? String(plan.parallel.index) : null,
    CI_NODE_TOTAL: String(plan.parallel?.total ?? 1),
    CI_JOB_IMAGE: plan.options.image?.name ?? null,
  }
  const hidden = { CI_JOB_TOKEN: token, CI_BUILD_TOKEN: token, CI_REGISTRY_PASSWORD: token }
  const fixed = { file: false, raw: true }
  return [
    ...Object.entries(shown).flatMap(([key, value]) =>
      value === null ? [] : [runnerVariable({ key, value, public: true, masked: false, ...fixed })],
    ),
    ...Object.entries(hidden).map(([key, value]) => runnerVariable({ key, value, public: false, masked: true, ...fixed })),
    // Not masked as a whole: the URL is not secret, and the token in it is masked separately.
    runnerVariable({
      key: 'CI_REPOSITORY_URL',
      value: repositoryUrl(config, project.full_path, token),
      public: false,
      masked: false,
      ...fixed,
    }),
  ]
}

function ofRunner({ id, description, tags }: Pick<CiRunner, 'id' | 'description' | 'tags'>) {
  return [
    { key: 'CI_RUNNER_ID', value: String(id) },
    { key: 'CI_RUNNER_DESCRIPTION', value: description ?? '' },
    { key: 'CI_RUNNER_TAGS', value: (JSON.parse(tags) as string[]).join(', ') },
  ]
}

/** The runner expands the URL. */
function ofEnvironment({ environment, plan }: RunningFacts) {
  if (!plan.environment) return []
  const { name, action, url, deployment_tier } = plan.environment
  const address = url ?? environment?.external_url ?? null
  return [
    { key: 'CI_ENVIRONMENT_NAME', value: environment?.name ?? name },
    { key: 'CI_ENVIRONMENT_SLUG', value: environment?.slug ?? slugOf(name).slice(0, 24) },
    { key: 'CI_ENVIRONMENT_ACTION', value: action },
    { key: 'CI_ENVIRONMENT_TIER', value: environment?.tier ?? deployment_tier ?? 'other' },
    ...(address === null ? [] : [{ key: 'CI_ENVIRONMENT_URL', value: address, raw: false }]),
  ]
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
}
