/** The parts of a job's payload that only depend on its plan. Pure. */
import type { JobArtifacts, JobCache, JobImage, JobOptions, JobService, PlannedVariable } from '../../../ci/plan.ts'

/** The reasons of failures that runners may give. */
export const failureReasons = [
  'script_failure',
  'runner_system_failure',
  'job_execution_timeout',
  'unknown_failure',
  'image_pull_failure',
  'runner_unsupported',
  'missing_dependency_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'runner_interrupted',
] as const

export const features = {
  trace_sections: true,
  token_mask_prefixes: ['gst-', 'gstjt-', 'gstdt-', 'glrt-'],
  failure_reasons: [...failureReasons],
}

export function presentSteps({ before_script, script, after_script }: JobOptions, timeout: number) {
  const own = { name: 'script', script: [...before_script, ...script], timeout, when: 'on_success', allow_failure: false }
  if (after_script.length === 0) return [own]
  return [own, { name: 'after_script', script: after_script, timeout, when: 'always', allow_failure: true }]
}

export function presentHooks({ pre_get_sources_script }: JobOptions) {
  return pre_get_sources_script.length === 0 ? [] : [{ name: 'pre_get_sources_script', script: pre_get_sources_script }]
}

export function presentImage({ name, entrypoint, pull_policy, executor_opts }: JobImage) {
  const { docker, kubernetes } = executor_opts ?? {}
  const user = kubernetes?.user
  return {
    name,
    entrypoint,
    pull_policy,
    executor_opts: { docker, kubernetes: kubernetes && { user: user === undefined ? undefined : String(user) } },
  }
}

export function presentService(service: JobService) {
  const { name, entrypoint, pull_policy, executor_opts } = presentImage(service)
  const variables = service.variables.map(({ key, value, raw }: PlannedVariable) => ({ key, value, public: true, raw: raw || undefined }))
  return { name, entrypoint, pull_policy, executor_opts, alias: service.alias, command: service.command, variables }
}

/** The file name that agents use for a report that is a single file. */
const reportNames: Record<string, string> = {
  junit: 'junit.xml',
  codequality: 'gl-code-quality-report.json',
  cobertura: 'cobertura-coverage.xml',
  jacoco: 'jacoco-coverage.xml',
  dotenv: '.env',
  metrics: 'metrics.txt',
  terraform: 'tfplan.json',
  accessibility: 'gl-accessibility.json',
  sast: 'gl-sast-report.json',
  secret_detection: 'gl-secret-detection-report.json',
  dependency_scanning: 'gl-dependency-scanning-report.json',
  container_scanning: 'gl-container-scanning-report.json',
  dast: 'gl-dast-report.json',
  lsif: 'lsif.json',
}

/** The archive and each report; null if the job has none. */
export function presentArtifacts(artifacts: JobArtifacts | null) {
  if (artifacts === null) return null
  const { name, untracked, paths, exclude, when, expire_in } = artifacts
  const archive = { name, untracked, paths, exclude, when, expire_in, artifact_type: 'archive', artifact_format: 'zip' }
  const reports = Object.entries(artifacts.reports).map(([report, files]) => {
    const artifact_type = report === 'coverage_report' ? (artifacts.coverage_format ?? 'cobertura') : report
    return {
      name: reportNames[artifact_type] ?? `gl-${artifact_type.replaceAll('_', '-')}-report.json`,
      untracked: false,
      paths: files,
      exclude: [],
      when: 'always',
      expire_in,
      artifact_type,
      artifact_format: artifact_type === 'lsif' ? 'zip' : 'gzip',
    }
  })
  return [...(untracked || paths.length > 0 ? [archive] : []), ...reports]
}

/**
 * Caches of protected refs are separate, since otherwise anyone who can push to some branch could change what runs on protected ones.
 * @param keyOf the key of a cache that is computed from files
 */
export function presentCaches(caches: JobCache[], isProtected: boolean, keyOf: (cache: JobCache) => string) {
  return caches.map((cache) => {
    const suffix = isProtected && !cache.unprotect ? '-protected' : '-non_protected'
    return {
      key: `${keyOf(cache)}${suffix}`,
      untracked: cache.untracked,
      unprotect: cache.unprotect,
      paths: cache.paths,
      policy: cache.policy,
      when: cache.when,
      fallback_keys: cache.fallback_keys.map((key) => `${key}${suffix}`),
    }
  })
}
